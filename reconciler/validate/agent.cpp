// The node file has no rules about a whole: its fields do not depend on one another.
#include "reconciler/validate/agent.h"

#include <array>

#include "reconciler/base/path.h"
#include "reconciler/validate/choice.h"
#include "reconciler/validate/fields.h"
#include "reconciler/validate/read.h"
#include "reconciler/validate/schema_check.h"

namespace quorate::validate {
namespace {

using model::AgentSettings;
using model::Code;
using model::LogFormat;
using model::LogLevel;
using model::Node;

constexpr std::array kPaths = {"source.file", "stateDir", "listen.socket", "overrides.storage.dir"};

AgentSettings settings_of(const Fields& fields) {
  const auto path = [&](std::string_view name) { return base::join_path("/", fields.text_or_default(name)); };
  AgentSettings settings;
  settings.node = fields.text("node").value_or("");
  settings.source_file = path("source.file");
  settings.state_dir = path("stateDir");
  settings.socket = path("listen.socket");
  settings.operators_group = fields.text_or_default("operators.group");
  settings.log_level = choice<LogLevel, 4>(fields, "log.level",
                                           {{{"info", LogLevel::Info},
                                             {"debug", LogLevel::Debug},
                                             {"warning", LogLevel::Warning},
                                             {"error", LogLevel::Error}}});
  settings.log_format = choice<LogFormat, 3>(
      fields, "log.format", {{{"auto", LogFormat::Auto}, {"text", LogFormat::Text}, {"json", LogFormat::Json}}});
  if (const auto dir = fields.text("overrides.storage.dir")) settings.storage_dir = base::join_path("/", *dir);
  return settings;
}

// A service starts in no folder that anybody would guess.
void check_absolute(const Fields& fields, Findings& findings) {
  for (const std::string_view name : kPaths) {
    const Node* node = fields.node(name);
    if (node == nullptr || !text(*node) || node->text.empty()) continue;
    const std::string path(name);
    if (!base::is_absolute(node->text)) {
      findings.add(Code::E118, *node, path + " must be absolute", "expected a path that starts with /", path);
    } else if (base::join_path("/", node->text) == "/") {
      findings.add(Code::E118, *node, path + " is the root directory", "expected a path of its own", path);
    }
  }
}

}  // namespace

bool is_agent_file(const model::Spec& spec) {
  const Node* kind = spec.root != nullptr ? spec.root->get("kind") : nullptr;
  return kind != nullptr && kind->is_scalar() && kind->text == "Agent";
}

AgentResult validate_agent(const model::Spec& spec) {
  Findings findings(spec);
  check_schema(spec, agent_schema(), findings);
  const Fields fields(*spec.root, agent_schema());
  check_absolute(fields, findings);
  AgentResult result;
  result.findings = findings.take();
  model::sort_by_place(result.findings);
  if (!model::has_errors(result.findings)) result.settings = settings_of(fields);
  return result;
}

}  // namespace quorate::validate
