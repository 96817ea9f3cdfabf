// What etcd answers, and what it refuses in whose words; the checks of what agents ask for stand beside the effects.
#include <algorithm>
#include <set>

#include "reconciler/model/etcd_release.h"
#include "reconciler/model/quorum.h"
#include "reconciler/model/records.h"
#include "tests/sim/sim_etcd.h"
#include "tests/sim/twins_store.h"

namespace quorate::sim {
namespace {

using etcd_grpc::Code;

constexpr const char* kUnhealthy = "etcdserver: unhealthy cluster";
constexpr const char* kNotStarted = "etcdserver: re-configuration failed due to not enough started members";
constexpr const char* kNotFound = "etcdserver: member not found";
constexpr const char* kUrlExists = "etcdserver: Peer URLs already exists";
// An agent cannot know what happened less than this ago.
constexpr Duration kNews{12000};
constexpr std::uint64_t kBoast = 1'000'000;  // in a planted bug

bool has_url(const Members& members, const std::vector<std::string>& urls, base::MemberId except) {
  return std::any_of(members.begin(), members.end(),
                     [&](const model::ListedMember& each) { return each.id != except && each.peer_urls == urls; });
}

std::int64_t learners_in(const Members& members) {
  return std::count_if(members.begin(), members.end(), [](const auto& each) { return each.learner; });
}

}  // namespace

Answer<Snapshot> Etcd::snapshot(Machine& at) {
  const MemberData& data = data_of(at);
  const std::uint64_t boast = world_.has(Bug::BackupsBoast) ? kBoast : 0;
  return Snapshot{header(at), snapshot_bytes(data, {reach(data).term, data.last + boast}, revision(data))};
}

ports::Answered Etcd::header(Machine& at) {
  const Cluster& cluster = clusters_.at(at.etcd->cluster);
  return {cluster.id, at.etcd->member, revision(data_of(at)), data_of(at).term};
}

Answer<ports::MemberList> Etcd::member_list(Machine& at, const Call& call, bool linearizable) {
  const Cluster& cluster = clusters_.at(at.etcd->cluster);
  const Members& own = cluster.members_at(data_of(at).last);
  const auto* self = member_in(own, at.etcd->member);
  if (self == nullptr || self->learner) {
    return refuse(call, Code::Unavailable, "etcdserver: rpc not supported for learner");
  }
  if (linearizable && !serves(at)) return std::nullopt;
  return ports::MemberList{header(at), linearizable ? cluster.members() : own};
}

Answer<ports::StatusAnswer> Etcd::status(Machine& at, const Call& /*call*/) {
  Cluster& cluster = clusters_.at(at.etcd->cluster);
  const MemberData& data = data_of(at);
  ports::StatusAnswer answer;
  answer.from = header(at);
  const auto* self = member_in(cluster.members_at(data.last), at.etcd->member);
  answer.learner = self == nullptr || self->learner;
  answer.status.version = kVersion;
  const Machine* leads = leader(cluster);
  if (leads != nullptr && world_.reaches(at, *leads)) answer.status.leader = cluster.leader;
  answer.status.raft_term = data.term;
  answer.status.raft_index = answer.status.raft_applied = data.last;
  answer.status.revision = revision(data);
  answer.status.db_size = answer.status.db_size_in_use = 20480;
  if (answer.status.leader.value == 0) answer.status.errors.emplace_back("etcdserver: no leader");
  return answer;
}

Answer<bool> Etcd::alive(Machine& at, const Call& call) {
  const Cluster& cluster = clusters_.at(at.etcd->cluster);
  const auto* self = member_in(cluster.members_at(data_of(at).last), at.etcd->member);
  if (self == nullptr || self->learner) {
    return refuse(call, Code::Unavailable, "etcdserver: rpc not supported for learner");
  }
  if (!serves(at)) return std::nullopt;
  return true;
}

Answer<std::vector<ports::KeyValue>> Etcd::range(Machine& at, const Call& call, const std::string& start, bool prefix) {
  const auto lives = alive(at, call);
  if (!lives) return std::nullopt;
  if (!*lives) return tl::unexpected(lives->error());
  const Cluster& cluster = clusters_.at(at.etcd->cluster);
  std::vector<ports::KeyValue> found;
  for (auto it = cluster.keys.lower_bound(start); it != cluster.keys.end(); ++it) {
    const bool fits = prefix ? it->first.compare(0, start.size(), start) == 0 : it->first == start;
    if (!fits) break;
    found.push_back(it->second);
  }
  return found;
}

std::int64_t Etcd::write_keys(Cluster& cluster, Machine& leader, const std::vector<ports::Write>& writes) {
  commit(cluster, leader);
  ++cluster.revision;
  cluster.acknowledged = cluster.committed;
  cluster.changes.push_back({cluster.committed, cluster.revision, writes});
  for (const ports::Write& write : writes) {
    if (!write.value) {
      cluster.keys.erase(write.key);
      continue;
    }
    const auto before = cluster.keys.find(write.key);
    if (write.key == model::kInForceKey) cluster.in_force_since = world_.now();
    if (before == cluster.keys.end()) {
      for (const model::ListedMember& each : cluster.members()) {
        if (write.key == model::condemned_key(each.id)) check_condemned(cluster, each.id);
      }
    }
    const std::int64_t created = before == cluster.keys.end() ? cluster.revision : before->second.create_revision;
    cluster.keys[write.key] = {write.key, *write.value, cluster.revision, created, write.lease};
  }
  return cluster.revision;
}

Answer<ports::TxnAnswer> Etcd::transact(Machine& at, const Call& call, const ports::Txn& txn) {
  if (!serves(at)) return std::nullopt;
  Cluster& cluster = clusters_.at(at.etcd->cluster);
  expire(cluster, *leader(cluster));
  const bool done = std::all_of(txn.when.begin(), txn.when.end(), [&](const ports::Compare& compare) {
    if (world_.has(Bug::LockAlwaysFree) && compare.key == model::kLockKey) return true;
    const auto found = cluster.keys.find(compare.key);
    if (found == cluster.keys.end()) return compare.equals == 0;
    return compare.equals == (compare.what == ports::Compare::What::CreateRevision ? found->second.create_revision
                                                                                   : found->second.mod_revision);
  });
  if (!done) return ports::TxnAnswer{false, cluster.revision};
  std::vector<ports::Write> writes;
  for (const ports::Write& write : txn.then) {
    if (write.lease != 0 && cluster.leases.count(write.lease) == 0)
      return refuse(call, Code::NotFound, etcd_grpc::kNoLease);
    const bool forgotten = world_.has(Bug::CondemnedIsForgotten) && write.key.find("/condemned/") != std::string::npos;
    if (!forgotten) writes.push_back(write);
  }
  return ports::TxnAnswer{true, write_keys(cluster, *leader(cluster), writes)};
}

void Etcd::end_lease(Cluster& cluster, Machine& leader, std::int64_t lease) {
  std::vector<ports::Write> deletions;
  for (const auto& [key, value] : cluster.keys) {
    if (value.lease == lease) deletions.push_back({key, std::nullopt, 0});
  }
  cluster.leases.erase(lease);
  write_keys(cluster, leader, deletions);
}

void Etcd::expire(Cluster& cluster, Machine& leader) {
  std::vector<std::int64_t> over;
  for (const auto& [id, lease] : cluster.leases) {
    if (lease.ends <= world_.now()) over.push_back(id);
  }
  for (const std::int64_t id : over) end_lease(cluster, leader, id);
}

Answer<std::int64_t> Etcd::grant(Machine& at, const Call& /*call*/, Duration ttl) {
  if (!serves(at)) return std::nullopt;
  Cluster& cluster = clusters_.at(at.etcd->cluster);
  commit(cluster, *leader(cluster));
  const std::int64_t id = ++cluster.next_lease;
  cluster.leases[id] = {ttl, world_.now() + ttl};
  return id;
}

Answer<bool> Etcd::keep_alive(Machine& at, const Call& call, std::int64_t lease) {
  if (!serves(at)) return std::nullopt;
  Cluster& cluster = clusters_.at(at.etcd->cluster);
  const auto found = cluster.leases.find(lease);
  if (found == cluster.leases.end()) return refuse(call, Code::NotFound, etcd_grpc::kNoLease);
  found->second.ends = world_.now() + found->second.ttl;
  return true;
}

Answer<bool> Etcd::revoke(Machine& at, const Call& /*call*/, std::int64_t lease) {
  if (!serves(at)) return std::nullopt;
  Cluster& cluster = clusters_.at(at.etcd->cluster);
  if (cluster.leases.count(lease) != 0) end_lease(cluster, *leader(cluster), lease);
  return true;
}

Answer<ports::Added> Etcd::add(Machine& at, const Call& call, const std::vector<std::string>& urls) {
  Cluster& cluster = clusters_.at(at.etcd->cluster);
  // This release wants all voters to have been connected for a while.
  if (connected_voters(cluster, at) < voters_in(cluster.members())) return refuse(call, Code::Unavailable, kUnhealthy);
  if (!serves(at)) return std::nullopt;
  if (has_url(cluster.members(), urls, {})) return refuse(call, Code::FailedPrecondition, kUrlExists);
  if (learners_in(cluster.members()) >= model::kMaxLearners) {
    return refuse(call, Code::FailedPrecondition, "etcdserver: too many learner members in cluster");
  }
  Members members = cluster.members();
  const std::string seed = urls.front() + " " + std::to_string(cluster.committed);
  const model::ListedMember added{{mix(0x1234567, seed) | 1U}, "", urls, {}, true};
  members.push_back(added);
  change(cluster, *leader(cluster), members);
  world_.trace("added " + urls.front());
  return ports::Added{added, cluster.members()};
}

Answer<bool> Etcd::promote(Machine& at, const Call& call, base::MemberId id) {
  if (!serves(at)) return std::nullopt;
  Cluster& cluster = clusters_.at(at.etcd->cluster);
  Members members = cluster.members();
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.id == id; });
  if (found == members.end()) return refuse(call, Code::NotFound, kNotFound);
  Machine* machine = machine_of(cluster.id, id);
  const bool in_sync = machine != nullptr && data_of(*machine).last * 10 >= cluster.committed * 9;
  if (!in_sync) {
    return refuse(call, Code::FailedPrecondition,
                  "etcdserver: can only promote a learner member which is in sync with leader");
  }
  if (!found->learner) {
    return refuse(call, Code::FailedPrecondition, "etcdserver: can only promote a learner member");
  }
  const auto file = machine->disk.files.find(machine->etcd->config);
  const auto boot = file == machine->disk.files.end() ? std::nullopt : read_boot(file->second.content);
  if (!boot || boot->state != "existing" || boot->initial.size() != 1) {
    world_.violate(machine->name + " becomes a voter, and its configuration would let it start from nothing");
  }
  found->learner = false;
  change(cluster, *leader(cluster), members);
  world_.trace("promoted " + machine->name);
  return true;
}

