// A journal and what was said beside it, to be looked through.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/ports/events.h"
#include "reconciler/ports/journal.h"

namespace quorate::support {

class JournalInMemory final : public ports::Journal {
 public:
  base::Result<void> append(const model::JournalEntry& entry) override {
    if (full) return tl::unexpected(base::Error{base::ErrorKind::Transient, "no space left on device", ""});
    entries.push_back(entry);
    return {};
  }
  base::Result<std::vector<model::JournalEntry>> read() override { return entries; }

  std::vector<model::JournalEntry> entries;
  bool full = false;
};

class Said final : public ports::Events {
 public:
  void say(ports::EventLevel /*level*/, const std::string& text) override { lines.push_back(text); }
  std::vector<std::string> lines;
};

}  // namespace quorate::support
