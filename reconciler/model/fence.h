// The fence: a cluster that was brought back without its quorum lets no client in before a majority of the members that
// the file wants has joined it, so that nothing is written that a single disk holds alone.
#pragma once

#include <string>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"

namespace quorate::model {

// As many as the file wants vote and are up, or all that it has.
bool has_majority(const Observed& observed, const Desired& desired);

// The file asks for it.
bool is_fence_wanted(const Desired& desired);

// A member that is started now has to keep clients out.
bool keeps_clients_out(const Observed& observed, const Desired& desired);

// Its files say so.
bool is_fenced(const NodeFacts* node);

// On nodes where something is left of a decision that ends with the fence.
bool is_fence_needed(const Observed& observed);

}  // namespace quorate::model
