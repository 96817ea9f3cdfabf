// From the document of a node file to what it means, or to findings.
#pragma once

#include <optional>
#include <vector>

#include "reconciler/model/agent_settings.h"
#include "reconciler/model/finding.h"
#include "reconciler/model/spec.h"

namespace quorate::validate {

// Does the file say that it is for an agent? Anything else is judged as a desired file.
bool is_agent_file(const model::Spec& spec);

struct AgentResult {
  std::optional<model::AgentSettings> settings;  // when no finding is an error
  std::vector<model::Finding> findings;
};

AgentResult validate_agent(const model::Spec& spec);

}  // namespace quorate::validate
