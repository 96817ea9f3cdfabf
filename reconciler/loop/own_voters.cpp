// A member's own list may be old, and is never ahead: what it has applied was agreed on. So a quorum that was lost in
// the very moment of a promotion is still counted right.
#include "reconciler/loop/own_voters.h"

#include <algorithm>
#include <string>

namespace quorate::loop {
namespace {

// What is known already; nothing was ever confirmed of a cluster that lost its quorum in the moment when it had one.
model::Voters known(const model::Memory& memory) {
  if (memory.standing.voters) return *memory.standing.voters;
  return {memory.cluster_id, memory.generation, 0, 0, {}};
}

}  // namespace

std::optional<model::Voters> own_voters(ports::EtcdAdmin& etcd, const model::Observed& observed,
                                        const model::Memory& memory, base::Duration within) {
  if (memory.member_id.value == 0) return std::nullopt;
  const model::Voters before = known(memory);
  const auto own = std::find_if(observed.endpoints.begin(), observed.endpoints.end(),
                                [&](const auto& each) { return each.member && *each.member == memory.member_id; });
  if (own == observed.endpoints.end()) return std::nullopt;
  const std::string& endpoint = own->endpoint;
  const auto is_ours = [&](const ports::Answered& from) {
    return from.cluster == before.cluster && from.member == memory.member_id;
  };
  const auto status = etcd.status(endpoint, within);  // before the list, which then reaches at least as far
  if (!status || !is_ours(status->from) || status->status.raft_applied <= before.index) return std::nullopt;
  const auto list = etcd.member_list(endpoint, ports::Consistency::Serializable, within);
  if (!list || !is_ours(list->from)) return std::nullopt;
  // A log begins with its founders, and goes on when a quorum of them has agreed on something.
  if (status->status.raft_applied <= list->members.size()) return std::nullopt;
  model::Voters now{before.cluster, before.generation, before.term, status->status.raft_applied, {}};
  for (const model::ListedMember& each : list->members) {
    if (each.learner) continue;
    if (each.name.empty()) return std::nullopt;  // nobody could be asked for it
    now.voters.push_back({each.name, each.id, each.peer_urls});
  }
  if (now.voters.empty() || now.voters == before.voters) return std::nullopt;
  return now;
}

}  // namespace quorate::loop
