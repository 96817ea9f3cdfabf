// A backup of a running cluster: a snapshot of one member, straight into the store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/backup/outcome.h"
#include "reconciler/codec/seal.h"
#include "reconciler/codec/workers.h"
#include "reconciler/model/backup.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"
#include "reconciler/ports/etcd_admin.h"
#include "reconciler/ports/object_store.h"
#include "reconciler/ports/parallel.h"

namespace quorate::backup {

struct CreatePorts {
  ports::EtcdAdmin& etcd;
  ports::ObjectStore& store;
  ports::Parallel& parallel;
  ports::Clock& clock;
  ports::Entropy& entropy;
  codec::Workers& workers;
};

struct CreateOrder {
  std::vector<std::string> endpoints;
  model::Packing packing = model::Packing::Gzip;
  std::optional<codec::SealKey> key;  // nothing: not encrypted
  std::string why;                    // "manual"
  std::string by;                     // "quorate 0.1.0 on node-1"
  bool force = false;                 // also when nothing has changed since the newest backup
  bool may_be_first = true;           // an empty folder is a new store, and not a disk that is not mounted
  base::Duration within{};            // for each answer of a member
  base::Duration snapshot_within{};
  Progress progress;
  MayGoOn may_go_on;
};

struct Created {
  bool skipped = false;  // nothing was written to etcd since `name`, but what agents keep there
  std::string name;
  model::BackupFacts facts;
};

// Tries the healthy members one after the other, followers first, until one sends a whole snapshot.
Outcome<Created> create(const CreatePorts& ports, const CreateOrder& order);

}  // namespace quorate::backup
