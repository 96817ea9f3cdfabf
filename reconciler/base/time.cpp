// RFC 3339 in UTC, and ages.
#include "reconciler/base/time.h"

#include <charconv>

namespace quorate::base {
namespace {

std::string padded(std::int64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

// Reads `width` digits at the front of the text and takes them off.
std::optional<int> take_digits(std::string_view& text, std::size_t width) {
  int number = 0;
  if (text.size() < width) return std::nullopt;
  const auto end = std::from_chars(text.data(), text.data() + width, number);
  if (end.ec != std::errc{} || end.ptr != text.data() + width || number < 0) return std::nullopt;
  text.remove_prefix(width);
  return number;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int> take_milliseconds(std::string_view& text) {
  if (!take(text, '.')) return 0;
  int value = 0;
  int digits = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    if (digits < 3) value = value * 10 + (text.front() - '0');
    ++digits;
    text.remove_prefix(1);
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 3; ++digits) value *= 10;
  return value;
}

}  // namespace

std::string to_string(Time time) {
  using namespace std::chrono;
  const auto days = floor<duration<int, std::ratio<86400>>>(time.time_since_epoch());
  const year_month_day date{sys_days{std::chrono::days{days.count()}}};
  const hh_mm_ss clock{time.time_since_epoch() - duration_cast<Duration>(days)};
  std::string text = padded(static_cast<int>(date.year()), 4) + "-" + padded(static_cast<unsigned>(date.month()), 2) +
                     "-" + padded(static_cast<unsigned>(date.day()), 2) + "T" + padded(clock.hours().count(), 2) + ":" +
                     padded(clock.minutes().count(), 2) + ":" + padded(clock.seconds().count(), 2);
  if (clock.subseconds().count() != 0) text += "." + padded(clock.subseconds().count(), 3);
  return text + "Z";
}

std::optional<Time> parse_time(std::string_view text) {
  using namespace std::chrono;
  const auto year_number = take_digits(text, 4);
  if (!year_number || !take(text, '-')) return std::nullopt;
  const auto month_number = take_digits(text, 2);
  if (!month_number || !take(text, '-')) return std::nullopt;
  const auto day_number = take_digits(text, 2);
  if (!day_number || !take(text, 'T')) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second) return std::nullopt;
  const auto millisecond = take_milliseconds(text);
  if (!millisecond || text != "Z") return std::nullopt;
  const year_month_day date{year{*year_number}, month{static_cast<unsigned>(*month_number)},
                            day{static_cast<unsigned>(*day_number)}};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  return Time{sys_days{date}.time_since_epoch() + hours{*hour} + minutes{*minute} + seconds{*second} +
              milliseconds{*millisecond}};
}

std::string age_text(Duration age) {
  const std::int64_t ms = age.count() < 0 ? 0 : age.count();
  const std::int64_t seconds = ms / 1000;
  if (seconds < 10) return std::to_string(seconds) + "." + std::to_string(ms % 1000 / 100) + " s";
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 3600) return std::to_string(seconds / 60) + "m";
  if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + "h" + padded(seconds % 3600 / 60, 2) + "m";
  return std::to_string(seconds / 86400) + "d";
}

}  // namespace quorate::base
