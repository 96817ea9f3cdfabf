// The field reference as Markdown tables.
#include "reconciler/report/fields.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

constexpr std::string_view kTableHead =
    "| field | type | default | meaning | since |\n| --- | --- | --- | --- | --- |\n";

// A bar would end the cell, a line break the row, and a name in angle brackets would be taken for HTML.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '|') {
      result += "\\|";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string code(const std::string& text) {
  return "`" + text + "`";
}

std::string codes(const std::vector<std::string>& words) {
  std::vector<std::string> marked;
  for (const std::string& word : words) marked.push_back(code(word));
  return joined(marked, "or");
}

std::string meaning(const Field& field) {
  std::string text = cell(field.description);
  const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  if (field.allowed.size() == 1) add("Always " + codes(field.allowed) + ".");
  if (field.allowed.size() > 1) add("One of " + codes(field.allowed) + ".");
  if (!field.limits.empty()) add("Limits: " + cell(field.limits) + ".");
  if (!field.runtimes.empty()) add("Only with runtime " + codes(field.runtimes) + ".");
  return text;
}

std::string row(const Field& field) {
  const std::string default_cell = field.required ? "required" : cell(field.default_text);
  return "| " + code(field.path) + " | " + cell(field.type) + " | " + default_cell + " | " + meaning(field) + " | " +
         cell(field.since) + " |\n";
}

std::string first_step(const std::string& path) {
  return path.substr(0, path.find_first_of(".["));
}

}  // namespace

std::string field_reference_markdown(const std::vector<Field>& fields) {
  std::string alone, blocks;
  for (std::size_t i = 0; i < fields.size();) {
    std::size_t end = i + 1;
    while (end < fields.size() && first_step(fields[end].path) == fields[i].path) ++end;
    if (end == i + 1) {
      alone += row(fields[i]);
    } else {
      // A map or list says more of itself than its description: what it holds, how many, from which default.
      const bool is_plain = fields[i].type == "block";
      blocks += "\n### `" + fields[i].path + "`\n\n";
      if (is_plain) blocks += cell(fields[i].description) + "\n\n";
      blocks += kTableHead;
      for (std::size_t j = is_plain ? i + 1 : i; j < end; ++j) blocks += row(fields[j]);
    }
    i = end;
  }
  return "### Top level\n\n" + std::string(kTableHead) + alone + blocks;
}

}  // namespace quorate::report