// What must hold when a removal takes effect, whoever asked for it.
void Etcd::check_removal(Cluster& cluster, Machine& leader, base::MemberId id) {
  const auto* victim = member_in(cluster.members(), id);
  if (victim->learner) return;
  const std::string key = model::condemned_key(id);
  const std::string name = victim->name.empty() ? base::to_string(id) : victim->name;
  if (cluster.keys.count(key) == 0) world_.violate(name + " is removed, and no record says that it was condemned");
  int up = 0;
  for (const model::ListedMember& member : cluster.members()) {
    if (member.learner || member.id == id) continue;
    const Machine* voter = machine_of(cluster.id, member.id);
    const Machine* disk = disk_of(cluster.id, member.id);
    const bool fresh_news = disk != nullptr && world_.now() - disk->etcd_down_since < kNews;
    if ((voter != nullptr && world_.reaches(leader, *voter)) || fresh_news) ++up;
  }
  const int voters = voters_in(cluster.members()) - 1;
  if (up < model::quorum(voters)) {
    world_.violate("removing " + name + " leaves " + std::to_string(up) + " of " + std::to_string(voters) +
                   " voters up");
  }
}

// What is condemned is removed, if only to know that it is: it has to be right when the record is written. A member
// whose data are in place and who has not been away for long, and that every file in the world wants.
void Etcd::check_condemned(const Cluster& cluster, base::MemberId id) {
  const auto* victim = member_in(cluster.members(), id);
  if (victim == nullptr || victim->learner) return;
  const Machine* home = disk_of(cluster.id, id);
  const Duration news = std::max(home == nullptr ? Duration{0} : home->back_at, world_.edited_at);
  if (home == nullptr || world_.now() - news < kNews) return;  // it was seen just before that
  const bool wanted = std::all_of(world_.machines.begin(), world_.machines.end(), [&](const Machine& each) {
    if (!each.text) return true;
    const auto& all = each.text->desired.members;
    return std::any_of(all.begin(), all.end(), [&](const auto& member) { return member.name == home->name; });
  });
  const Duration away = world_.now() - home->with_others_at;
  const Duration least = world_.machines.front().text->desired.reconcile.dead_after * 3 / 4;
  if (wanted && away < least) {
    world_.violate(home->name + " is condemned: its data are whole, every file wants it, and it was away for " +
                   base::to_string(away));
  }
}

