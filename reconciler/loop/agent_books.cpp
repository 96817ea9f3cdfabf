// What agents write into etcd without the lock: which file is in force, that the cluster exists, what has been carried
// out, and which announcements have come true.
#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/loop/agent.h"
#include "reconciler/model/quorum.h"

namespace quorate::loop {
namespace {

// Etcd takes 128 in one transaction.
constexpr std::size_t kMostInOneTxn = 64;

bool is_ours(const AgentView& view, const std::string& name) {
  return std::any_of(view.desired.members.begin(), view.desired.members.end(),
                     [&](const model::Member& each) { return each.managed && each.name == name; });
}

// Whose agents decide which file is in force: those of the voters. While a cluster is taken over, and none of its
// voters is ours yet, those of the members that are to join.
std::vector<std::string> deciding(const AgentView& view) {
  std::vector<std::string> names;
  for (const model::ObservedMember& member : view.observed.membership->members) {
    if (!member.listed.learner && (is_ours(view, member.listed.name) || !view.desired.adopt)) {
      names.push_back(member.listed.name);
    }
  }
  if (!names.empty()) return names;
  for (const model::Member& each : view.desired.members) {
    if (each.managed) names.push_back(each.name);
  }
  return names;
}

bool a_majority_holds(const AgentView& view, const std::string& digest) {
  const std::vector<std::string> names = deciding(view);
  int votes = 0;
  for (const std::string& name : names) {
    if (name == view.agents.own.member) {
      votes += view.agents.own.desired_digest == digest ? 1 : 0;
      continue;
    }
    for (const ports::PeerAnswer& answer : view.agents.answers) {
      if (answer.member == name && answer.report && answer.report->desired_digest == digest) ++votes;
    }
  }
  return votes >= model::quorum(static_cast<int>(names.size()));
}

bool is_listed(const AgentView& view, base::MemberId id) {
  return model::member_of(view.observed, id) != nullptr;
}

// Until the books know it as ours, the announcement is all that says so: the file may drop a learner before that.
bool has_settled_at(const AgentView& view, const std::vector<std::string>& urls) {
  const auto& applied = view.agents.records->applied;
  return std::any_of(view.observed.membership->members.begin(), view.observed.membership->members.end(),
                     [&](const model::ObservedMember& each) {
                       const model::ListedMember& listed = each.listed;
                       const bool there = !listed.name.empty() && base::same_texts(urls, listed.peer_urls);
                       if (!there || !listed.learner) return there;
                       return applied && base::contains(applied->members, listed.name);
                     });
}

// Whoever has joined because of the file is ours from then on: the next one may drop it before this one is carried out.
std::optional<model::Applied> with_newcomers(const AgentView& view) {
  if (!view.agents.records->applied) return std::nullopt;
  model::Applied grown = *view.agents.records->applied;
  const std::size_t before = grown.members.size();
  for (const model::ObservedMember& member : view.observed.membership->members) {
    const bool wanted = std::any_of(view.desired.members.begin(), view.desired.members.end(),
                                    [&](const auto& each) { return each.managed && each.name == member.listed.name; });
    const auto& known = grown.members;
    if (wanted && std::find(known.begin(), known.end(), member.listed.name) == known.end()) {
      grown.members.push_back(member.listed.name);
    }
  }
  if (grown.members.size() == before) return std::nullopt;
  return grown;
}

bool leaves(const model::Desired& desired, const std::string& name) {
  const auto found = std::find_if(desired.members.begin(), desired.members.end(),
                                  [&](const model::Member& each) { return each.name == name; });
  return found == desired.members.end() || (found->retire && found->managed);
}

// Condemned for good, and gone for good: IDs are never used twice.
ports::Txn tidying(const AgentView& view) {
  ports::Txn txn;
  const model::Announced& announced = view.agents.records->announced;
  for (const base::MemberId id : announced.condemned) {
    if (!is_listed(view, id)) txn.then.push_back({model::condemned_key(id), std::nullopt, 0});
  }
  for (const model::Updating& updating : announced.updating) {
    const model::ObservedMember* member = model::member_of(view.observed, updating.member);
    const bool there = member != nullptr && base::same_texts(member->listed.peer_urls, updating.peer_urls);
    if (!there && member != nullptr) continue;
    const std::string key = model::updating_key(updating.member);
    txn.when.push_back({ports::Compare::What::ModRevision, key, updating.mod_revision});  // others are announced again
    txn.then.push_back({key, std::nullopt, 0});
  }
  for (const auto& urls : announced.adding) {
    if (has_settled_at(view, urls)) txn.then.push_back({model::adding_key(urls), std::nullopt, 0});
  }
  return txn;
}

}  // namespace

base::Result<bool> Agent::keep_books(const AgentView& view) {
  if (!view.agents.records) return false;
  const model::Records& records = *view.agents.records;
  const base::ClusterId cluster = view.observed.membership->cluster;
  const auto write = [&](const ports::Txn& txn) -> base::Result<bool> {
    const auto answer = ports_.etcd.transact(view.serving, txn, settings_.within);
    if (!answer) return tl::unexpected(answer.error());
    return true;
  };
  // What a restored database remembers of the life before it: its lock above all, which nobody will ever release.
  if (!records.void_keys.empty()) {
    ports::Txn txn;
    for (const auto& [key, revision] : records.void_keys) {
      if (txn.then.size() == kMostInOneTxn) break;
      txn.when.push_back({ports::Compare::What::ModRevision, key, revision});
      txn.then.push_back({key, std::nullopt, 0});
    }
    return write(txn);
  }
  // Whoever holds it writes it: the agent that acts for the cluster may be the one that has an old file.
  if (!view.is_in_force()) {
    if (!a_majority_holds(view, view.followed->digest)) return false;
    const model::InForce next{view.followed->digest, records.in_force.counter + 1, 0};
    ports::Txn txn;
    // One of another cluster is void, and is written over; 0: there must be none.
    txn.when = {{ports::Compare::What::ModRevision, std::string(model::kInForceKey), records.in_force.mod_revision}};
    txn.then = {{std::string(model::kInForceKey), model::in_force_value(cluster, next), 0}};
    return write(txn);
  }
  if (actor_of(view.desired, view.observed, view.followers) != settings_.member) return false;
  const auto formed = remembered().formed;
  if (!records.formed && formed && formed->cluster == cluster) {
    ports::Txn txn;
    txn.then = {{std::string(model::kFormedKey), model::formed_value(cluster, *formed), 0}};
    return write(txn);
  }
  if (const auto grown = with_newcomers(view)) {
    ports::Txn txn;
    txn.when = {{ports::Compare::What::ModRevision, std::string(model::kInForceKey), records.in_force.mod_revision}};
    txn.then = {{std::string(model::kAppliedKey), model::applied_value(cluster, *grown), 0}};
    return write(txn);
  }
  if (const ports::Txn txn = tidying(view); !txn.then.empty()) {
    // Nothing that is planned depends on it: no reason to look again first.
    if (auto tidied = write(txn); !tidied) return tidied;
  }
  return false;
}

base::Result<bool> Agent::record_applied(const AgentView& view) {
  if (!view.agents.records || actor_of(view.desired, view.observed, view.followers) != settings_.member) return false;
  const model::Records& records = *view.agents.records;
  model::Applied applied;
  applied.digest = view.followed->digest;
  applied.cluster = view.observed.membership->cluster;
  applied.protect = view.desired.protect;
  for (const model::Member& member : view.desired.members) {
    if (!member.retire && member.managed) applied.members.push_back(member.name);
  }
  // Whoever is still to leave is forgotten when it has left.
  for (const model::ObservedMember& each : view.observed.membership->members) {
    const std::string& name = each.listed.name;
    const bool was = records.applied && base::contains(records.applied->members, name);
    if (was && leaves(view.desired, name)) applied.members.push_back(name);
  }
  if (records.applied && *records.applied == applied) return false;
  ports::Txn txn;
  txn.when = {{ports::Compare::What::ModRevision, std::string(model::kInForceKey), records.in_force.mod_revision}};
  txn.then = {{std::string(model::kAppliedKey), model::applied_value(applied.cluster, applied), 0}};
  const auto answer = ports_.etcd.transact(view.serving, txn, settings_.within);
  if (!answer) return tl::unexpected(answer.error());
  return answer->done;
}

}  // namespace quorate::loop
