// May this plan run now? Quorum, freshness and policy, each refusal with its rule, its arithmetic and what works
// instead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/records.h"
#include "reconciler/model/verdict.h"

namespace quorate::gate {

struct Terms {
  base::Time now{};
  std::optional<base::Duration> max_age{};  // of an observation; nothing: any age
  bool live = true;                         // false: the observation was handed in, so the plan is for review
  bool acting = false;                      // an agent asks: what reconcile.apply: manual leaves to people is held
  std::string digest{};                     // of the desired file
  std::vector<model::Allowed> allowed{};    // what people have agreed to, besides those in the file
};

// A clause about the observation that is older than max_age, or of a time still to come; empty: it is of now.
std::string too_old(const model::Observed& observed, const Terms& terms);

model::Gated judge(model::Plan plan, const model::Desired& desired, const model::Observed& observed,
                   const Terms& terms);

}  // namespace quorate::gate