Answer<bool> Etcd::remove(Machine& at, const Call& call, base::MemberId id) {
  Cluster& cluster = clusters_.at(at.etcd->cluster);
  const auto* member = member_in(cluster.members(), id);
  if (member == nullptr || !member->learner) {
    const int rest = voters_in(cluster.members()) - (member == nullptr ? 0 : 1);
    if (started_voters(cluster, id) < model::quorum(rest)) return refuse(call, Code::Unknown, kNotStarted);
    const bool victim_up = member != nullptr && machine_of(cluster.id, id) != nullptr;
    if (victim_up && connected_voters(cluster, at) - 1 < 1 + (voters_in(cluster.members()) - 1) / 2) {
      return refuse(call, Code::Unavailable, kUnhealthy);
    }
  }
  if (!serves(at)) return std::nullopt;
  if (member == nullptr) return refuse(call, Code::NotFound, kNotFound);
  check_removal(cluster, *leader(cluster), id);
  Members members;
  for (const model::ListedMember& each : cluster.members()) {
    if (each.id != id) members.push_back(each);
  }
  world_.trace("removed " + member->name);
  change(cluster, *leader(cluster), members);
  cluster.removed[id] = cluster.committed;
  return true;
}

Answer<bool> Etcd::update(Machine& at, const Call& call, base::MemberId id, const std::vector<std::string>& urls) {
  if (!serves(at)) return std::nullopt;
  Cluster& cluster = clusters_.at(at.etcd->cluster);
  Members members = cluster.members();
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.id == id; });
  if (found == members.end()) return refuse(call, Code::NotFound, kNotFound);
  if (has_url(members, urls, id)) return refuse(call, Code::FailedPrecondition, kUrlExists);
  found->peer_urls = urls;
  change(cluster, *leader(cluster), members);
  return true;
}

