// Clocks of a place: what they show, by the rules that stand in a file of the tz database.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/time.h"

namespace quorate::base {

// A time as clocks show it there: the same type, and another meaning.
using LocalTime = Time;

// UTC unless it was read from somewhere.
class TimeZone {
 public:
  // Of POSIX's TZ: when the clocks are changed, each year.
  struct Change {
    enum class By { Weekday, DayOfYear, DayOfYearWithoutLeap } by = By::Weekday;
    int month = 1;  // of Weekday, as the next two
    int week = 1;   // 5: the last
    int day = 0;    // Sunday is 0; else the day of the year, from 0 or, without leap days, from 1
    Duration at{};  // on the clocks before the change, from midnight on; may be another day
    friend bool operator==(const Change&, const Change&) = default;
  };
  struct Rule {
    Duration standard{};
    Duration summer{};
    std::optional<std::pair<Change, Change>> summer_time;  // its beginning and its end; nothing: there is none
    friend bool operator==(const Rule&, const Rule&) = default;
  };

  Duration offset_at(Time at) const;
  LocalTime local(Time at) const { return at + offset_at(at); }
  // The moments at which clocks show this: one, two while they are put back, none while they are put forward.
  std::vector<Time> moments(LocalTime shown) const;
  // Where no clock shows this time: when the clocks were put forward over it.
  Time skipped(LocalTime shown) const;

  friend bool operator==(const TimeZone&, const TimeZone&) = default;
  friend Result<TimeZone> parse_time_zone(std::string_view file);

 private:
  std::array<Duration, 2> offsets_around(LocalTime shown) const;

  Duration first_{};                                // before the first change
  std::vector<std::pair<Time, Duration>> changes_;  // ascending: from then on
  std::optional<Rule> rule_;                        // after the last one
};

// Of TZif (RFC 8536), whatever its version. Leap seconds are refused: our clocks have none.
Result<TimeZone> parse_time_zone(std::string_view file);

// "CET-1CEST,M3.5.0,M10.5.0/3". Nothing: it is none.
std::optional<TimeZone::Rule> parse_zone_rule(std::string_view text);

// "Europe/Amsterdam": a path below the database, and nothing else.
bool is_zone_name(std::string_view name);

// What a file of the database holds, for those who may not read it themselves. Nothing: there is no such zone. An
// error: nobody here can tell.
using ZoneFiles = std::function<Result<std::optional<std::string>>(const std::string& name)>;

}  // namespace quorate::base
