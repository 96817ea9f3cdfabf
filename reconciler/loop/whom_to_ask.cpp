// Out of the file first, and out of what is remembered where the file says no more.
#include "reconciler/loop/whom_to_ask.h"

#include <algorithm>

#include "reconciler/base/net.h"
#include "reconciler/base/words.h"

namespace quorate::loop {

std::vector<std::string> endpoints_of(const model::Desired& desired) {
  std::vector<std::string> endpoints;
  for (const model::Member& member : desired.members) {
    if (!member.client_urls.empty()) endpoints.push_back(base::to_string(member.client_urls.front()));
  }
  if (!desired.adopt) return endpoints;
  for (const base::Url& url : desired.adopt->endpoints) endpoints.push_back(base::to_string(url));
  return endpoints;
}

std::vector<ports::Peer> peers_of(const model::Desired& desired, const std::string& me) {
  std::vector<ports::Peer> peers;
  for (const model::Member& member : desired.members) {
    if (member.managed && member.name != me) peers.push_back({member.name, member.address, member.agent_port});
  }
  return peers;
}

std::vector<ports::Peer> dropped_of(const AgentView& view, const model::Memory& memory) {
  std::vector<ports::Peer> dropped;
  if (!view.observed.membership || view.desired.members.empty()) return dropped;
  for (const model::ObservedMember& member : view.observed.membership->members) {
    const std::string& name = member.listed.name;
    const auto& all = view.desired.members;
    const bool in_file = std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
    const bool was_ours = (memory.applied && base::contains(memory.applied->members, name)) ||
                          (memory.formed && base::contains(memory.formed->members, name));
    if (in_file || !was_ours || name == view.agents.own.member || member.listed.peer_urls.empty()) continue;
    base::UrlProblem problem;
    const auto url = base::parse_url(member.listed.peer_urls.front(), problem);
    if (url) dropped.push_back({name, url->host, all.front().agent_port});
  }
  return dropped;
}

std::string metrics_of(const model::Member& member) {
  if (!member.listen_metrics.empty()) return base::to_string(member.listen_metrics.front());
  return member.client_urls.empty() ? "" : base::to_string(member.client_urls.front());
}

}  // namespace quorate::loop
