// A client of etcd on one machine: what is out of reach, refused, slow, lost or late.
#include <algorithm>

#include "reconciler/model/records.h"
#include "tests/sim/twins.h"

namespace quorate::sim {
namespace {

using base::MemberId;
using base::Result;
using etcd_grpc::Call;
using etcd_grpc::Code;

constexpr Duration kNoticed{40000};

tl::unexpected<base::Error> too_late(const Call& call) {
  return tl::unexpected(etcd_grpc::explain(call, Code::DeadlineExceeded, "Deadline Exceeded"));
}

}  // namespace

// A connection that is dead is noticed long before the deadline of what takes hours.
template <class T, class Effect>
Result<T> EtcdTwin::ask(const Call& asked, const Effect& effect) {
  World& world = life_.world;
  Call call = asked;
  call.within = std::min(asked.within, kNoticed);
  life_.call();
  if (AgentLife::is_dying()) return too_late(call);
  Machine* at = world.machine_at(call.endpoint);
  if (at == nullptr || !at->up || !world.reaches(life_.machine, *at)) {
    const bool was_sent = world.noise.chance(300);
    life_.sleep(call.within);
    if (was_sent) return too_late(call);
    return tl::unexpected(etcd_grpc::connects_too_slowly(call));
  }
  if (!at->etcd) {
    life_.sleep(Duration{1});
    return tl::unexpected(etcd_grpc::not_connected(call, "Connection refused"));
  }
  const std::int64_t pid = at->etcd->pid;
  const auto there = [&world, at, pid] {
    return at->up && at->etcd && at->etcd->pid == pid && at->etcd->booted && at->etcd->ready;
  };
  if (!there() || (world.faults && world.noise.chance(3))) {
    life_.sleep(call.within);
    return too_late(call);
  }
  Duration latency = world.noise.between(1, 6);
  if (world.faults && world.noise.chance(15)) latency = world.noise.between(50, 900);
  if (at->slow && call.changes) latency += world.noise.between(100, 1500);
  // What was asked for happens seconds after nobody waits for it any more.
  if (world.faults && call.changes && world.noise.chance(12)) {
    ++world.effects_to_come;
    world.after(call.within + world.noise.between(0, 5000), [&world, there, at, effect] {
      --world.effects_to_come;
      if (there()) (void)effect(*at);
    });
    life_.sleep(call.within);
    return too_late(call);
  }
  life_.sleep(latency / 2);
  if (!there() || !world.reaches(life_.machine, *at)) {
    life_.sleep(call.within);
    return too_late(call);
  }
  auto answer = effect(*at);
  if (!answer || latency > call.within || (world.faults && world.noise.chance(8))) {
    life_.sleep(call.within);
    return too_late(call);
  }
  life_.call();
  life_.sleep(latency - latency / 2);
  return *std::move(answer);
}

// Whoever changes the members holds the lock when he begins. One that has hung since he looked cannot know that he lost
// it: what he has announced makes that harmless.
void EtcdTwin::needs_lock(const Call& call) {
  Machine* at = life_.world.machine_at(call.endpoint);
  if (at == nullptr || life_.world.etcd().cluster_of(*at) == nullptr) return;
  if (life_.world.etcd().lock_is_held_by(*at, life_.member()) || life_.has_just_woken()) return;
  life_.world.violate(life_.member() + " is " + call.doing + " without the lock");
}

Result<ports::MemberList> EtcdTwin::member_list(const std::string& endpoint, ports::Consistency consistency,
                                                Duration within) {
  const Call call{endpoint, "listing the members", false, within};
  const bool linearizable = consistency == ports::Consistency::Linearizable;
  return ask<ports::MemberList>(
      call, [this, call, linearizable](Machine& at) { return life_.world.etcd().member_list(at, call, linearizable); });
}

Result<ports::StatusAnswer> EtcdTwin::status(const std::string& endpoint, Duration within) {
  const Call call{endpoint, "asking for the status", false, within};
  auto answer =
      ask<ports::StatusAnswer>(call, [this, call](Machine& at) { return life_.world.etcd().status(at, call); });
  if (life_.world.has(Bug::PromotesAtOnce) && answer && answer->learner) {
    answer->status.raft_index = answer->status.raft_applied = life_.world.etcd().committed(answer->from.cluster);
  }
  return answer;
}

Result<std::vector<model::Alarm>> EtcdTwin::alarms(const std::string& endpoint, Duration within) {
  const Call call{endpoint, "asking for alarms", false, within};
  const auto alive = ask<bool>(call, [this, call](Machine& at) { return life_.world.etcd().alive(at, call); });
  return alive.map([](bool) { return std::vector<model::Alarm>{}; });
}

// There is one log for each cluster, so whoever has come so far has the same keys.
Result<ports::Hash> EtcdTwin::hash_kv(const std::string& endpoint, std::int64_t revision, Duration within) {
  const Call call{endpoint, "hashing the keys", false, within};
  const auto status =
      ask<ports::StatusAnswer>(call, [this, call](Machine& at) { return life_.world.etcd().status(at, call); });
  if (!status) return tl::unexpected(status.error());
  ports::Hash hash;
  hash.hash = static_cast<std::uint32_t>(status->from.cluster.value + static_cast<std::uint64_t>(revision));
  return hash;
}

Result<std::optional<ports::KeyValue>> EtcdTwin::get(const std::string& endpoint, std::string_view key,
                                                     ports::Consistency /*consistency*/, Duration within) {
  const Call call{endpoint, "reading a key", false, within};
  const std::string start(key);
  const auto found = ask<std::vector<ports::KeyValue>>(
      call, [this, call, start](Machine& at) { return life_.world.etcd().range(at, call, start, false); });
  if (!found) return tl::unexpected(found.error());
  return found->empty() ? std::optional<ports::KeyValue>{} : found->front();
}

Result<std::int64_t> EtcdTwin::put(const std::string& endpoint, std::string_view key, std::string_view value,
                                   Duration within) {
  ports::Txn txn;
  txn.then = {{std::string(key), std::string(value), 0}};
  return transact(endpoint, txn, within).map([](const ports::TxnAnswer& answer) { return answer.revision; });
}

Result<std::vector<ports::KeyValue>> EtcdTwin::get_all(const std::string& endpoint, std::string_view prefix,
                                                       ports::Consistency /*consistency*/, Duration within) {
  const Call call{endpoint, "reading keys", false, within};
  const std::string start(prefix);
  auto found = ask<std::vector<ports::KeyValue>>(
      call, [this, call, start](Machine& at) { return life_.world.etcd().range(at, call, start, true); });
  if (!found || !life_.world.has(Bug::EveryFileInForce)) return found;
  for (ports::KeyValue& each : *found) {
    const std::size_t key = each.key == model::kInForceKey ? each.value.find("\"digest\"") : std::string::npos;
    if (key == std::string::npos) continue;
    const std::size_t begin = each.value.find('"', key + 8) + 1;
    each.value.replace(begin, each.value.find('"', begin) - begin, life_.machine.text->digest);
  }
  return found;
}

Result<ports::TxnAnswer> EtcdTwin::transact(const std::string& endpoint, const ports::Txn& txn, Duration within) {
  const Call call{endpoint, "a transaction", true, within};
  return ask<ports::TxnAnswer>(call,
                               [this, call, txn](Machine& at) { return life_.world.etcd().transact(at, call, txn); });
}

Result<std::int64_t> EtcdTwin::grant_lease(const std::string& endpoint, Duration ttl, Duration within) {
  const Call call{endpoint, "granting a lease", true, within};
  return ask<std::int64_t>(call, [this, call, ttl](Machine& at) { return life_.world.etcd().grant(at, call, ttl); });
}

Result<void> EtcdTwin::keep_lease_alive(const std::string& endpoint, std::int64_t lease, Duration within) {
  const Call call{endpoint, "keeping a lease alive", true, within};
  return ask<bool>(call, [this, call, lease](Machine& at) { return life_.world.etcd().keep_alive(at, call, lease); })
      .map([](bool) {});
}

// At the end of work beside the passes, from a destructor: the agent cannot end in the middle of it.
Result<void> EtcdTwin::revoke_at_once(const Call& call, std::int64_t lease) {
  Machine* at = life_.world.machine_at(call.endpoint);
  const bool arrives = !AgentLife::is_dying() && at != nullptr && at->up && at->etcd && at->etcd->booted &&
                       at->etcd->ready && life_.world.reaches(life_.machine, *at);
  if (!arrives || !life_.world.etcd().revoke(*at, call, lease)) return too_late(call);
  return {};
}

Result<void> EtcdTwin::revoke_lease(const std::string& endpoint, std::int64_t lease, Duration within) {
  const Call call{endpoint, "revoking a lease", true, within};
  if (life_.is_beside()) return revoke_at_once(call, lease);
  return ask<bool>(call, [this, call, lease](Machine& at) { return life_.world.etcd().revoke(at, call, lease); })
      .map([](bool) {});
}

Result<ports::Added> EtcdTwin::add_learner(const std::string& endpoint, const std::vector<std::string>& peer_urls,
                                           Duration within) {
  const Call call{endpoint, "adding a learner", true, within};
  needs_lock(call);
  return ask<ports::Added>(
      call, [this, call, peer_urls](Machine& at) { return life_.world.etcd().add(at, call, peer_urls); });
}

Result<void> EtcdTwin::promote(const std::string& endpoint, MemberId member, Duration within) {
  const Call call{endpoint, "promoting " + base::to_string(member), true, within};
  needs_lock(call);
  life_.world.etcd().check_promotion(member);
  return ask<bool>(call, [this, call, member](Machine& at) { return life_.world.etcd().promote(at, call, member); })
      .map([](bool) {});
}

Result<void> EtcdTwin::remove(const std::string& endpoint, MemberId member, Duration within) {
  const Call call{endpoint, "removing " + base::to_string(member), true, within};
  needs_lock(call);
  return ask<bool>(call, [this, call, member](Machine& at) { return life_.world.etcd().remove(at, call, member); })
      .map([](bool) {});
}

Result<void> EtcdTwin::update_peer_urls(const std::string& endpoint, MemberId member,
                                        const std::vector<std::string>& peer_urls, Duration within) {
  const Call call{endpoint, "changing the peer URLs of " + base::to_string(member), true, within};
  needs_lock(call);
  return ask<bool>(call, [this, call, member,
                          peer_urls](Machine& at) { return life_.world.etcd().update(at, call, member, peer_urls); })
      .map([](bool) {});
}

Result<void> EtcdTwin::move_leader(const std::string& endpoint, MemberId to, Duration within) {
  const Call call{endpoint, "moving leadership to " + base::to_string(to), true, within};
  needs_lock(call);
  const auto& journal = life_.machine.journal;  // no transaction of etcd compares the file
  const auto begun = std::find_if(journal.rbegin(), journal.rend(), [](const model::JournalEntry& each) {
    return each.event == model::JournalEvent::Intent && each.step.starts_with("move-leader/");
  });
  if (begun != journal.rend()) life_.world.etcd().check_file(life_.machine, *begun);
  return ask<bool>(call, [this, call, to](Machine& at) { return life_.world.etcd().move_leader(at, call, to); })
      .map([](bool) {});
}

// No alarm is ever raised here, so nobody asks for these.
Result<void> EtcdTwin::compact(const std::string& endpoint, std::int64_t /*revision*/, Duration within) {
  return too_late({endpoint, "compacting", true, within});
}
Result<void> EtcdTwin::defragment(const std::string& endpoint, Duration within) {
  return too_late({endpoint, "defragmenting", true, within});
}
Result<void> EtcdTwin::disarm(const std::string& endpoint, model::Alarm /*alarm*/, Duration within) {
  return too_late({endpoint, "disarming an alarm", true, within});
}
Result<ports::Answered> EtcdTwin::snapshot(const std::string& endpoint, const Sink& sink, Duration within) {
  const Call call{endpoint, "taking a snapshot", false, within};
  const auto sent = ask<Snapshot>(call, [this](Machine& at) { return life_.world.etcd().snapshot(at); });
  if (!sent) return tl::unexpected(sent.error());
  life_.sleep(life_.world.noise.between(10, 1500));
  if (!sink(sent->bytes)) return too_late(call);
  return sent->from;
}

}  // namespace quorate::sim
