// What an agent does about its spool: a snapshot on its own node before a lost member is replaced, when nobody waits
// for the store, and its way to the store afterwards. Both go on beside the passes, and the first waits for no other
// work.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "reconciler/loop/agent_view.h"
#include "reconciler/loop/rest.h"
#include "reconciler/loop/spool_work.h"
#include "reconciler/model/journal_entry.h"
#include "reconciler/model/standing.h"
#include "reconciler/model/step.h"
#include "reconciler/ports/events.h"

namespace quorate::loop {

struct SpoolTurn {
  std::optional<model::Spooled> spooled;  // to be remembered from now on
  std::optional<base::Duration> wait;     // until it wants to be called again
  std::string waits;                      // of the step that is a snapshot: for what
  struct Noted {
    model::Step step;
    model::JournalEvent event = model::JournalEvent::Intent;
    std::string text;
  };
  std::optional<Noted> noted;  // for the journal
};

class SpoolKeeper {
 public:
  // `aside` is for snapshots alone, so that no store that hangs is in their way.
  SpoolKeeper(StorePorts ports, ports::Stores& aside, ports::Events& events, std::string member, base::Duration within);
  ~SpoolKeeper();  // what is under way ends soon
  SpoolKeeper(const SpoolKeeper&) = delete;
  SpoolKeeper& operator=(const SpoolKeeper&) = delete;

  // `remembered`: of earlier attempts. `before`: the snapshot that is the first step of the plan, when it is this
  // agent's turn; null: there is none.
  SpoolTurn tend(const AgentView& view, const std::optional<model::Spooled>& remembered, const model::Step* before);

 private:
  struct Work {  // outlives its keeper
    Work(const StorePorts& behind, SpoolOrder wanted) : ports(behind), order(std::move(wanted)) {}
    StorePorts ports;
    SpoolOrder order;
    model::Step step;          // of a snapshot
    base::Duration begun{};    // of a snapshot, on Clock::elapsed
    model::Spooled spooled{};  // the backup; of a snapshot: what came of it
    std::atomic<bool> stop{false};
    std::atomic<bool> ended{false};  // what follows, and what came of it, is there
    std::optional<backup::Failure> failure;
  };

  SpoolOrder order_of(const AgentView& view) const;
  void learn_snapshot(const Work& work, const model::Spooled& known, SpoolTurn& turn);
  void give_up(Work& work, const model::Spooled& known, const std::string& why, SpoolTurn& turn);
  void tell_snapshot(const model::Step& step, const model::Spooled& known, model::Spooled came, SpoolTurn& turn);
  void learn_brought(const Work& work, const model::Spooled& known, SpoolTurn& turn);
  void tend_snapshot(const AgentView& view, const model::Spooled& known, const model::Step& step, SpoolTurn& turn);
  void tend_bringing(const AgentView& view, const model::Spooled& known, SpoolTurn& turn);

  StorePorts ports_;
  StorePorts aside_;
  ports::Events& events_;
  const std::string member_;
  const base::Duration within_;
  std::shared_ptr<Work> snapshot_;            // under way, or not yet learned from
  std::shared_ptr<Work> bringing_;            // likewise
  std::shared_ptr<Work> hung_;                // was given up: its disk is left alone until it ends
  std::shared_ptr<const Followed> followed_;  // the file that what follows is about
  Rest rest_;                                 // from bringing it
  std::string told_;                          // why it could not be brought
};

}  // namespace quorate::loop
