// What the twin of etcd keeps: keys, the writes they came from, and leases that keys hang on.
#include <algorithm>
#include <chrono>
#include <set>

#include "tests/fakes/fake_etcd.h"

namespace quorate::fakes {
namespace {

using base::Duration;
using base::Result;
using etcd_grpc::Call;
using etcd_grpc::Code;
using ports::Consistency;

constexpr std::int64_t kOverhead = 64;        // of a key in the database
constexpr std::int64_t kLeaseSize = 64;       // and of a lease
constexpr Duration kShortestLease{2000};      // with etcd's own election timeout
constexpr std::size_t kMostOperations = 128;  // of a transaction

constexpr const char* kNoKey = "etcdserver: key is not provided";

std::int64_t size_of(const ports::Write& write) {
  return static_cast<std::int64_t>(write.key.size() + write.value.value_or("").size()) + kOverhead;
}

}  // namespace

std::int64_t FakeEtcd::size_in_use() const {
  std::map<std::string, std::int64_t> latest;
  std::int64_t old = 0;
  for (const Written& each : writes_) {
    std::int64_t& before = latest[each.write.key];
    if (each.revision > compacted_) old += before;
    before = each.write.value || each.revision > compacted_ ? size_of(each.write) : 0;
  }
  for (const auto& [key, size] : latest) old += size;
  return old;
}

std::optional<tl::unexpected<base::Error>> FakeEtcd::refuse_write(const Call& call, const Process& process,
                                                                  std::int64_t size) {
  if (size > 0 && process.db_size + size > quota_) alarms_.insert({process.id, model::AlarmKind::NoSpace});
  for (const model::Alarm& alarm : alarms_) {
    if (alarm.kind == model::AlarmKind::Corrupt) return refuse(call, Code::DataLoss, "etcdserver: corrupt cluster");
    if (size > 0) return refuse(call, Code::ResourceExhausted, "etcdserver: mvcc: database space exceeded");
  }
  return std::nullopt;
}

void FakeEtcd::write_all(const std::vector<ports::Write>& writes) {
  const std::int64_t revision = revision_ + 1;
  for (const ports::Write& write : writes) {
    const auto before = keys_.find(write.key);
    if (!write.value && before == keys_.end()) continue;
    revision_ = revision;
    writes_.push_back({revision, write});
    for (Process& each : processes_) each.db_size += size_of(write);
    if (!write.value) {
      keys_.erase(before);
      continue;
    }
    const std::int64_t created = before == keys_.end() ? revision : before->second.create_revision;
    keys_[write.key] = {write.key, *write.value, revision, created, write.lease};
  }
}

void FakeEtcd::end_lease(std::int64_t lease) {
  std::vector<ports::Write> deletions;
  for (const auto& [key, value] : keys_) {
    if (value.lease == lease) deletions.push_back({key, std::nullopt, 0});
  }
  append();
  write_all(deletions);
  leases_.erase(lease);
}

void FakeEtcd::expire() {
  if (leader_.value == 0 || leads_from_ > time()) return;
  for (const model::Alarm& alarm : alarms_) {
    if (alarm.kind == model::AlarmKind::Corrupt) return;
  }
  std::vector<std::int64_t> over;
  for (const auto& [id, lease] : leases_) {
    if (lease.ends <= time()) over.push_back(id);
  }
  for (const std::int64_t id : over) end_lease(id);
}

Result<std::optional<ports::KeyValue>> FakeEtcd::get(const std::string& endpoint, std::string_view key,
                                                     Consistency consistency, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "reading a key", false, within};
  const auto process = consistency == Consistency::Serializable ? reach(call, true) : reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  if (key.empty()) return refuse(call, Code::InvalidArgument, kNoKey);
  std::optional<ports::KeyValue> found;
  if (const auto it = keys_.find(key); it != keys_.end()) found = it->second;
  return answer(call, **process).map([&] { return found; });
}

Result<std::vector<ports::KeyValue>> FakeEtcd::get_all(const std::string& endpoint, std::string_view prefix,
                                                       Consistency consistency, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "reading keys", false, within};
  const auto process = consistency == Consistency::Serializable ? reach(call, true) : reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  if (prefix.empty()) return refuse(call, Code::InvalidArgument, kNoKey);
  std::vector<ports::KeyValue> found;
  for (auto it = keys_.lower_bound(prefix); it != keys_.end() && it->first.rfind(prefix, 0) == 0; ++it) {
    found.push_back(it->second);
  }
  return answer(call, **process).map([&] { return found; });
}

Result<bool> FakeEtcd::changed_since(const std::string& endpoint, std::int64_t revision, std::string_view except,
                                     Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "reading keys", false, within};
  const auto process = reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  const bool gone = revision > revision_ || (revision < revision_ && revision < compacted_);
  const bool changed = gone || std::any_of(writes_.begin(), writes_.end(), [&](const Written& each) {
                         return each.revision > revision && each.write.key.rfind(except, 0) != 0;
                       });
  return answer(call, **process).map([&] { return changed; });
}

