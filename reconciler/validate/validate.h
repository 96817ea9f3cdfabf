// A Spec to what it means: the schema first, then the rules about the whole; all findings at once.
#pragma once

#include <optional>
#include <vector>

#include "reconciler/base/time_zone.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/finding.h"
#include "reconciler/model/spec.h"

namespace quorate::validate {

struct ValidateResult {
  std::optional<model::Desired> desired;  // present when there is no error
  std::vector<model::Finding> findings;   // by place
};

// Without `zones` nobody can tell what a time zone is.
ValidateResult validate(const model::Spec& spec, const base::ZoneFiles& zones = {});

}  // namespace quorate::validate
