// One piece of work on the spool of this node: a snapshot into it, or what is in it to the store.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "reconciler/backup/outcome.h"
#include "reconciler/loop/store_work.h"
#include "reconciler/model/standing.h"

namespace quorate::loop {

struct SpoolOrder {
  model::BackupPolicy policy;  // its spool is the folder of this very agent
  StoreLease::Terms terms;
  std::uint64_t size = 0;  // about, of a snapshot
  std::string why;
  std::string by;
  std::string keep;  // a backup that is on its way to the store; empty: none
};

inline constexpr base::Duration kLongestSnapshot = std::chrono::minutes{5};  // what heals waits for it

// The name of the backup that is in the spool now, and the only one of its cluster there but one that is on its way.
backup::Outcome<std::string> take_snapshot(const StorePorts& ports, const SpoolOrder& order,
                                           const std::atomic<bool>& stop);

// From that folder, whatever the file says of spools now. Then it is in the store, and in the spool no more unless it
// was there already. NoBackup: it is not in the spool.
backup::Outcome<void> bring_to_store(const StorePorts& ports, const SpoolOrder& order, const model::Spooled& spooled,
                                     const std::atomic<bool>& stop);

}  // namespace quorate::loop
