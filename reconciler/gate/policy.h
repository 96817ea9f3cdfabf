// What the desired file and the observation allow: freshness, adoption, protection, pauses, healing.
#pragma once

#include <optional>

#include "reconciler/gate/gate.h"

namespace quorate::gate {

// Rules about the plan as such; the first that says no.
std::optional<model::Verdict> whole_plan(const model::Plan& plan, const model::Desired& desired,
                                         const model::Observed& observed, const Terms& terms);

// Rules about one step in the world before it.
std::optional<model::Verdict> by_policy(const model::Desired& desired, const model::Observed& world,
                                        const model::Step& step, const Terms& terms, int heals_before);
// A voter that is removed because it is lost, to come back as a new member: reconcile.maxHealsPerDay counts those.
bool costs_a_heal(const model::Desired& desired, const model::Step& step);

}  // namespace quorate::gate
