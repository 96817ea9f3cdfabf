// quorate schema, explain and version: what the binary knows about itself and its file.
#include "reconciler/report/reference.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "reconciler/base/yaml_text.h"
#include "reconciler/cli/command_table.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/terminal.h"
#include "reconciler/load/load.h"
#include "reconciler/model/secrets.h"
#include "reconciler/report/code_pages.h"
#include "reconciler/report/fields.h"
#include "reconciler/report/prose.h"
#include "schema/embedded.h"

namespace quorate::cli {
namespace {

using base::Json;
using model::ExitCode;

std::vector<report::Field> all_fields() {
  return report::list_fields(Json::parse(schema::cluster()));
}

std::string exit_codes(bool json) {
  std::string text;
  Json list = Json::array();
  for (const auto& info : exit_codes_by_number()) {
    const int number = static_cast<int>(info.code);
    text += std::to_string(number) + "  " + std::string(info.name) + ": " + std::string(info.meaning) + "\n";
    list.push_back({{"code", number}, {"name", info.name}, {"meaning", info.meaning}});
  }
  if (!json) return text;
  return Json({{"format_version", "1.0"}, {"kind", "exit-codes"}, {"exit_codes", list}}).dump(2) + "\n";
}

std::string overview(const std::vector<report::Field>& fields, bool json, const report::Style& style) {
  std::string text = style.bold("Fields") + " (quorate explain PATH)\n";
  Json paths = Json::array();
  for (const auto& field : fields) {
    paths.push_back(field.path);
    if (field.path.find_first_of(".<[") == std::string::npos) text += "  " + field.path + "\n";
  }
  if (!json) {
    return text + "\n" + style.bold("Findings") + " (quorate explain CODE)\n" + report::codes_text(style) + "\n" +
           style.bold("Other pages") + "\n  exit-codes\n";
  }
  Json codes = Json::array();
  for (const auto& code : model::all_codes()) codes.push_back({{"code", code.id}, {"title", code.title}});
  return Json({{"format_version", "1.0"}, {"kind", "topics"}, {"fields", paths}, {"findings", codes}}).dump(2) + "\n";
}

const model::Node* node_at(const model::Node& root, const std::string& path) {
  // Member names may hold dots, so each step takes the longest key that fits.
  if (path.empty()) return &root;
  if (path.front() == '[') {
    const auto close = path.find(']');
    const std::size_t index = static_cast<std::size_t>(std::strtoul(path.c_str() + 1, nullptr, 10));
    if (close == std::string::npos || index >= root.items.size()) return nullptr;
    return node_at(*root.items[index], path.substr(std::min(path.size(), close + (path[close + 1] == '.' ? 2 : 1))));
  }
  // The short form of a member is its address.
  if (root.is_scalar()) return path == "address" ? &root : nullptr;
  const model::Node* found = nullptr;
  std::size_t longest = 0;
  for (const auto& entry : root.entries) {
    const std::string& key = entry.key->text;
    const bool fits = path.compare(0, key.size(), key) == 0 &&
                      (path.size() == key.size() || path[key.size()] == '.' || path[key.size()] == '[');
    if (!fits || key.size() < longest) continue;
    longest = key.size();
    found = entry.value;
  }
  if (found == nullptr) return nullptr;
  return longest == path.size() ? found : node_at(*found, path.substr(longest + (path[longest] == '.' ? 1 : 0)));
}

struct Origin {
  const model::Node* node = nullptr;
  model::Position at;
  std::string file;
};

std::string shown(const model::Node& node, const std::string& path) {
  if (model::looks_secret(path.substr(path.rfind('.') + 1), node.text)) return std::string(model::kMask);
  if (node.is_scalar()) return report::printable(node.text);
  return std::string(name_of(node.kind)) + " of " + std::to_string(node.entries.size() + node.items.size());
}

ExitCode explain_origin(const Arguments& arguments, const report::Field& field, std::string text) {
  const std::string file = chosen_file(arguments);
  if (file.empty()) {
    talk("quorate: --origin needs a desired-cluster file: name one with -f");
    return ExitCode::Usage;
  }
  auto source = read_source(file);
  if (!source) {
    talk("quorate: " + source.error().message);
    return ExitCode::Failed;
  }
  const auto loaded = load::load(std::move(*source));
  if (!loaded.spec) {
    talk("quorate: " + file + " is not a document; see quorate validate " + file);
    return ExitCode::Invalid;
  }
  const model::Node* node = node_at(*loaded.spec->root, arguments.topic);
  if (arguments.output == "json") {
    Json document = Json::parse(text);
    document["origin"] = {{"file", file}, {"given", node != nullptr}};
    if (node != nullptr) {
      document["origin"]["value"] = shown(*node, arguments.topic);
      document["origin"]["line"] = node->span.at.line;
      document["origin"]["column"] = node->span.at.column;
    }
    return print(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", ExitCode::Ok);
  }
  if (node != nullptr) {
    text += "\nHere: " + shown(*node, arguments.topic) + "  (" + file + ":" + std::to_string(node->span.at.line) + ":" +
            std::to_string(node->span.at.column) + ")\n";
  } else {
    text += "\nHere: " + (field.default_text.empty() ? std::string("not given") : field.default_text) + "  (default; " +
            file + " does not say it)\n";
  }
  return print(text, ExitCode::Ok);
}

ExitCode explain_field(const Arguments& arguments, const std::vector<report::Field>& fields) {
  const report::Field* field = report::find_field(fields, arguments.topic);
  if (field == nullptr) {
    talk("quorate: there is no field or finding " + arguments.topic);
    for (const std::string& near : report::near_fields(fields, arguments.topic)) talk("  did you mean " + near + "?");
    return ExitCode::Usage;
  }
  const auto children = report::children_of(fields, *field);
  const std::string text = arguments.output == "json"
                               ? report::explain_json(*field, children)
                               : report::explain_text(*field, children, style_of_stdout(arguments.color));
  if (arguments.origin) return explain_origin(arguments, *field, text);
  return print(text, ExitCode::Ok);
}

}  // namespace

ExitCode run_schema(const Arguments& arguments) {
  const bool markdown = arguments.output == "markdown";
  if (!arguments.topic.empty() && arguments.topic != "cluster") {
    if (markdown) {
      talk("quorate: only the schema of the desired file has a page in Markdown; the node file is on it, too");
      return ExitCode::Usage;
    }
    const std::string_view text = arguments.topic == "plan"    ? schema::plan()
                                  : arguments.topic == "agent" ? schema::agent()
                                                               : schema::observation();
    return print(std::string(text), ExitCode::Ok);
  }
  if (!markdown) return print(std::string(schema::cluster()), ExitCode::Ok);
  const auto node_fields = report::list_fields(Json::parse(schema::agent()));
  return print(report::reference_markdown(all_fields(), node_fields), ExitCode::Ok);
}

ExitCode run_explain(const Arguments& arguments) {
  const report::Style style = style_of_stdout(arguments.color);
  const bool json = arguments.output == "json";
  if (arguments.topic == "exit-codes") return print(exit_codes(json), ExitCode::Ok);
  if (const auto code = model::find_code(arguments.topic)) {
    const model::CodeInfo& rule = model::info(*code);
    return print(json ? report::explain_code_json(rule) : report::explain_code_text(rule, style), ExitCode::Ok);
  }
  const auto fields = all_fields();
  if (arguments.topic.empty()) return print(overview(fields, json, style), ExitCode::Ok);
  return explain_field(arguments, fields);
}

ExitCode run_version(const Arguments& arguments) {
  if (arguments.output == "json") {
    const Json document = {{"format_version", "1.0"}, {"kind", "version"}, {"version", kVersion}};
    return print(document.dump(2) + "\n", ExitCode::Ok);
  }
  return print(std::string("quorate ") + kVersion + "\n", ExitCode::Ok);
}

}  // namespace quorate::cli
