// A backup from one store to another, as it lies there.
#pragma once

#include <functional>

#include "reconciler/backup/outcome.h"
#include "reconciler/model/backup.h"
#include "reconciler/ports/object_store.h"

namespace quorate::backup {

// The meta comes last, as when it was made, and only when the object is the one that was recorded. One that is there
// already is left as it is: false; Refused: it is another one. `may_go_on` is asked for each piece: an error ends it.
// Local: `from` is to blame; BadBackup: what lies there is not what was written.
Outcome<bool> carry(ports::ObjectStore& from, const model::StoredBackup& backup, ports::ObjectStore& into,
                    const std::function<base::Result<void>()>& may_go_on);

}  // namespace quorate::backup
