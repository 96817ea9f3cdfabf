// The store, held against the agents of its cluster while a command writes to it or removes from it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "reconciler/backup/outcome.h"
#include "reconciler/cli/commands/backup_session.h"
#include "reconciler/loop/store_lease.h"
#include "reconciler/model/exit_code.h"

namespace quorate::cli {

class StoreHold {
 public:
  // Takes it where agents are at work; a cluster without them is not written to. Refused: one of them has it now. Where
  // it cannot be told, a warning is all.
  backup::Outcome<void> take(const Arguments& arguments, BackupSession& session, BackedCluster& cluster);

  backup::MayGoOn may_go_on();

 private:
  const std::atomic<bool> stop_{false};
  std::unique_ptr<loop::StoreLease> lease_;
};

// An agent that works on it will have ended in a moment: busy, which no rule of safety is.
model::ExitCode complain_of_hold(const Arguments& arguments, const backup::Failure& failure);

}  // namespace quorate::cli
