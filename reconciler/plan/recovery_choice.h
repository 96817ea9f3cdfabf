// Which data a cluster is to go on with where it cannot go on by itself, or where people say so, and the decision that
// all would have to promise for it.
#pragma once

#include <vector>

#include "reconciler/plan/asked.h"
#include "reconciler/plan/recovery.h"

namespace quorate::plan {

// The file, or an order, names a backup under a generation that no cluster has had yet.
bool is_restore_ordered(const World& world, const model::Voters* voters);

void choose_ordered_restore(const World& world, const model::Voters* voters, std::vector<Answer> answers,
                            Recovery& recovery);
// The quorum is lost for good, and `what` says why: from what survived, or from a backup that reaches further.
void choose_after_loss(const World& world, const model::Voters& voters, const std::vector<Answer>& answers,
                       const std::string& what, Recovery& recovery);
// Nobody remembers a cluster, and the file allows to restore one. Nothing at hand: a new one may be formed.
void choose_first_restore(const World& world, Recovery& recovery);

}  // namespace quorate::plan
