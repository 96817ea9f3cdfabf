// What backups ask for: before a change, by the schedule, and what a person should know of them.
#pragma once

#include <optional>
#include <vector>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/plan.h"
#include "reconciler/plan/planner.h"

namespace quorate::plan {

// The backup that has to be made before this step. What heals the cluster, or ends what has begun, never waits for the
// store.
std::optional<model::Step> backup_before(const model::Desired& desired, const model::Observed& observed,
                                         const Wanted& wanted, const model::Step& step);

// What the store needs now, whatever is planned for the cluster: a backup that is due, one to be verified, some that
// nothing keeps. It is done beside the plan, which never waits for it.
std::optional<model::Step> store_step(const model::Desired& desired, const model::Observed& observed);

// When it will next need something; nothing: that cannot be told yet.
std::optional<base::Time> next_store_step(const model::Desired& desired, const model::Observed& observed);

// Late, failed, damaged and unverified ones.
std::vector<model::Notice> backup_notices(const model::Desired& desired, const model::Observed& observed);

}  // namespace quorate::plan
