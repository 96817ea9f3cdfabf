// A promise ends once, by what its own node sees: that it votes where it was to vote, or is out for good.
#include "reconciler/loop/pledge_end.h"

#include <algorithm>

#include "reconciler/model/fence.h"
#include "reconciler/model/succession.h"

namespace quorate::loop {
namespace {

// A unit, a kubelet, a person: what they have started between the restore and our own start may have served.
bool is_begun_seed(const AgentView& view, const model::Standing& standing) {
  const model::Pledge& pledge = *standing.pledge;
  const auto& data = view.agents.own.facts.data;
  return pledge.given && !pledge.started && pledge.decision.seed == view.me.name && data &&
         data->state == model::DataState::Valid && model::has_begun(pledge.decision, *data) &&
         !model::has_abandoned(standing, pledge.decision.id) && model::may_be_taken_up(pledge.decision, view.observed);
}

const model::ObservedMember* own_member(const AgentView& view) {
  const auto& members = view.observed.membership->members;
  const auto own = std::find_if(members.begin(), members.end(),
                                [&](const model::ObservedMember& each) { return each.listed.name == view.me.name; });
  return own == members.end() ? nullptr : &*own;
}

bool is_wanted(const AgentView& view) {
  return (view.listed && !view.me.retire) || !view.is_in_force();
}

bool votes(const AgentView& view) {
  const model::ObservedMember* own = own_member(view);
  return own != nullptr && !own->listed.learner && model::is_up(*own);
}

// It never will: it is out of the cluster, and the file does not want it back. Without a place it has nothing to clear.
bool is_out(const AgentView& view) {
  return own_member(view) == nullptr && !is_wanted(view) && !view.me.data_dir.empty();
}

// Others need what the seed keeps until they have it themselves.
bool stands_without_it(const AgentView& view) {
  return model::has_majority(view.observed, view.desired) && !model::is_fenced(&view.agents.own.facts);
}

}  // namespace

PledgeEnd end_of_pledge(const AgentView& view, const model::Memory& memory) {
  const model::Pledge& pledge = *memory.standing.pledge;
  if (is_begun_seed(view, memory.standing)) return PledgeEnd::Begun;
  const auto& formed = memory.formed;
  if (!formed || !view.has_quorum() || formed->cluster != view.observed.membership->cluster) return PledgeEnd::NotYet;
  const model::Decision& decision = pledge.decision;
  const bool carried_out = formed->decision == decision.id && (votes(view) || is_out(view)) && stands_without_it(view);
  const bool superseded = (pledge.started || is_out(view)) && model::is_superseded(decision, *formed);
  // The cluster that was to be replaced has a quorum after all. Whoever is wanted puts back what stood there: a step of
  // the plan.
  const bool needless =
      !pledge.started && is_out(view) && !decision.deliberate && model::takes_place_of(decision, formed->cluster);
  return carried_out || superseded || needless ? PledgeEnd::Settled : PledgeEnd::NotYet;
}

}  // namespace quorate::loop
