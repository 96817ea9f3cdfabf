// Who is behind the fence is read from the files of the nodes and from what they have promised: both outlive agents.
#include "reconciler/model/fence.h"

#include <algorithm>

#include "reconciler/model/quorum.h"

namespace quorate::model {
namespace {

int wanted_members(const Desired& desired) {
  return static_cast<int>(
      std::count_if(desired.members.begin(), desired.members.end(), [](const Member& each) { return !each.retire; }));
}

bool votes(const Observed& observed, const std::string& name) {
  const auto& members = observed.membership->members;
  return std::any_of(members.begin(), members.end(), [&](const ObservedMember& each) {
    return each.listed.name == name && !each.listed.learner && is_up(each);
  });
}

// It has given way to a decision whose cluster is the one that runs, or that has none yet.
bool is_coming_back(const Observed& observed, const NodeFacts& node) {
  if (!node.standing || !node.standing->pledge || !node.standing->pledge->given) return false;
  if (!observed.membership) return true;
  return observed.formed && observed.formed->decision == node.standing->pledge->decision.id;
}

}  // namespace

bool has_majority(const Observed& observed, const Desired& desired) {
  if (!observed.membership) return false;
  const auto there = std::count_if(desired.members.begin(), desired.members.end(),
                                   [&](const Member& each) { return !each.retire && votes(observed, each.name); });
  return static_cast<int>(there) >= quorum(wanted_members(desired));
}

bool is_fenced(const NodeFacts* node) {
  return node != nullptr && node->manifest && node->manifest->fenced;
}

bool is_fence_needed(const Observed& observed) {
  return std::any_of(observed.nodes.begin(), observed.nodes.end(),
                     [&](const NodeFacts& node) { return is_fenced(&node) || is_coming_back(observed, node); });
}

bool is_fence_wanted(const Desired& desired) {
  return desired.recovery.open_when != OpenWhen::First && quorum(wanted_members(desired)) != 1;
}

bool keeps_clients_out(const Observed& observed, const Desired& desired) {
  if (!is_fence_wanted(desired)) return false;
  return is_fence_needed(observed) && !has_majority(observed, desired);
}

}  // namespace quorate::model
