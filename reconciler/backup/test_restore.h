// The proof that a backup can be restored: it is, aside, and what comes out is compared with what was recorded.
#pragma once

#include <string>

#include "reconciler/backup/outcome.h"
#include "reconciler/backup/upkeep.h"
#include "reconciler/codec/seal.h"
#include "reconciler/codec/sink.h"
#include "reconciler/model/backup.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/object_store.h"
#include "reconciler/ports/restorer.h"

namespace quorate::backup {

struct TestRestorePorts {
  ports::ObjectStore& store;
  ports::Restorer& restorer;
  ports::Clock& clock;
};

struct TestRestoreOrder {
  codec::Sink& into;   // writes the file that `trial` names; the caller removes it afterwards
  ports::Trial trial;  // its revision is set here
  const codec::SealKey* key = nullptr;
  base::Duration within{};  // for the restore and the look, without the download
  Progress progress;
  MayGoOn may_go_on = {};
};

// A backup that cannot be restored, or that gives other keys than were recorded, is a result and recorded beside it.
// The hash of the keys is compared where the etcd that was tried is of the recorded minor.
Outcome<Verified> test_restore(const TestRestorePorts& ports, const model::StoredBackup& backup,
                               const TestRestoreOrder& order);

}  // namespace quorate::backup
