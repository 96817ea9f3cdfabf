// What one look at a store comes to: the few facts that agents tell each other.
#pragma once

#include <vector>

#include "reconciler/model/backup.h"
#include "reconciler/model/backup_keep.h"
#include "reconciler/model/backup_policy.h"
#include "reconciler/model/backups_seen.h"
#include "reconciler/model/restorable.h"

namespace quorate::backup {

// Of the backups of this cluster. `covers` is the time of the newest: whoever knows more raises it. What is dated in
// the future is counted, and is never the newest: it would stand for all that come until then.
model::BackupsSeen census_of(const model::StoreContents& contents, const model::BackupPolicy& policy,
                             const model::BackupOwner& owner);

// What a cluster could be restored from, oldest first: damaged ones and those of other clusters too.
std::vector<model::Restorable> restorable(const model::StoreContents& contents);

}  // namespace quorate::backup
