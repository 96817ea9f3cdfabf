// A step that is tried again and again and is refused in the same words: its journal says so once in a while.
#pragma once

#include <optional>
#include <string>

#include "reconciler/base/units.h"
#include "reconciler/model/journal_entry.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/journal.h"

namespace quorate::loop {

// While a try is under way its intent is on disk, and on disk no end of it.
class Tries {
 public:
  Tries(ports::Journal& journal, ports::Clock& clock) : journal_(journal), clock_(clock) {}

  // What it has returned for is on disk: written now, or at an earlier try that was left open.
  base::Result<void> begin(const model::JournalEntry& intent);
  // A failure that says again what the one before said is held back, and its intent stays open for the next try.
  base::Result<void> end(const model::JournalEntry& end);
  // What was held back of any other step is written: that one is not tried any more.
  base::Result<void> turn_to(const std::string& step);

 private:
  ports::Journal& journal_;
  ports::Clock& clock_;
  std::optional<model::JournalEntry> open_;  // the intent on disk whose end is not
  base::Duration opened_{};                  // on Clock::elapsed, like the next
  base::Duration ended_{};                   // the try before
  bool quick_ = false;                       // the one under way has followed it soon, and so will the next
  std::optional<model::JournalEntry> held_;  // its end so far
  std::optional<model::JournalEntry> said_;  // the failure that was written last, if nothing has followed it
};

}  // namespace quorate::loop
