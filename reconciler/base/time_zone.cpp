// Offsets by the table of changes, and behind its end by the yearly rule.
#include "reconciler/base/time_zone.h"

#include <algorithm>
#include <limits>
#include <string>

namespace quorate::base {
namespace {

using std::chrono::days;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year;
using By = TimeZone::Change::By;

constexpr std::size_t kHeader = 44;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr Duration kAround = std::chrono::hours{24};
constexpr std::int64_t kLongestOffset = std::int64_t{26} * 3600;  // seconds

// ------------------------------------------------------------------------------------------------- the yearly rule
Time day_of(const TimeZone::Change& change, year of) {
  const sys_days first{of / 1 / 1};
  if (change.by == By::DayOfYear) return first + days(change.day);
  if (change.by == By::DayOfYearWithoutLeap) {
    const bool past_leap_day = of.is_leap() && change.day >= 60;
    return first + days(change.day - 1 + (past_leap_day ? 1 : 0));
  }
  const std::chrono::month month(static_cast<unsigned>(change.month));
  const std::chrono::weekday weekday(static_cast<unsigned>(change.day));
  if (change.week == 5) return sys_days{of / month / weekday[std::chrono::last]};
  return sys_days{of / month / weekday[static_cast<unsigned>(change.week)]};
}

Duration offset_by(const TimeZone::Rule& rule, Time at) {
  if (!rule.summer_time) return rule.standard;
  const auto date = std::chrono::floor<days>(at + rule.standard);
  const year of = std::chrono::year_month_day(date).year();
  const Time begin = day_of(rule.summer_time->first, of) + rule.summer_time->first.at - rule.standard;
  const Time end = day_of(rule.summer_time->second, of) + rule.summer_time->second.at - rule.summer;
  const bool summer = begin < end ? begin <= at && at < end : at < end || begin <= at;
  return summer ? rule.summer : rule.standard;
}

// ------------------------------------------------------------------------------------------------------- its text
bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int> take_number(std::string_view& text, int most) {
  int value = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && digits < 4 && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    value = value * 10 + (text[digits] - '0');
  }
  text.remove_prefix(digits);
  return digits > 0 && value <= most ? std::optional(value) : std::nullopt;
}

// "CET", "<+0330>".
bool take_name(std::string_view& text) {
  std::size_t length = 0;
  if (take(text, '<')) {
    length = text.find('>');
    if (length == std::string_view::npos) return false;
    text.remove_prefix(length + 1);
    return true;
  }
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  while (length < text.size() && is_letter(text[length])) ++length;
  text.remove_prefix(length);
  return length > 0;
}

// "-1", "3:30", "+167:59:59".
std::optional<Duration> take_time(std::string_view& text) {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  const auto hours = take_number(text, 167);
  if (!hours) return std::nullopt;
  Duration time = std::chrono::hours(*hours);
  for (const seconds unit : {seconds(60), seconds(1)}) {
    if (!take(text, ':')) break;
    const auto count = take_number(text, 59);
    if (!count) return std::nullopt;
    time += *count * unit;
  }
  return negative ? -time : time;
}

std::optional<TimeZone::Change> take_change(std::string_view& text) {
  TimeZone::Change change;
  if (take(text, 'M')) {
    const auto month = take_number(text, 12);
    const auto week = take(text, '.') ? take_number(text, 5) : std::nullopt;
    const auto day = take(text, '.') ? take_number(text, 6) : std::nullopt;
    if (!month || !week || !day || *month == 0 || *week == 0) return std::nullopt;
    change.month = *month;
    change.week = *week;
    change.day = *day;
  } else {
    change.by = take(text, 'J') ? By::DayOfYearWithoutLeap : By::DayOfYear;
    const auto day = take_number(text, 365);
    if (!day || (change.by == By::DayOfYearWithoutLeap && *day == 0)) return std::nullopt;
    change.day = *day;
  }
  const auto at = take(text, '/') ? take_time(text) : std::optional<Duration>(std::chrono::hours(2));
  if (!at) return std::nullopt;
  change.at = *at;
  return change;
}

// ------------------------------------------------------------------------------------------------------- the file
std::int64_t big_endian(std::string_view bytes) {
  std::uint64_t value = bytes.empty() || static_cast<signed char>(bytes.front()) >= 0 ? 0 : ~std::uint64_t{0};
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(value);
}

struct Block {
  std::size_t times = 0;
  std::size_t types = 0;
  std::size_t letters = 0;
  std::size_t leaps = 0;
  std::size_t standard = 0;
  std::size_t universal = 0;
  std::size_t size(std::size_t width) const {
    return times * (width + 1) + types * 6 + letters + leaps * (width + 4) + standard + universal;
  }
};

std::optional<Block> read_header(std::string_view file) {
  if (file.size() < kHeader || file.substr(0, 4) != "TZif") return std::nullopt;
  const auto count = [&](std::size_t at) { return static_cast<std::size_t>(big_endian(file.substr(20 + 4 * at, 4))); };
  const Block block{count(3), count(4), count(5), count(2), count(1), count(0)};
  for (const std::size_t each :
       {block.times, block.types, block.letters, block.leaps, block.standard, block.universal}) {
    if (each > kMostBytes) return std::nullopt;
  }
  return block;
}

}  // namespace

