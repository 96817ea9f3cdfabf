// Oldest first, so that what is newer overwrites.
#include "reconciler/backup/census.h"

#include "reconciler/model/backup_keep.h"

namespace quorate::backup {
namespace {

// Where test restores are asked for, a checksum is no verification.
bool proves_enough(const std::optional<model::BackupVerified>& verified, const model::BackupPolicy& policy,
                   base::Time now) {
  return verified && verified->fine && !model::is_ahead(verified->at, now) &&
         (verified->how == policy.verify_how || policy.verify_how == model::VerifiedHow::Checksum);
}

}  // namespace

model::BackupsSeen census_of(const model::StoreContents& contents, const model::BackupPolicy& policy,
                             const model::BackupOwner& owner) {
  model::BackupsSeen seen;
  seen.store = policy.to;
  for (const model::StoredBackup& each : contents.backups) {
    if (!each.facts || each.facts->cluster != owner.cluster || !each.object) continue;
    if (!each.problem.empty()) {
      if (each.size != each.facts->object_size) seen.damaged = each.name;
      continue;
    }
    ++seen.count;
    if (model::is_ahead(each.facts->at, owner.now)) {
      seen.ahead = each.name;
      continue;
    }
    if (seen.newest.empty()) seen.oldest = each.facts->at;
    if (proves_enough(each.verified, policy, owner.now) && (!seen.verified || *seen.verified <= each.verified->at)) {
      seen.verified = each.verified->at;
      seen.verified_name = each.name;
      seen.verified_how = each.verified->how;
      seen.damaged.clear();  // there is a newer one that is whole
    }
    if (each.verified && !each.verified->fine) {
      seen.damaged = each.name;
      continue;  // is no backup that anybody could rely on
    }
    seen.newest = each.name;
    seen.revision = each.facts->revision;
    seen.size = each.facts->object_size;
    seen.taken = each.facts->at;
    seen.covers = each.facts->at;
  }
  for (const model::Fate& fate : model::fates(contents.backups, policy.keep, owner)) {
    if (fate.removed) ++seen.removable;
  }
  return seen;
}

namespace {

model::Restorable restorable_of(const model::StoredBackup& backup) {
  model::Restorable seen;
  seen.name = backup.name;
  if (backup.parsed) seen.at = backup.parsed->at;
  if (backup.raw) seen.at = backup.raw->at.value_or(base::Time{});
  seen.raw = backup.raw.has_value();
  seen.revision = backup.revision().value_or(0);
  if (const auto& facts = backup.facts) {
    seen.at = facts->at;
    seen.cluster = facts->cluster;
    seen.term = facts->term;
    seen.index = facts->raft_index;
    seen.revision = facts->revision;
    seen.size = facts->snapshot_size;
    seen.sha256 = facts->object_sha256;
    seen.etcd_version = facts->etcd_version;
    seen.auth = facts->auth.value_or(false);
  }
  seen.verified = backup.verified && backup.verified->fine;
  seen.damage = backup.problem;
  if (backup.verified && !backup.verified->fine) seen.damage = backup.verified->why;
  return seen;
}

}  // namespace

std::vector<model::Restorable> restorable(const model::StoreContents& contents) {
  std::vector<model::Restorable> all;
  for (const model::StoredBackup& each : contents.backups) {
    if (each.object) all.push_back(restorable_of(each));
  }
  return all;
}

}  // namespace quorate::backup
