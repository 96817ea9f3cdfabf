// What an agent does about backups: it begins work on the store when something is due, learns what came of it, and
// tells the others through a record in etcd. It never waits for a store.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "reconciler/loop/agent_view.h"
#include "reconciler/loop/rest.h"
#include "reconciler/loop/store_work.h"
#include "reconciler/model/step.h"
#include "reconciler/ports/events.h"
#include "reconciler/ports/journal.h"

namespace quorate::loop {

// What one pass needs to know of it.
struct StoreTurn {
  bool did = false;                    // a record was written: look again
  std::optional<base::Duration> wait;  // until it wants to be called again
  std::string waits;                   // of a step that needs a backup first: for what
  std::optional<base::Error> failed;   // why there is none yet
};

class StoreKeeper {
 public:
  StoreKeeper(StorePorts ports, ports::Journal& journal, ports::Events& events, std::string member,
              base::Duration within);
  ~StoreKeeper();  // what is under way ends soon, or as soon as the store answers
  StoreKeeper(const StoreKeeper&) = delete;
  StoreKeeper& operator=(const StoreKeeper&) = delete;

  // `before`: the backup that is the first step of the plan, when it is this agent's turn; null: there is none.
  StoreTurn tend(const AgentView& view, const model::Step* before);

 private:
  struct Work {  // outlives its keeper
    explicit Work(const StorePorts& behind) : ports(behind) {}
    StorePorts ports;
    StoreOrder order;
    std::optional<model::Step> step;
    std::string plan;
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> done{0};
    std::atomic<std::uint64_t> of{0};
    std::atomic<bool> ended{false};  // the result is there
    StoreResult result;
  };

  void learn(const AgentView& view, const Work& work);
  void fail(const AgentView& view, const Work& work, const backup::Failure& failure);
  void end_trouble(const Work& work);
  void tell_unpublished(const Work& work);
  StoreTurn next_turn(const AgentView& view, const model::Step* before, StoreTurn turn);
  std::optional<base::Duration> puts_off();
  bool tell(const AgentView& view);
  bool begins_to_wait(const AgentView& view);  // true: the others are to know
  void begin(const AgentView& view, std::optional<model::Step> step, std::string why);
  void note(const AgentView& view, const Work& work, model::JournalEvent event, const std::string& text);
  std::string progress() const;

  StorePorts ports_;
  ports::Journal& journal_;
  ports::Events& events_;
  const std::string member_;
  const base::Duration within_;
  std::shared_ptr<Work> work_;                // under way, or not yet learned from
  std::optional<model::StoreRecord> record_;  // to be written
  std::shared_ptr<const Followed> followed_;  // the file that all below is about
  std::optional<base::Duration> looked_;      // on Clock::elapsed
  std::optional<base::Duration> published_;   // likewise: when people could last read what we see
  std::optional<base::Duration> put_off_;     // likewise: since when a backup has waited for who joins
  Rest rest_;                                 // from everything
  Rest trial_rest_;                           // from verifying: what this node lacks for it keeps no backup back
};

}  // namespace quorate::loop
