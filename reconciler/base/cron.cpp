// Fields to sets of numbers, and days one by one until a set has them.
#include "reconciler/base/cron.h"

#include <charconv>
#include <cstddef>

namespace quorate::base {
namespace {

// A leap day can be eight years away.
constexpr int kMostDays = 366 * 9;

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = problem == std::errc() && end == text.data() + text.size() && text.size() <= 2 && value >= 0;
  return whole ? std::optional<int>(value) : std::nullopt;
}

struct Span {
  int first = 0;
  int last = 0;
  int step = 1;
};

std::optional<Span> span_of(std::string_view text, int least, int most) {
  Span span{least, most, 1};
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    const auto step = number(text.substr(slash + 1));
    if (!step || *step == 0) return std::nullopt;
    span.step = *step;
    text = text.substr(0, slash);
    if (text != "*" && text.find('-') == std::string_view::npos) return std::nullopt;
  }
  if (text == "*") return span;
  const auto dash = text.find('-');
  const auto first = number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(text.substr(dash + 1));
  if (!first || !last || *first < least || *last > most || *first > *last) return std::nullopt;
  span.first = *first;
  span.last = *last;
  return span;
}

template <std::size_t kSize>
bool read_field(std::string_view text, int least, int most, std::bitset<kSize>& into) {
  while (true) {
    const auto comma = text.find(',');
    const auto span = span_of(text.substr(0, comma), least, most);
    if (!span) return false;
    for (int value = span->first; value <= span->last; value += span->step) {
      into.set(static_cast<std::size_t>(value) % kSize);  // 7 is a Sunday, too
    }
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

std::string_view next_word(std::string_view& text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

template <std::size_t kSize>
bool has(const std::bitset<kSize>& set, unsigned value) {
  return set.test(value);
}

bool fits(const Cron& cron, std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  if (!has(cron.months, static_cast<unsigned>(date.month()))) return false;
  const bool of_month = has(cron.days, static_cast<unsigned>(date.day()));
  const bool of_week = has(cron.weekdays, std::chrono::weekday(day).c_encoding());
  if (cron.any_day || cron.any_weekday) return of_month && of_week;
  return of_month || of_week;
}

std::optional<Time> find_after(const Cron& cron, Time after) {
  const auto from = std::chrono::floor<std::chrono::minutes>(after) + std::chrono::minutes(1);
  std::chrono::sys_days day = std::chrono::floor<std::chrono::days>(from);
  for (int passed = 0; passed < kMostDays; ++passed, day += std::chrono::days(1)) {
    if (!fits(cron, day)) continue;
    for (unsigned hour = 0; hour < 24; ++hour) {
      if (!has(cron.hours, hour)) continue;
      for (unsigned minute = 0; minute < 60; ++minute) {
        const auto at = day + std::chrono::hours(hour) + std::chrono::minutes(minute);
        if (has(cron.minutes, minute) && at >= from) return std::chrono::time_point_cast<Duration>(at);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Cron> parse_cron(std::string_view text) {
  Cron cron;
  const std::string_view minutes = next_word(text);
  const std::string_view hours = next_word(text);
  const std::string_view days = next_word(text);
  const std::string_view months = next_word(text);
  const std::string_view weekdays = next_word(text);
  const bool read = read_field(minutes, 0, 59, cron.minutes) && read_field(hours, 0, 23, cron.hours) &&
                    read_field(days, 1, 31, cron.days) && read_field(months, 1, 12, cron.months) &&
                    read_field(weekdays, 0, 7, cron.weekdays);
  if (!read || !next_word(text).empty()) return std::nullopt;
  cron.any_day = days.front() == '*';
  cron.any_weekday = weekdays.front() == '*';
  constexpr Time kAnyTime{};
  if (!find_after(cron, kAnyTime)) return std::nullopt;
  return cron;
}

Time next_after(const Cron& cron, Time after) {
  return find_after(cron, after).value_or(Time::max());
}

}  // namespace quorate::base
