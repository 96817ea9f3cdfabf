// What one look at a store comes to: the few facts that agents tell each other.
#pragma once

#include "reconciler/base/ids.h"
#include "reconciler/model/backup.h"
#include "reconciler/model/backup_policy.h"
#include "reconciler/model/backups_seen.h"

namespace quorate::backup {

// Of the backups of this cluster. `covers` is the time of the newest: whoever knows more raises it.
model::BackupsSeen census_of(const model::StoreContents& contents, const model::BackupPolicy& policy,
                             base::ClusterId cluster);

}  // namespace quorate::backup
