// Points in time, always UTC: given in as values, never asked for here.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "reconciler/base/units.h"

namespace quorate::base {

using Time = std::chrono::time_point<std::chrono::system_clock, Duration>;

// "2026-09-24T09:12:41Z"; milliseconds only where there are any.
std::string to_string(Time time);
std::optional<Time> parse_time(std::string_view text);

// How long ago, in one or two units, for people: "0.4 s", "18m", "1h03m", "41d".
std::string age_text(Duration age);

}  // namespace quorate::base
