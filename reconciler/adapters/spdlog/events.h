// Events as lines on standard error, for a person, for a program or for systemd's journal.
#pragma once

#include <memory>

#include "reconciler/ports/events.h"

namespace quorate::log {

enum class EventFormat {
  Text,     // "2026-09-24T09:12:41.123Z warning: ..."; without the time where the journal keeps it
  Json,     // {"time": ..., "level": ..., "text": ...}
  Journal,  // "<4>...": the priority in front, which systemd takes off
};

struct EventOptions {
  EventFormat format = EventFormat::Text;
  ports::EventLevel level = ports::EventLevel::Info;  // and what is worse
  int to = 2;                                         // an open file, which stays the caller's
};

// Thread-safe; each event is one write of one line, whatever its text holds. What cannot be written is lost.
std::unique_ptr<ports::Events> make_events(const EventOptions& options);

// JOURNAL_STREAM names this open file: systemd gave it to us and reads what is written there.
bool goes_to_the_journal(int file);

}  // namespace quorate::log
