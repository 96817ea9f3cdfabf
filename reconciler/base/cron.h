// When something is due that people write as five fields of cron.
#pragma once

#include <bitset>
#include <optional>
#include <string_view>

#include "reconciler/base/time.h"
#include "reconciler/base/time_zone.h"

namespace quorate::base {

// Minute, hour, day of the month, month, day of the week (0 and 7 are Sunday): *, numbers, a-b, */n, a-b/n and lists of
// them. As with every cron, a day fits that is one of the month's or one of the week's where both are given.
struct Cron {
  std::bitset<60> minutes;
  std::bitset<24> hours;
  std::bitset<32> days;
  std::bitset<13> months;
  std::bitset<7> weekdays;
  bool any_day = true;
  bool any_weekday = true;
  friend bool operator==(const Cron&, const Cron&) = default;
};

// Nothing: it is no such text, or never due, as on the 30th of February.
std::optional<Cron> parse_cron(std::string_view text);

// The first time after this one, on the clocks of a place. Where they are put back, what comes twice is due once; where
// they are put forward, what is skipped is due at that moment. What is due in every hour follows time itself.
Time next_after(const Cron& cron, Time after, const TimeZone& zone = {});

}  // namespace quorate::base
