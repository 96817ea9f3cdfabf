// The spool is a store in a folder, so it is written and read like any other.
#include "reconciler/loop/spool_work.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "reconciler/backup/carry.h"
#include "reconciler/backup/catalog.h"
#include "reconciler/backup/create.h"
#include "reconciler/backup/upkeep.h"

namespace quorate::loop {
namespace {

using backup::Trouble;

// A member whose stream stalls leaves time for another one.
constexpr base::Duration kLongestStream = kLongestSnapshot / 2;

base::Result<void> ended() {
  return tl::unexpected(base::Error{base::ErrorKind::Conflict, "the agent ends", "the next one goes on"});
}

base::Result<ports::OpenedStore> open_folder(const StorePorts& ports, model::BackupPolicy policy,
                                             const std::string& folder) {
  policy.to = "file://" + folder;
  policy.s3 = {};
  return ports.stores.open(policy);
}

// What an agent that was killed has left behind. The disk may be the one that etcd writes to.
void clear(const StorePorts& ports, ports::ObjectStore& spool) {
  static_cast<void>(spool.sweep(ports.clock.now()));
  const auto contents = backup::read_catalog(spool, ports.parallel);
  if (!contents) return;  // it may be new
  for (const std::string& folder : contents->unfinished) {
    const auto files = spool.list(folder + "/");
    if (!files) continue;
    for (const ports::ObjectInfo& each : *files) static_cast<void>(spool.remove(each.name));
  }
}

// One that cannot be removed is there at the next attempt, too.
void keep_only(const StorePorts& ports, const SpoolOrder& order, ports::ObjectStore& spool, const std::string& name) {
  const auto contents = backup::read_catalog(spool, ports.parallel);
  if (!contents) return;
  for (const model::StoredBackup& each : contents->backups) {
    const bool same = each.facts && each.facts->cluster == order.terms.cluster;
    if (same && each.name != name && each.name != order.keep) static_cast<void>(backup::remove(spool, each));
  }
}

// An agent that was killed may have put another one in its place, and not remembered it.
auto newest_of(const model::StoreContents& contents, base::ClusterId cluster) {
  const auto last =
      std::find_if(contents.backups.rbegin(), contents.backups.rend(),
                   [&](const model::StoredBackup& each) { return each.facts && each.facts->cluster == cluster; });
  return last == contents.backups.rend() ? contents.backups.end() : std::prev(last.base());
}

}  // namespace

backup::Outcome<std::string> take_snapshot(const StorePorts& ports, const SpoolOrder& order,
                                           const std::atomic<bool>& stop) {
  if (auto ready = ports.stores.prepare_spool(order.policy, order.size); !ready) {
    return backup::failed(Trouble::Local, std::move(ready.error()));
  }
  const auto spool = open_folder(ports, order.policy, order.policy.spool);
  if (!spool) return backup::failed(Trouble::Local, spool.error());
  clear(ports, *spool->objects);
  const base::Duration until = ports.clock.elapsed() + kLongestSnapshot;
  backup::CreateOrder create;
  create.endpoints = order.terms.endpoints;
  create.packing = order.policy.packing;
  create.key = spool->key;
  create.why = order.why;
  create.by = order.by;
  create.within = order.terms.within;
  create.snapshot_within = kLongestStream;
  create.may_go_on = [&]() -> base::Result<void> {
    if (stop) return ended();
    if (ports.clock.elapsed() < until) return {};
    return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                      "the snapshot took longer than " + base::to_string(kLongestSnapshot), ""});
  };
  const auto created = backup::create(
      {ports.etcd, *spool->objects, ports.parallel, ports.clock, ports.entropy, ports.stores.workers()}, create);
  if (!created) return tl::unexpected(created.error());
  // Whoever has given up on us has forgotten nothing for us: nothing is removed.
  if (stop) return backup::failed(Trouble::Refused, ended().error());
  keep_only(ports, order, *spool->objects, created->name);
  return created->name;
}

backup::Outcome<void> bring_to_store(const StorePorts& ports, const SpoolOrder& order, const model::Spooled& spooled,
                                     const std::atomic<bool>& stop) {
  const auto spool = open_folder(ports, order.policy, spooled.folder);
  if (!spool) return backup::failed(Trouble::Local, spool.error());
  const auto store = ports.stores.open(order.policy);
  if (!store) return backup::failed(Trouble::Store, store.error());
  const auto contents = backup::read_catalog(*spool->objects, ports.parallel);
  if (!contents) return backup::failed(Trouble::Local, contents.error().error);
  auto found = std::find_if(contents->backups.begin(), contents->backups.end(),
                            [&](const model::StoredBackup& each) { return each.name == spooled.name; });
  if (found == contents->backups.end()) found = newest_of(*contents, order.terms.cluster);
  if (found == contents->backups.end()) {
    return backup::failed(Trouble::NoBackup,
                          {base::ErrorKind::Invalid, spooled.name + " is not in " + spooled.folder + " any more", ""});
  }
  StoreLease lease(ports.etcd, ports.clock, stop, order.terms);
  if (auto taken = lease.take(); !taken) {
    const bool busy = taken.error().kind == base::ErrorKind::Conflict;
    return backup::failed(busy ? Trouble::Refused : Trouble::Etcd, std::move(taken.error()));
  }
  const auto carried = backup::carry(*spool->objects, *found, *store->objects, [&] { return lease.still_ours(); });
  if (!carried) return tl::unexpected(carried.error());
  // One that was there already may be this very one, by way of a link. The next snapshot takes the place of the others.
  if (*carried) static_cast<void>(backup::remove(*spool->objects, *found));
  return {};
}

}  // namespace quorate::loop
