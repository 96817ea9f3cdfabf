// The first refusal is written at once, for people; the ones after it leave the next intent open. Who dies then is said
// to have been interrupted.
#include "reconciler/loop/tries.h"

#include <utility>

namespace quorate::loop {
namespace {

// Whoever reads the journal of a step that fails for long still sees that it is tried.
constexpr base::Duration kOpen = std::chrono::minutes{1};
// What takes longer from one try to the next fills no journal.
constexpr base::Duration kQuick = std::chrono::seconds{2};

bool says_the_same(const model::JournalEntry& one, model::JournalEntry other) {
  other.at = one.at;
  return one == other;
}

}  // namespace

base::Result<void> Tries::begin(const model::JournalEntry& intent) {
  const bool is_open = held_ && clock_.elapsed() - opened_ < kOpen;
  if (is_open && says_the_same(*open_, intent)) return {};
  static_cast<void>(turn_to(""));  // at worst the step before stays open
  const base::Duration now = clock_.elapsed();
  if (auto written = journal_.append(intent); !written) return written;
  quick_ = now - ended_ < kQuick;
  open_ = intent;
  opened_ = now;
  return {};
}

base::Result<void> Tries::end(const model::JournalEntry& end) {
  ended_ = clock_.elapsed();
  if (open_ && quick_ && said_ && says_the_same(*said_, end)) {
    held_ = end;
    return {};
  }
  open_.reset();
  held_.reset();
  said_.reset();
  auto written = journal_.append(end);
  if (written && end.event == model::JournalEvent::Failed) said_ = end;
  return written;
}

base::Result<void> Tries::turn_to(const std::string& step) {
  if (!held_ || held_->step == step) return {};
  open_.reset();
  return journal_.append(*std::exchange(held_, std::nullopt));
}

}  // namespace quorate::loop
