// What one look at a store comes to: the few facts that agents tell each other.
#pragma once

#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/model/backup.h"
#include "reconciler/model/backup_policy.h"
#include "reconciler/model/backups_seen.h"
#include "reconciler/model/restorable.h"

namespace quorate::backup {

// Of the backups of this cluster. `covers` is the time of the newest: whoever knows more raises it.
model::BackupsSeen census_of(const model::StoreContents& contents, const model::BackupPolicy& policy,
                             base::ClusterId cluster);

// What a cluster could be restored from, oldest first: damaged ones and those of other clusters too.
std::vector<model::Restorable> restorable(const model::StoreContents& contents);

}  // namespace quorate::backup