Result<std::int64_t> FakeEtcd::count(const std::string& endpoint, std::int64_t revision, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "counting the keys", false, within};
  const auto process = reach(call, false);
  if (!process) return tl::unexpected(process.error());
  const std::int64_t wanted = revision == 0 ? revision_ : revision;
  if (wanted > revision_) {
    return refuse(call, Code::OutOfRange, "etcdserver: mvcc: required revision is a future revision");
  }
  if (wanted < compacted_) {
    return refuse(call, Code::OutOfRange, "etcdserver: mvcc: required revision has been compacted");
  }
  std::set<std::string> there;
  for (const Written& each : writes_) {
    if (each.revision > wanted) continue;
    if (each.write.value) {
      there.insert(each.write.key);
    } else {
      there.erase(each.write.key);
    }
  }
  return answer(call, **process).map([&] { return static_cast<std::int64_t>(there.size()); });
}

Result<std::int64_t> FakeEtcd::put(const std::string& endpoint, std::string_view key, std::string_view value,
                                   Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "writing a key", true, within};
  const auto process = reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  if (key.empty()) return refuse(call, Code::InvalidArgument, kNoKey);
  const ports::Write write{std::string(key), std::string(value), 0};
  if (auto no = refuse_write(call, **process, size_of(write))) return *no;
  append();
  write_all({write});
  return answer(call, **process).map([&] { return revision_; });
}

bool FakeEtcd::holds(const ports::Compare& compare) const {
  const auto found = keys_.find(compare.key);
  if (found == keys_.end()) return compare.equals == 0;
  return compare.equals == (compare.what == ports::Compare::What::CreateRevision ? found->second.create_revision
                                                                                 : found->second.mod_revision);
}

std::optional<tl::unexpected<base::Error>> FakeEtcd::refuse_txn(const Call& call, const ports::Txn& txn) const {
  if (txn.when.size() > kMostOperations || txn.then.size() > kMostOperations) {
    return refuse(call, Code::InvalidArgument, "etcdserver: too many operations in txn request");
  }
  std::set<std::string> put;
  for (const ports::Write& write : txn.then) {
    if (write.value && !put.insert(write.key).second) {
      return refuse(call, Code::InvalidArgument, "etcdserver: duplicate key given in txn request");
    }
  }
  bool nameless = std::any_of(txn.when.begin(), txn.when.end(), [](const auto& each) { return each.key.empty(); });
  for (const ports::Write& write : txn.then) {
    nameless = nameless || write.key.empty();
    if (!write.value && put.count(write.key) != 0) {
      return refuse(call, Code::InvalidArgument, "etcdserver: duplicate key given in txn request");
    }
  }
  if (nameless) return refuse(call, Code::InvalidArgument, kNoKey);
  return std::nullopt;
}

Result<ports::TxnAnswer> FakeEtcd::transact(const std::string& endpoint, const ports::Txn& txn, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "a transaction", true, within};
  const auto process = reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  if (auto no = refuse_txn(call, txn)) return *no;
  std::int64_t size = 0;
  for (const ports::Write& write : txn.then) size += write.value ? size_of(write) : 0;
  // As etcd: for lack of room also where the comparisons would not have held.
  if (auto no = refuse_write(call, **process, size)) return *no;
  const bool done = std::all_of(txn.when.begin(), txn.when.end(), [&](const auto& each) { return holds(each); });
  if (done) {
    for (const ports::Write& write : txn.then) {
      if (write.lease != 0 && leases_.count(write.lease) == 0) return refuse(call, Code::NotFound, etcd_grpc::kNoLease);
    }
    append();
    write_all(txn.then);
  }
  return answer(call, **process).map([&] { return ports::TxnAnswer{done, revision_}; });
}

Result<std::int64_t> FakeEtcd::grant_lease(const std::string& endpoint, Duration ttl, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "granting a lease", true, within};
  const auto process = reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  if (auto no = refuse_write(call, **process, kLeaseSize)) return *no;
  const Duration granted = std::max<Duration>(std::chrono::ceil<std::chrono::seconds>(ttl), kShortestLease);
  append();
  const std::int64_t id = ++next_lease_;
  leases_[id] = {granted, time() + granted};
  return answer(call, **process).map([&] { return id; });
}

Result<void> FakeEtcd::keep_lease_alive(const std::string& endpoint, std::int64_t lease, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "keeping lease " + etcd_grpc::lease_text(lease) + " alive", true, within};
  const auto process = reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  const auto found = leases_.find(lease);
  if (found == leases_.end()) return refuse(call, Code::NotFound, etcd_grpc::kNoLease);
  found->second.ends = time() + found->second.ttl;
  return answer(call, **process);
}

Result<void> FakeEtcd::revoke_lease(const std::string& endpoint, std::int64_t lease, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "revoking lease " + etcd_grpc::lease_text(lease), true, within};
  const auto process = reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  if (leases_.count(lease) != 0) {
    if (auto no = refuse_write(call, **process, 0)) return *no;
    end_lease(lease);
  }
  return answer(call, **process);
}

}  // namespace quorate::fakes
