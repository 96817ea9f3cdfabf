// Looking things up in an observation.
#include "reconciler/model/observed.h"

#include <algorithm>

namespace quorate::model {

const NodeFacts* node_of(const Observed& observed, const std::string& member) {
  const auto found = std::find_if(observed.nodes.begin(), observed.nodes.end(),
                                  [&](const NodeFacts& node) { return node.member == member; });
  return found == observed.nodes.end() ? nullptr : &*found;
}

NodeFacts* node_of(Observed& observed, const std::string& member) {
  return const_cast<NodeFacts*>(node_of(std::as_const(observed), member));
}

const ObservedMember* member_of(const Observed& observed, base::MemberId id) {
  if (!observed.membership) return nullptr;
  const auto& members = observed.membership->members;
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const ObservedMember& each) { return each.listed.id == id; });
  return found == members.end() ? nullptr : &*found;
}

ObservedMember* member_of(Observed& observed, base::MemberId id) {
  return const_cast<ObservedMember*>(member_of(std::as_const(observed), id));
}

bool has_replaced(const Formed& formed, base::ClusterId cluster) {
  return std::find(formed.after.begin(), formed.after.end(), cluster) != formed.after.end();
}

bool is_up(const ObservedMember& member) {
  return member.status.is_known() && (member.listed.learner || member.serves.is_known());
}

std::vector<std::string> serving_endpoints(const Observed& observed, const std::string& first) {
  std::vector<std::string> endpoints;
  if (!observed.membership) return endpoints;
  for (const ObservedMember& member : observed.membership->members) {
    if (member.listed.learner || !is_up(member) || member.listed.client_urls.empty()) continue;
    const bool before = !first.empty() && member.listed.name == first;
    endpoints.insert(before ? endpoints.begin() : endpoints.end(), member.listed.client_urls.front());
  }
  return endpoints;
}

std::string serving_endpoint(const Observed& observed, const std::string& first) {
  if (!observed.membership || !observed.membership->linearizable) return "";
  const std::vector<std::string> endpoints = serving_endpoints(observed, first);
  return endpoints.empty() ? "" : endpoints.front();
}

base::MemberId leader_of(const Observed& observed) {
  base::MemberId leader;
  if (!observed.membership) return leader;
  bool first = true;
  for (const ObservedMember& member : observed.membership->members) {
    if (member.listed.learner || !is_up(member)) continue;
    if (!first && member.status->leader != leader) return {};
    leader = member.status->leader;
    first = false;
  }
  const ObservedMember* leads = member_of(observed, leader);
  return leads == nullptr || leads->listed.learner ? base::MemberId{} : leader;
}

}  // namespace quorate::model
