// One piece of work on the store, from the lease that makes it ours to what is known of the store afterwards.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/backup/outcome.h"
#include "reconciler/loop/store_lease.h"
#include "reconciler/model/action.h"
#include "reconciler/model/backups_seen.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/standing.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"
#include "reconciler/ports/etcd_admin.h"
#include "reconciler/ports/parallel.h"
#include "reconciler/ports/restorer.h"
#include "reconciler/ports/stores.h"

namespace quorate::loop {

struct StorePorts {
  ports::EtcdAdmin& etcd;
  ports::Stores& stores;
  ports::Parallel& parallel;
  ports::Clock& clock;
  ports::Entropy& entropy;
  ports::Restorer* restorer = nullptr;  // null: nothing is tried out here
};

struct StoreOrder {
  model::BackupPolicy policy;
  std::optional<model::Action> action;  // Backup, Verify or Prune; nothing: a look
  std::string why;                      // of a backup: "schedule", "before 5c1e90aa"
  std::string by;
  std::optional<model::RecordedVoters> voters;  // to stand beside the backups; nothing: nobody knows them
  std::vector<std::string> needed;              // backups that a plan or a person refers to
  StoreLease::Terms terms;
  std::optional<model::BackupsSeen> before;  // what was known until now
  std::string etcd;                          // the program, for a test restore
  model::Observed observed;                  // for everybody who can read the store
  bool publishes = false;                    // it, also when nothing is made, verified or removed
};

struct StoreResult {
  std::optional<model::BackupsSeen> seen;  // nothing: the store could not be read
  std::optional<backup::Failure> failure;
  bool did = false;  // something was made, verified or removed
  std::string text;  // what, for people: "2026-11-18T08:20:30Z-r7-a, 20.1 KiB"
  bool bad = false;  // the one that was verified is not what was written
  bool published = false;
  std::optional<base::Error> unpublished;  // it should have been
};

StoreResult work_on_store(const StorePorts& ports, const StoreOrder& order, const std::atomic<bool>& stop,
                          const backup::Progress& progress);

}  // namespace quorate::loop
