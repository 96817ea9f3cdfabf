// An intent without an end is closed with what is known: nothing.
#include "reconciler/loop/interrupted.h"

#include <algorithm>
#include <vector>

namespace quorate::loop {

void tell_interrupted(ports::Journal& journal, ports::Clock& clock, ports::Events& events, const std::string& member) {
  const auto entries = journal.read();
  if (!entries) return events.say(ports::EventLevel::Warning, "journal: " + entries.error().message);
  std::vector<model::JournalEntry> open;
  for (const model::JournalEntry& entry : *entries) {
    std::erase_if(open, [&](const model::JournalEntry& each) { return each.step == entry.step; });
    if (entry.event == model::JournalEvent::Intent) open.push_back(entry);
  }
  for (model::JournalEntry& entry : open) {
    events.say(ports::EventLevel::Warning, member + ": was interrupted in " + entry.step + ", which it began at " +
                                               base::to_string(entry.at) + "; looks again");
    entry.at = clock.now();
    entry.event = model::JournalEvent::Unclear;
    entry.text = "the agent ended before it knew what came of it";
    static_cast<void>(journal.append(entry));  // at worst it is said again
  }
}

}  // namespace quorate::loop
