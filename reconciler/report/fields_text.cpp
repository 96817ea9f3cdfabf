// One field explained, for people and for programs.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "reconciler/report/fields.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using base::Json;

std::string fact(std::string_view name, const std::string& value, const Style& style) {
  if (value.empty()) return {};
  constexpr std::size_t kNameWidth = 10;
  // A long value goes on under its own beginning.
  std::string text = wrapped(value, style.width, kNameWidth + 2);
  text.replace(2, name.size(), style.cyan(name));
  return text;
}

std::string indented(const std::string& lines, std::size_t indent) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    text += std::string(indent, ' ') + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string shown_path(const Field& child, const Field& parent) {
  std::string rest = child.path.substr(parent.path.size());
  if (!rest.empty() && rest.front() == '.') rest.erase(0, 1);
  return rest;
}

std::string children_table(const Field& field, const std::vector<const Field*>& children, const Style& style) {
  std::size_t names = 0, types = 0;
  for (const Field* child : children) {
    names = std::max(names, shown_path(*child, field).size());
    types = std::max(types, child->type.size());
  }
  std::string text;
  for (const Field* child : children) {
    const std::string head = "  " + padded(shown_path(*child, field), names) + "  " + padded(child->type, types) + "  ";
    std::string row = wrapped(first_sentence(child->description), std::max(style.width, head.size() + 20), head.size());
    if (row.empty()) row = head + "\n";
    text += row.replace(0, head.size(), head);
  }
  return text;
}

}  // namespace

std::string explain_text(const Field& field, const std::vector<const Field*>& children, const Style& style) {
  std::string text = style.bold(field.path) + "\n";
  text += wrapped(field.description, style.width, 2);
  text += "\n";
  text += fact("type", field.type, style);
  text += fact("required", field.required ? "yes" : "", style);
  text += fact("default", field.default_text, style);
  text += fact("allowed", joined(field.allowed, "or"), style);
  text += fact("limits", field.limits, style);
  text += fact("runtime", field.runtimes.empty() ? "" : "only with " + joined(field.runtimes, "or"), style);
  text += fact("since", field.since.empty() ? "" : "quorate " + field.since, style);
  text += "\n" + style.bold("Example") + "\n" + indented(base::to_yaml(field.example), 2);
  if (!children.empty()) text += "\n" + style.bold("Fields") + "\n" + children_table(field, children, style);
  return text;
}

std::string explain_json(const Field& field, const std::vector<const Field*>& children) {
  const auto described = [](const Field& one) {
    Json object = Json::object();
    object["path"] = one.path;
    object["type"] = one.type;
    object["required"] = one.required;
    object["default"] = one.default_text.empty() ? Json(nullptr) : Json(one.default_text);
    object["allowed"] = one.allowed;
    object["limits"] = one.limits;
    object["runtimes"] = one.runtimes;
    object["description"] = one.description;
    object["since"] = one.since;
    return object;
  };
  Json root = Json::object();
  root["format_version"] = "1.0";
  root["kind"] = "field";
  root["field"] = described(field);
  root["field"]["example"] = field.example;
  root["fields"] = Json::array();
  for (const Field* child : children) root["fields"].push_back(described(*child));
  return document(root);
}

}  // namespace quorate::report
