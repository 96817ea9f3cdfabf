// Open, take the lease, do it, look again.
#include "reconciler/loop/store_work.h"

#include <algorithm>
#include <utility>

#include "reconciler/backup/catalog.h"
#include "reconciler/backup/census.h"
#include "reconciler/backup/create.h"
#include "reconciler/backup/test_restore.h"
#include "reconciler/backup/upkeep.h"
#include "reconciler/model/backup_keep.h"
#include "reconciler/model/observed_json.h"
#include "reconciler/model/standing.h"
#include "reconciler/model/standing_json.h"
#include "reconciler/observe/agents.h"

namespace quorate::loop {
namespace {

using backup::Failure;
using backup::Outcome;
using backup::Trouble;

constexpr base::Duration kLongestSnapshot = std::chrono::hours{6};
constexpr base::Duration kLongestTrial = std::chrono::minutes{30};
constexpr base::Duration kUnfinished = std::chrono::hours{24};  // until nobody can be at work on it any more
constexpr std::uint64_t kMostOfMarker = std::uint64_t{256} << 10;

tl::unexpected<Failure> lease_failed(base::Error error) {
  const bool busy = error.kind == base::ErrorKind::Conflict;
  return backup::failed(busy ? Trouble::Refused : Trouble::Etcd, std::move(error));
}

class Work {
 public:
  Work(const StorePorts& ports, const StoreOrder& order, ports::OpenedStore store, const std::atomic<bool>& stop,
       const backup::Progress& progress)
      : ports_(ports),
        order_(order),
        store_(std::move(store)),
        progress_(progress),
        stop_(stop),
        lease_(ports.etcd, ports.clock, stop, order.terms) {}

  StoreResult run() {
    StoreResult result;
    if (order_.action) {
      if (auto done = act(result); !done) result.failure = std::move(done.error());
    }
    if (stop_ && result.failure) return result;
    // Also after a failure: what is not known now is not known to anybody.
    auto contents = backup::read_catalog(*store_.objects, ports_.parallel);
    if (!contents) {
      if (!result.failure) result.failure = std::move(contents.error());
      return result;
    }
    if (writes_ && !result.failure) remove_unfinished(*contents);
    result.seen = backup::census_of(*contents, order_.policy, owner());
    const bool known = order_.before && order_.before->newest == result.seen->newest &&
                       !model::is_ahead(order_.before->covers, ports_.clock.now());
    if (known) result.seen->covers = std::max(result.seen->covers, order_.before->covers);
    keep_verified(*contents, *result.seen);
    if (created_) keep_created(*result.seen);
    if (order_.publishes || result.did) publish(result);
    return result;
  }

 private:
  model::BackupOwner owner() const { return {order_.terms.cluster, ports_.clock.now(), order_.needed}; }

  // Who may not do that does everything else all the same.
  void remove_unfinished(const model::StoreContents& contents) {
    static_cast<void>(backup::remove_unfinished(*store_.objects, contents, ports_.clock.now() - kUnfinished,
                                                [this] { return lease_.still_ours(); }));
  }

  // Only now: what was read is a store, and not the place of a disk that is not mounted.
  void publish(StoreResult& result) {
    model::Observed observed = order_.observed;
    if (!result.failure) observed.backup_trouble.reset();
    observe::add_store(observed, {result.seen, observed.backup_trouble}, order_.policy.to);
    if (observed.last_backup) observed.backup_awaited.reset();
    if (auto ours = writes_ ? Outcome<void>{} : store_is_ours(); !ours) {
      result.unpublished = std::move(ours.error().error);
      return;
    }
    auto put = store_.objects->put(std::string(model::kPublished), model::to_json(observed), ports::Overwrite::Allowed);
    result.published = put.has_value();
    if (!put) result.unpublished = std::move(put.error());
  }

