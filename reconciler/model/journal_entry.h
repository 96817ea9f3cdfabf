// One line of what an agent did: meant to, did, failed to; written before and after, read after a crash.
#pragma once

#include <string>
#include <string_view>

#include "reconciler/base/result.h"
#include "reconciler/base/time.h"

namespace quorate::model {

enum class JournalEvent { Intent, Done, Failed, Unclear };

struct JournalEntry {
  base::Time at{};
  JournalEvent event = JournalEvent::Intent;
  std::string member;          // whose agent
  std::string plan;            // its ID
  std::string step;            // its ID
  std::string step_class;      // "heal"
  std::string desired_digest;  // of the file that asked for it
  std::string text;            // the reason of an intent; what went wrong
  std::string approved_by;     // whose yes let it run; empty: nobody's
  std::string approved_why;    // what they said with it; may be empty
  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

std::string_view name_of(JournalEvent event);
std::string to_json_line(const JournalEntry& entry);  // without the line feed
base::Result<JournalEntry> read_journal_line(std::string_view line, const std::string& name);

}  // namespace quorate::model
