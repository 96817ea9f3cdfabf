// Which cluster has taken the place of which, and must be the only one of the two that runs.
#pragma once

#include "reconciler/model/observed.h"

namespace quorate::model {

// What comes of the decision is to run instead of that cluster.
bool takes_place_of(const Decision& decision, base::ClusterId cluster);
// Another one is known to have been formed in its place, or its seed has been started to do so: from then on there is
// no way back, also before anybody has seen it serve.
bool has_successor(const Observed& observed, base::ClusterId cluster);
// What was restored for the decision, and lies there, has had a leader: it may have served, whoever has started it.
bool has_begun(const Decision& decision, const DataDir& data);
// What has begun goes on where everybody still keeps to the decision and nothing else serves; else it would be one of
// two clusters, and people decide.
bool may_be_taken_up(const Decision& decision, const Observed& observed);
// Another decision has led to a cluster in the place of all that this one was to replace.
bool is_superseded(const Decision& decision, const Formed& formed);

}  // namespace quorate::model
