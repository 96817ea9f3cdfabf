// Fields to sets of numbers, and days one by one until a set has them.
#include "reconciler/base/cron.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <vector>

namespace quorate::base {
namespace {

// A leap day can be eight years away.
constexpr int kMostDays = 366 * 9;

// Hours by which clocks may be put back; times that they show within those are in no order.
constexpr unsigned kLongestFold = 3;

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

bool is_every_hour(const Cron& cron) {
  return cron.hours.all();
}

// The earliest of the moments from then on at which clocks show this.
std::optional<Time> moment_of(const Cron& cron, const TimeZone& zone, LocalTime shown, Time from) {
  const std::vector<Time> moments = zone.moments(shown);
  if (is_every_hour(cron)) {
    const auto found = std::lower_bound(moments.begin(), moments.end(), from);
    return found == moments.end() ? std::nullopt : std::optional(*found);
  }
  const Time at = moments.empty() ? zone.skipped(shown) : moments.front();
  return at >= from ? std::optional(at) : std::nullopt;
}

std::optional<Time> find_in(const Cron& cron, const TimeZone& zone, std::chrono::sys_days day, Time from) {
  std::optional<Time> best;
  unsigned last = 23;
  for (unsigned hour = 0; hour <= last; ++hour) {
    if (!has(cron.hours, hour)) continue;
    for (unsigned minute = 0; minute < 60; ++minute) {
      if (!has(cron.minutes, minute)) continue;
      const LocalTime shown = day + std::chrono::hours(hour) + std::chrono::minutes(minute);
      const auto at = moment_of(cron, zone, shown, from);
      if (!at || (best && *best <= *at)) continue;
      if (!best) last = std::min(23U, hour + kLongestFold);
      best = at;
    }
  }
  return best;
}

std::optional<Time> find_after(const Cron& cron, Time after, const TimeZone& zone) {
  const Time from = std::chrono::floor<std::chrono::minutes>(after) + std::chrono::minutes(1);
  // A day earlier, since clocks may be put back over midnight.
  auto day = std::chrono::floor<std::chrono::days>(zone.local(from)) - std::chrono::days(1);
  for (int passed = 0; passed < kMostDays; ++passed, day += std::chrono::days(1)) {
    if (!fits(cron, day)) continue;
    if (const auto found = find_in(cron, zone, day, from)) return found;
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
  if (!find_after(cron, kAnyTime, TimeZone{})) return std::nullopt;
  return cron;
}

Time next_after(const Cron& cron, Time after, const TimeZone& zone) {
  return find_after(cron, after, zone).value_or(Time::max());
}

}  // namespace quorate::base
