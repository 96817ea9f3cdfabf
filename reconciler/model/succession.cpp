// What was formed, and what the seeds of decisions say of themselves.
#include "reconciler/model/succession.h"

#include <algorithm>

#include "reconciler/model/claim.h"

namespace quorate::model {
namespace {

constexpr std::uint64_t kRestoredTerm = 1;  // as etcdutl leaves it; who is to lead takes the next one, on disk, before

}  // namespace

bool takes_place_of(const Decision& decision, base::ClusterId cluster) {
  return std::find(decision.after.begin(), decision.after.end(), cluster) != decision.after.end();
}

bool has_successor(const Observed& observed, base::ClusterId cluster) {
  if (observed.formed && has_replaced(*observed.formed, cluster)) return true;
  return std::any_of(observed.nodes.begin(), observed.nodes.end(), [&](const NodeFacts& node) {
    if (!node.standing || !node.standing->pledge || !node.standing->pledge->started) return false;
    const Decision& decision = node.standing->pledge->decision;
    return decision.seed == node.member && takes_place_of(decision, cluster);
  });
}

bool has_begun(const Decision& decision, const DataDir& data) {
  return !holds_nothing(data) && data.cluster.value != 0 && !takes_place_of(decision, data.cluster) &&
         data.term > kRestoredTerm;
}

bool may_be_taken_up(const Decision& decision, const Observed& observed) {
  const NodeFacts* seed = node_of(observed, decision.seed);
  if (seed == nullptr || !seed->data) return false;
  if (observed.membership && observed.membership->cluster != seed->data->cluster) return false;
  if (observed.formed && is_superseded(decision, *observed.formed)) return false;
  KeepTo all{decision.id, {}, true};
  for (const Founder& each : decision.founders) all.members.push_back(each.member);
  return holds(all, observed);
}

bool is_superseded(const Decision& decision, const Formed& formed) {
  return formed.decision != decision.id && !decision.after.empty() &&
         std::all_of(decision.after.begin(), decision.after.end(),
                     [&](base::ClusterId each) { return has_replaced(formed, each); });
}

}  // namespace quorate::model
