// A lease, a transaction that takes the key when nobody has it, and the same key compared in every later one.
#include "reconciler/apply/lock.h"

#include "reconciler/model/records.h"

namespace quorate::apply {
namespace {

std::string holder(ports::EtcdAdmin& etcd, const std::string& endpoint, base::ClusterId cluster,
                   base::Duration within) {
  const auto there = etcd.get(endpoint, model::kLockKey, ports::Consistency::Linearizable, within);
  if (!there || !*there) return "another agent";
  const auto records = model::read_records({{std::string(model::kLockKey), (*there)->value, 0}}, cluster);
  return records.lock_owner.empty() ? "another agent" : records.lock_owner;
}

}  // namespace

base::Duration long_lease_ttl(base::Duration stop_timeout) {
  return stop_timeout + base::Duration{45000};
}

base::Result<Fence> take_lock(ports::EtcdAdmin& etcd, const std::string& endpoint, base::ClusterId cluster,
                              const std::string& owner, base::Duration within, base::Duration ttl) {
  const auto lease = etcd.grant_lease(endpoint, ttl, within);
  if (!lease) return tl::unexpected(lease.error());
  ports::Txn txn;
  txn.when = {{ports::Compare::What::CreateRevision, std::string(model::kLockKey), 0}};
  txn.then = {{std::string(model::kLockKey), model::note_value(cluster, owner), *lease}};
  const auto answer = etcd.transact(endpoint, txn, within);
  Fence fence;
  fence.endpoint = endpoint;
  fence.lease = *lease;
  if (answer && answer->done) {
    fence.create_revision = answer->revision;
    return fence;
  }
  (void)release_lock(etcd, fence, within);
  if (!answer) return tl::unexpected(answer.error());
  return tl::unexpected(base::Error{base::ErrorKind::Conflict,
                                    holder(etcd, endpoint, cluster, within) + " holds the lock of the cluster",
                                    "wait until it is done; a lock ends by itself"});
}

base::Result<void> release_lock(ports::EtcdAdmin& etcd, const Fence& fence, base::Duration within) {
  return etcd.revoke_lease(fence.endpoint, fence.lease, within);
}

base::Result<void> write_fenced(ports::EtcdAdmin& etcd, const Fence& fence, std::vector<ports::Write> writes,
                                base::Duration within) {
  ports::Txn txn;
  if (fence.create_revision != 0) {
    txn.when.push_back({ports::Compare::What::CreateRevision, std::string(model::kLockKey), fence.create_revision});
  }
  if (!fence.in_force_key.empty()) {
    txn.when.push_back({ports::Compare::What::ModRevision, fence.in_force_key, fence.in_force_revision});
  }
  txn.then = std::move(writes);
  const auto answer = etcd.transact(fence.endpoint, txn, within);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->done) return {};
  return tl::unexpected(
      base::Error{base::ErrorKind::Conflict, "the lock was lost, or another file came into force", "plan again"});
}

}  // namespace quorate::apply