  // A result is not always written down beside its backup: a test restore that stands there says more.
  void keep_verified(const model::StoreContents& contents, model::BackupsSeen& seen) const {
    model::BackupsSeen known = order_.before.value_or(model::BackupsSeen{});
    const bool weaker =
        order_.policy.verify_how == model::VerifiedHow::Restore && known.verified_how != model::VerifiedHow::Restore;
    if (weaker) known.verified.reset();
    if (verified_) {
      known.verified = verified_;
      known.verified_name = std::get<model::Verify>(*order_.action).backup;
      known.verified_how = order_.policy.verify_how;
    }
    if (!known.verified || model::is_ahead(*known.verified, ports_.clock.now())) return;
    if (seen.verified && *seen.verified >= *known.verified) return;
    const bool is_there =
        std::any_of(contents.backups.begin(), contents.backups.end(),
                    [&](const model::StoredBackup& each) { return each.name == known.verified_name; });
    if (!is_there) return;
    seen.verified = known.verified;
    seen.verified_name = known.verified_name;
    seen.verified_how = known.verified_how;
  }

  // A listing that comes a moment too early must not make the next backup due at once.
  void keep_created(model::BackupsSeen& seen) const {
    if (seen.newest.empty()) {
      seen.count = std::max(seen.count, 1);
      seen.newest = created_->name;
      seen.revision = created_->facts.revision;
      seen.size = created_->facts.object_size;
      seen.taken = seen.oldest = created_->facts.at;
    }
    seen.covers = std::max(seen.covers, created_->facts.at);
  }

  Outcome<void> act(StoreResult& result) {
    if (auto taken = lease_.take(); !taken) return lease_failed(std::move(taken.error()));
    if (const auto* verify = std::get_if<model::Verify>(&*order_.action)) return check(verify->backup, result);
    if (auto ours = store_is_ours(); !ours) return ours;
    writes_ = true;
    return std::holds_alternative<model::Prune>(*order_.action) ? prune(result) : create(result);
  }

  // An agent of a cluster that another one has taken the place of may wake up late, and see nothing of it but this.
  Outcome<void> store_is_ours() {
    const auto text = store_.objects->get(model::kClusterObject, kMostOfMarker);
    // An empty folder that is no store yet says so in its own words when it is written to.
    if (!text && !order_.before && text.error().kind == base::ErrorKind::Invalid) return {};
    if (!text) return backup::failed(Trouble::Store, text.error());
    if (!*text) return {};
    const auto recorded = model::read_recorded_voters(**text, model::kClusterObject);
    if (!recorded) return {};  // what makes no sense is written anew
    const model::Voters& there = recorded->voters;
    const auto& formed = order_.observed.formed;
    const std::int64_t generation = order_.voters ? order_.voters->voters.generation : formed ? formed->generation : 1;
    const bool is_before_us = formed && model::has_replaced(*formed, there.cluster);
    if (there.cluster == order_.terms.cluster || there.generation < generation || is_before_us) return {};
    return backup::failed(
        Trouble::Refused,
        {base::ErrorKind::Refused,
         "the store is that of cluster " + base::to_string(there.cluster) + ", generation " +
             std::to_string(there.generation) + ", as it says in " + model::kClusterObject,
         "name another store; or, when that cluster is gone for good, raise generation in the desired file"});
  }

  Outcome<void> create(StoreResult& result) {
    backup::CreateOrder order;
    order.endpoints = order_.terms.endpoints;
    order.packing = order_.policy.packing;
    order.key = store_.key;
    order.why = order_.why;
    order.by = order_.by;
    order.within = order_.terms.within;
    order.snapshot_within = kLongestSnapshot;
    order.progress = progress_;
    order.may_be_first = !order_.before;  // what was a store once, and is an empty folder now, is not mounted
    order.may_go_on = [this] { return lease_.still_ours(); };
    const base::Time asked = ports_.clock.now();
    auto created = backup::create(
        {ports_.etcd, *store_.objects, ports_.parallel, ports_.clock, ports_.entropy, ports_.stores.workers()}, order);
    if (!created) return tl::unexpected(std::move(created.error()));
    result.did = !created->skipped;
    result.text = created->name;
    if (created->skipped) created->facts.at = asked;
    created_ = *std::move(created);
    return record_voters();
  }

  // For nodes that may have to bring the cluster back and remember nothing.
  Outcome<void> record_voters() {
    if (!order_.voters) return {};
    if (auto ours = lease_.still_ours(); !ours) return backup::failed(Trouble::Refused, std::move(ours.error()));
    auto put = store_.objects->put(model::kClusterObject, model::to_json(*order_.voters), ports::Overwrite::Allowed);
    if (!put) return backup::failed(Trouble::Store, std::move(put.error()));
    return {};
  }

