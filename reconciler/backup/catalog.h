// What a store holds, read.
#pragma once

#include <string>

#include "reconciler/backup/outcome.h"
#include "reconciler/model/backup.h"
#include "reconciler/ports/object_store.h"
#include "reconciler/ports/parallel.h"

namespace quorate::backup {

// Complete, or a failure. A small file that makes no sense is the `problem` of its backup.
Outcome<model::StoreContents> read_catalog(ports::ObjectStore& store, ports::Parallel& parallel);

// By its name, the beginning of it where only one begins so, or "latest": the newest whose database can be told, of
// us or of etcd-manager. Any other object of the store is taken as a raw snapshot when its whole name is given.
Outcome<model::StoredBackup> find_backup(const model::StoreContents& contents, const std::string& wanted,
                                         const std::string& address);

}  // namespace quorate::backup
