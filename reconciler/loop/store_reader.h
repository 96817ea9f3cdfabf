// What an agent reads from the store to bring a cluster back: what there is to restore from, and the one backup that
// its own node is the seed for. On a thread beside the passes; it writes nothing there but that a backup of the
// cluster's own is damaged.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/loop/agent_view.h"
#include "reconciler/model/restorable.h"
#include "reconciler/model/standing.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/events.h"
#include "reconciler/ports/parallel.h"
#include "reconciler/ports/spool.h"
#include "reconciler/ports/stores.h"

namespace quorate::loop {

struct ReaderPorts {
  ports::Stores& stores;
  ports::Spool& spool;
  ports::Parallel& parallel;
  ports::Clock& clock;
  ports::Events& events;
};

struct SourceStore {
  model::BackupPolicy policy;
  bool elsewhere = false;  // another cluster's: nothing is written there, and nobody's word depends on what it knows
};

class StoreReader {
 public:
  StoreReader(const ReaderPorts& ports, std::string member);

  // Of this store, as it was seen last; Unknown: nobody has looked yet, or why nobody could.
  model::Fact<std::vector<model::Restorable>> restorable(const SourceStore& store) const;
  // Who votes in the cluster of that name, as the store was told last.
  std::optional<model::Voters> voters(const SourceStore& store, const std::string& cluster) const;
  // What was seen answers no new question: it may be from long before.
  void forget();
  // Looks again where it is time to. How long until it wants to be called again.
  base::Duration look(const SourceStore& store);
  struct Brought {
    std::string source;
    std::string unfit;  // what is wrong with it, or here; empty: the file is there, whole and checked
  };
  // The backup of this decision to that file; nothing until something has come of it. What was brought for a decision
  // that nobody asks for any more is not told.
  std::optional<Brought> fetch(const SourceStore& store, const model::Decision& decision, const std::string& path);
  void rest();                   // no other attempt for a while
  std::string progress() const;  // of what is under way, "fetching NAME, 40%"; empty: nothing is

 private:
  struct Looked {
    std::string store;
    base::Duration at{};  // on Clock::elapsed
    model::Fact<std::vector<model::Restorable>> seen;
    std::optional<model::RecordedVoters> voters;
  };
  struct Work;  // outlives its reader

  void learn();
  void begin(std::shared_ptr<Work> work);
  static void look_at(Work& work);
  static void bring(Work& work);
  std::optional<Brought> told(const Work& work);

  ReaderPorts ports_;
  const std::string member_;
  std::shared_ptr<Work> work_;  // under way
  std::optional<Looked> looked_;
  std::shared_ptr<Work> brought_;  // ended, and nobody has asked for it yet
  base::Duration not_before_{};    // on Clock::elapsed, after a failure
};

}  // namespace quorate::loop