  Outcome<void> check(const std::string& name, StoreResult& result) {
    const auto contents = backup::read_catalog(*store_.objects, ports_.parallel);
    if (!contents) return tl::unexpected(contents.error());
    const auto found = backup::find_backup(*contents, name, store_.objects->address());
    if (!found) return tl::unexpected(found.error());
    const codec::SealKey* key = store_.key ? &*store_.key : nullptr;
    const bool tries = order_.policy.verify_how == model::VerifiedHow::Restore;
    const auto verified = tries ? try_out(*found, key)
                                : backup::verify(*store_.objects, ports_.clock, *found, key, progress_,
                                                 [this] { return lease_.still_ours(); });
    if (!verified) return tl::unexpected(verified.error());
    const std::string bad = (tries ? " cannot be relied on: " : " is not whole: ") + verified->result.why;
    if (!verified->result.fine && !verified->recorded) {  // else it would be read again and again
      return backup::failed(Trouble::BadBackup, {base::ErrorKind::Invalid, name + bad, ""});
    }
    if (verified->result.fine) verified_ = verified->result.at;
    result.did = true;
    result.bad = !verified->result.fine;
    result.text = name + (!verified->result.fine ? bad : tries ? " was restored aside and is whole" : " is whole");
    return {};
  }

  // Nothing else is done instead where it cannot be: what was asked for is a restore.
  Outcome<backup::Verified> try_out(const model::StoredBackup& found, const codec::SealKey* key) {
    if (ports_.restorer == nullptr) {
      return backup::failed(Trouble::Local, {base::ErrorKind::Refused, "nothing can be restored on this node", ""});
    }
    if (auto ready = ports_.restorer->ready(kLongestTrial); !ready) {
      return backup::failed(Trouble::Local, std::move(ready.error()));
    }
    const std::uint64_t size = found.facts ? found.facts->snapshot_size : found.size;
    const auto place = ports_.stores.trial_place(order_.etcd, size);
    if (!place) return backup::failed(Trouble::Local, place.error());
    backup::TestRestoreOrder order{(*place)->snapshot(), (*place)->trial(), key, kLongestTrial, progress_};
    order.trial.ends = [this] { return stop_.load(); };
    // Nobody asks etcd while a backup is tried out, and that may take longer than the lease.
    order.may_go_on = [this] { return lease_.ours_again(); };
    return backup::test_restore({*store_.objects, *ports_.restorer, ports_.clock}, found, order);
  }

  Outcome<void> prune(StoreResult& result) {
    const auto contents = backup::read_catalog(*store_.objects, ports_.parallel);
    if (!contents) return tl::unexpected(contents.error());
    const auto fates = model::fates(contents->backups, order_.policy.keep, owner());
    std::optional<Failure> first;
    for (std::size_t at = 0; at < fates.size(); ++at) {
      if (!fates[at].removed) continue;
      if (auto ours = lease_.still_ours(); !ours) return backup::failed(Trouble::Refused, std::move(ours.error()));
      auto removed = backup::remove(*store_.objects, contents->backups[at]);
      if (removed) {
        result.text += (result.text.empty() ? "" : ", ") + contents->backups[at].name;
        result.did = true;
      } else if (removed.error().trouble == Trouble::Store) {
        return removed;  // the next one would not fare better
      } else if (!first) {
        first = std::move(removed.error());
      }
    }
    if (first) return tl::unexpected(*std::move(first));
    return {};
  }

  const StorePorts& ports_;
  const StoreOrder& order_;
  ports::OpenedStore store_;
  const backup::Progress& progress_;
  const std::atomic<bool>& stop_;
  StoreLease lease_;
  bool writes_ = false;                     // it may: the lease is ours, and so is the store
  std::optional<backup::Created> created_;  // where it was skipped, `at` is when nothing had changed
  std::optional<base::Time> verified_;      // the one that was to be verified
};

}  // namespace

StoreResult work_on_store(const StorePorts& ports, const StoreOrder& order, const std::atomic<bool>& stop,
                          const backup::Progress& progress) {
  auto opened = ports.stores.open(order.policy);
  if (opened) return Work(ports, order, *std::move(opened), stop, progress).run();
  StoreResult result;
  result.failure = Failure{Trouble::Store, std::move(opened.error())};
  return result;
}

}  // namespace quorate::loop
