// A backup's database out of its store, checked against all that is known of it.
#pragma once

#include <cstdint>
#include <optional>

#include "reconciler/backup/outcome.h"
#include "reconciler/base/etcd_db.h"
#include "reconciler/codec/seal.h"
#include "reconciler/codec/sink.h"
#include "reconciler/codec/workers.h"
#include "reconciler/model/backup.h"
#include "reconciler/ports/object_store.h"

namespace quorate::backup {

struct Fetched {
  std::uint64_t size = 0;  // of the snapshot
  bool has_hash = false;   // etcd's own, and it agrees (or will be looked at later); a copy of a database has none
  bool recorded = false;   // size and SHA-256 of the object are those of quorate.json
  base::Result<base::EtcdDb> db;
};

struct Haste {
  codec::Workers* workers = nullptr;  // hash beside the stream; null: in it
  // Of a backup whose object is the one that was recorded when the hash agreed: whoever uses the snapshot looks.
  bool hash_later = false;
};

// `into` gets the snapshot as etcd sent it, hash and all, and is finished only when everything agrees; null: it is only
// checked. `key` may be null.
Outcome<Fetched> fetch(ports::ObjectStore& store, const model::StoredBackup& backup, const codec::SealKey* key,
                       codec::Sink* into, const Progress& progress, const Haste& haste = {},
                       const MayGoOn& may_go_on = {});

}  // namespace quorate::backup
