// Where the backups of a desired file go, and who works on them while everything else goes on.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "reconciler/base/result.h"
#include "reconciler/codec/seal.h"
#include "reconciler/codec/workers.h"
#include "reconciler/model/backup_policy.h"
#include "reconciler/ports/object_store.h"

namespace quorate::ports {

struct OpenedStore {
  std::shared_ptr<ObjectStore> objects;
  std::optional<codec::SealKey> key;  // nothing: backups are not encrypted
};

class Stores {
 public:
  Stores() = default;
  Stores(const Stores&) = delete;
  Stores& operator=(const Stores&) = delete;
  virtual ~Stores() = default;

  // Reads keys and credentials anew, since they change.
  virtual base::Result<OpenedStore> open(const model::BackupPolicy& policy) = 0;
  // Begins it beside the caller, who is told when it has ended; false: the one before it has not. From one thread.
  virtual bool begin(std::function<void()> job) = 0;
  virtual codec::Workers& workers() = 0;  // of the job that goes on
};

}  // namespace quorate::ports
