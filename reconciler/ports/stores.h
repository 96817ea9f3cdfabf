// Where the backups of a desired file go, and who works on them while everything else goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/codec/seal.h"
#include "reconciler/codec/sink.h"
#include "reconciler/codec/workers.h"
#include "reconciler/model/backup_policy.h"
#include "reconciler/ports/object_store.h"
#include "reconciler/ports/restorer.h"

namespace quorate::ports {

struct OpenedStore {
  std::shared_ptr<ObjectStore> objects;
  std::optional<codec::SealKey> key;  // nothing: backups are not encrypted
};

// Where a backup is tried out, and what that takes. What it holds is gone with its end.
class TrialPlace {
 public:
  TrialPlace() = default;
  TrialPlace(const TrialPlace&) = delete;
  TrialPlace& operator=(const TrialPlace&) = delete;
  virtual ~TrialPlace() = default;

  virtual codec::Sink& snapshot() = 0;  // writes the file that trial() names
  virtual Trial trial() const = 0;
};

class Stores {
 public:
  Stores() = default;
  Stores(const Stores&) = delete;
  Stores& operator=(const Stores&) = delete;
  virtual ~Stores() = default;

  // Reads keys and credentials anew, since they change.
  virtual base::Result<OpenedStore> open(const model::BackupPolicy& policy) = 0;
  // The folder `policy.spool` of this node is there, made where it was missing, and takes a snapshot of this size.
  // Transient: there is no room.
  virtual base::Result<void> prepare_spool(const model::BackupPolicy& policy, std::uint64_t size) = 0;
  // Begins it beside the caller, who is told when it has ended; false: the one before it has not. From one thread.
  virtual bool begin(std::function<void()> job) = 0;
  virtual codec::Workers& workers() = 0;  // of the job that goes on
  // For a snapshot of this size, with an etcd of this name or path. Refused: there is none. Transient: there is no
  // room.
  virtual base::Result<std::unique_ptr<TrialPlace>> trial_place(const std::string& program, std::uint64_t size) = 0;
};

}  // namespace quorate::ports
