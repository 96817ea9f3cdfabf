// What is done to backups that are there: verified, pinned, removed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/backup/fetch.h"
#include "reconciler/backup/outcome.h"
#include "reconciler/model/backup.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/object_store.h"

namespace quorate::backup {

struct Verified {
  model::BackupVerified result;
  bool recorded = false;  // beside the backup; false: it is not ours, or the store refused
  std::string why_not;    // it was not recorded
};

// Reads the whole object. A bad backup is a result, not a failure; it is recorded beside the backup, unless that would
// take back what a test restore has shown.
Outcome<Verified> verify(ports::ObjectStore& store, ports::Clock& clock, const model::StoredBackup& backup,
                         const codec::SealKey* key, const Progress& progress, const MayGoOn& may_go_on = {});

// Puts the result beside the backup and says so in it, or why not.
void record(ports::ObjectStore& store, const model::StoredBackup& backup, Verified& verified);

Outcome<void> pin(ports::ObjectStore& store, const model::StoredBackup& backup, const model::BackupPin& pin);
Outcome<void> unpin(ports::ObjectStore& store, const model::StoredBackup& backup);

// The meta first: what is half removed is no backup any more.
Outcome<void> remove(ports::ObjectStore& store, const model::StoredBackup& backup);

// What somebody of ours who was killed left of backups that nobody can see: begun before this time, and untouched
// since.
Outcome<void> remove_unfinished(ports::ObjectStore& store, const model::StoreContents& contents, base::Time before,
                                const MayGoOn& may_go_on);

}  // namespace quorate::backup
