// Oldest first, so that what is newer overwrites.
#include "reconciler/backup/census.h"

#include "reconciler/model/backup_keep.h"

namespace quorate::backup {
namespace {

// Where test restores are asked for, a checksum is no verification.
bool proves_enough(const std::optional<model::BackupVerified>& verified, const model::BackupPolicy& policy) {
  return verified && verified->fine &&
         (verified->how == policy.verify_how || policy.verify_how == model::VerifiedHow::Checksum);
}

}  // namespace

model::BackupsSeen census_of(const model::StoreContents& contents, const model::BackupPolicy& policy,
                             base::ClusterId cluster) {
  model::BackupsSeen seen;
  seen.store = policy.to;
  for (const model::StoredBackup& each : contents.backups) {
    if (!each.problem.empty() || !each.object || !each.facts || each.facts->cluster != cluster) continue;
    ++seen.count;
    if (seen.newest.empty()) seen.oldest = each.facts->at;
    if (proves_enough(each.verified, policy) && (!seen.verified || *seen.verified <= each.verified->at)) {
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
  for (const model::Fate& fate : model::fates(contents.backups, policy.keep, cluster)) {
    if (fate.removed) ++seen.removable;
  }
  return seen;
}

}  // namespace quorate::backup
