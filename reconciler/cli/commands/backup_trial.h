// quorate backup verify --how restore: a scratch folder and the programs for it.
#pragma once

#include "reconciler/backup/upkeep.h"
#include "reconciler/cli/arguments.h"
#include "reconciler/cli/commands/backup_session.h"

namespace quorate::cli {

// Leaves nothing behind but what it recorded beside the backup.
backup::Outcome<backup::Verified> verify_by_restore(const Arguments& arguments, BackupSession& session,
                                                    const model::StoredBackup& backup,
                                                    const backup::Progress& progress);

}  // namespace quorate::cli
