// The append-only record of one agent's steps. What append has returned for is on disk.
#pragma once

#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/model/journal_entry.h"

namespace quorate::ports {

class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  virtual ~Journal() = default;

  virtual base::Result<void> append(const model::JournalEntry& entry) = 0;
  // Oldest first. A last line that was cut short by a crash was never acted on and is left out.
  virtual base::Result<std::vector<model::JournalEntry>> read() = 0;
};

}  // namespace quorate::ports