std::optional<TimeZone::Rule> parse_zone_rule(std::string_view text) {
  TimeZone::Rule rule;
  if (!take_name(text)) return std::nullopt;
  const auto standard = take_time(text);  // west of Greenwich is positive there
  if (!standard) return std::nullopt;
  rule.standard = -*standard;
  if (text.empty()) return rule;
  if (!take_name(text)) return std::nullopt;
  rule.summer = rule.standard + std::chrono::hours(1);
  if (!text.empty() && text.front() != ',') {
    const auto summer = take_time(text);
    if (!summer) return std::nullopt;
    rule.summer = -*summer;
  }
  const auto begin = take(text, ',') ? take_change(text) : std::nullopt;
  const auto end = take(text, ',') ? take_change(text) : std::nullopt;
  if (!begin || !end || !text.empty()) return std::nullopt;
  rule.summer_time.emplace(*begin, *end);
  return rule;
}

Result<TimeZone> parse_time_zone(std::string_view file) {
  const auto broken = [] { return base::invalid("it is no file of the tz database"); };
  auto block = file.size() <= kMostBytes ? read_header(file) : std::nullopt;
  if (!block) return broken();
  std::size_t width = 4;
  if (file[4] >= '2') {  // the same again, with wider times
    const std::size_t first = kHeader + block->size(width);
    if (first > file.size()) return broken();
    file.remove_prefix(first);
    block = read_header(file);
    width = 8;
    if (!block) return broken();
  }
  file.remove_prefix(kHeader);
  if (file.size() < block->size(width) || block->types == 0) return broken();
  if (block->leaps != 0) return base::invalid("it counts leap seconds", "name the zone without \"right/\"");

  const std::string_view kinds = file.substr(block->times * width, block->times);
  const std::string_view types = file.substr(block->times * (width + 1), block->types * 6);
  std::vector<Duration> offsets;
  for (std::size_t at = 0; at < block->types; ++at) {
    const std::int64_t offset = big_endian(types.substr(at * 6, 4));
    if (offset < -kLongestOffset || offset > kLongestOffset) return broken();
    offsets.emplace_back(seconds(offset));
  }
  TimeZone zone;
  zone.first_ = offsets.front();
  for (std::size_t at = 0; at < block->times; ++at) {
    const std::int64_t time = big_endian(file.substr(at * width, width));
    const auto kind = static_cast<unsigned char>(kinds[at]);
    constexpr std::int64_t kFar = std::int64_t{1} << 50;
    if (kind >= offsets.size()) return broken();
    const Time when(seconds(std::clamp(time, -kFar, kFar)));
    if (!zone.changes_.empty() && when <= zone.changes_.back().first) return broken();
    zone.changes_.emplace_back(when, offsets[kind]);
  }
  file.remove_prefix(block->size(width));
  if (width == 8) {
    const std::size_t end = file.find('\n', 1);
    if (end == std::string_view::npos || file.front() != '\n') return broken();
    const std::string_view rule = file.substr(1, end - 1);
    zone.rule_ = parse_zone_rule(rule);
    if (!zone.rule_ && !rule.empty()) return broken();
  }
  return zone;
}

Duration TimeZone::offset_at(Time at) const {
  const auto after = std::upper_bound(changes_.begin(), changes_.end(), at,
                                      [](Time time, const auto& change) { return time < change.first; });
  if (after == changes_.end() && rule_) return offset_by(*rule_, at);
  return after == changes_.begin() ? first_ : std::prev(after)->second;
}

std::array<Duration, 2> TimeZone::offsets_around(LocalTime shown) const {
  return {offset_at(shown - kAround), offset_at(shown + kAround)};
}

std::vector<Time> TimeZone::moments(LocalTime shown) const {
  std::vector<Time> found;
  for (const Duration offset : offsets_around(shown)) {
    const Time at = shown - offset;
    if (offset_at(at) == offset && (found.empty() || found.front() != at)) found.push_back(at);
  }
  std::sort(found.begin(), found.end());
  return found;
}

Time TimeZone::skipped(LocalTime shown) const {
  const auto [before, after] = offsets_around(shown);
  Time early = shown - std::max(before, after);  // its clocks are behind what is looked for
  Time late = shown - std::min(before, after);
  while (late - early > seconds(1)) {
    const Time middle = early + std::chrono::floor<seconds>((late - early) / 2);
    (offset_at(middle) == before ? early : late) = middle;
  }
  return late;
}

bool is_zone_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '+' ||
           c == '-' || c == '/';
  };
  return !name.empty() && name.size() <= 64 && name.front() != '/' && name.back() != '/' &&
         name.find("//") == std::string_view::npos && std::all_of(name.begin(), name.end(), is_plain);
}

}  // namespace quorate::base
