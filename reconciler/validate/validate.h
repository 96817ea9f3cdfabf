// A Spec to what it means: the schema first, then the rules about the whole; all findings at once.
#pragma once

#include <optional>
#include <vector>

#include "reconciler/model/desired.h"
#include "reconciler/model/finding.h"
#include "reconciler/model/spec.h"

namespace quorate::validate {

struct ValidateResult {
  std::optional<model::Desired> desired;  // present when there is no error
  std::vector<model::Finding> findings;   // by place
};

ValidateResult validate(const model::Spec& spec);

}  // namespace quorate::validate
