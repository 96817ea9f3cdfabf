// What was formed, and what the seeds of decisions say of themselves.
#include "reconciler/model/succession.h"

#include <algorithm>

namespace quorate::model {
namespace {

constexpr std::uint64_t kRestoredTerm = 1;  // as etcdutl leaves it; who is to lead takes the next one, on disk, before

}  // namespace

bool has_successor(const Observed& observed, base::ClusterId cluster) {
  if (observed.formed && has_replaced(*observed.formed, cluster)) return true;
  return std::any_of(observed.nodes.begin(), observed.nodes.end(), [&](const NodeFacts& node) {
    if (!node.standing || !node.standing->pledge || !node.standing->pledge->started) return false;
    const Decision& decision = node.standing->pledge->decision;
    return decision.seed == node.member &&
           std::find(decision.after.begin(), decision.after.end(), cluster) != decision.after.end();
  });
}

bool has_begun(const Decision& decision, const DataDir& data) {
  const bool of_before = std::find(decision.after.begin(), decision.after.end(), data.cluster) != decision.after.end();
  return !holds_nothing(data) && data.cluster.value != 0 && !of_before && data.term > kRestoredTerm;
}

bool is_superseded(const Decision& decision, const Formed& formed) {
  return formed.decision != decision.id && !decision.after.empty() &&
         std::all_of(decision.after.begin(), decision.after.end(),
                     [&](base::ClusterId each) { return has_replaced(formed, each); });
}

}  // namespace quorate::model
