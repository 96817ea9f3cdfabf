// What was set aside on this node and is old enough to go: each deletion has to be shown to be harmless once more, and
// to have been waited for by a clock that nobody sets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/model/desired.h"
#include "reconciler/model/journal_entry.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/events.h"
#include "reconciler/ports/host.h"
#include "reconciler/ports/journal.h"
#include "reconciler/ports/node.h"

namespace quorate::loop {

struct AsidePorts {
  ports::Host& host;
  ports::Node& node;
  ports::Clock& clock;
  ports::Journal& journal;
  ports::Events& events;
};

class Asides {
 public:
  explicit Asides(AsidePorts ports) : ports_(ports) {}

  // Deletes what this cluster's own members have left beside the place of `me`, and what never held anything. `entry`
  // says for the journal who acts, and for which file.
  void tend(const model::Member& me, base::ClusterId cluster, base::Duration keep, model::JournalEntry entry);

 private:
  struct Seen {
    base::Time at{};         // when it was seen first, by the clock on the wall
    base::Duration since{};  // the same moment, on Clock::elapsed
    base::Duration not_before{};
  };

  bool is_old(const std::string& path, base::Time set_aside, base::Duration keep);
  bool is_harmless(const std::string& path, const std::string& label, base::ClusterId cluster);
  base::Result<void> remove(const model::Member& me, const std::string& path, const std::string& label);
  void note(model::JournalEntry& entry, model::JournalEvent event, const std::string& text);

  AsidePorts ports_;
  std::map<std::string, Seen> seen_;  // by path
};

}  // namespace quorate::loop