Answer<bool> Etcd::move_leader(Machine& at, const Call& call, base::MemberId to) {
  Cluster& cluster = clusters_.at(at.etcd->cluster);
  const Machine* leads = leader(cluster);
  if (leads != &at) return refuse(call, Code::FailedPrecondition, "etcdserver: not leader");
  const auto* member = member_in(cluster.members(), to);
  if (member == nullptr || member->learner) {
    return refuse(call, Code::FailedPrecondition, "etcdserver: bad leader transferee");
  }
  Machine* target = machine_of(cluster.id, to);
  if (target == nullptr || !world_.reaches(at, *target)) return std::nullopt;
  data_of(*target).last = cluster.committed;  // the transfer waits for that
  if (!electable(cluster, *target)) return std::nullopt;
  cluster.leader = to;
  ++cluster.term;
  for (auto& [id, lease] : cluster.leases) lease.ends = world_.now() + lease.ttl;
  commit(cluster, *target);
  world_.trace("moved leadership to " + target->name);
  return true;
}

bool Etcd::lock_is_held_by(Machine& at, const std::string& member) {
  const Cluster& cluster = clusters_.at(at.etcd->cluster);
  const auto lock = cluster.keys.find(model::kLockKey);
  return lock != cluster.keys.end() && lock->second.value.find("\"" + member + "\"") != std::string::npos;
}

}  // namespace quorate::sim
