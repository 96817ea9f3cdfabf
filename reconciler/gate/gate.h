// May this plan run now? Quorum, freshness and policy, each refusal with its rule, its arithmetic and what works
// instead.
#pragma once

#include <string>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/verdict.h"

namespace quorate::gate {

struct Terms {
  base::Time now{};
  base::Duration max_age{};  // of an observation; 0: any age
  bool live = true;          // false: the observation was handed in, so the plan is for review
};

model::Gated judge(model::Plan plan, const model::Desired& desired, const model::Observed& observed,
                   const Terms& terms);

}  // namespace quorate::gate
