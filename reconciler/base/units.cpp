// Reading and writing durations and sizes without ever rounding what somebody wrote into something else.
#include "reconciler/base/units.h"

#include <array>
#include <limits>
#include <utility>

namespace quorate::base {
namespace {

template <class Unit>
using UnitTable = std::pair<std::string_view, Unit>;

constexpr std::uint64_t kMostMilliseconds = 1'000'000'000'000'000;  // 30,000 years: room to add and to compare
constexpr std::array<UnitTable<std::uint64_t>, 6> kDurationUnits{{
    {"w", 604'800'000},
    {"d", 86'400'000},
    {"h", 3'600'000},
    {"m", 60'000},
    {"s", 1'000},
    {"ms", 1},
}};

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;
constexpr std::array<UnitTable<std::uint64_t>, 9> kSizeUnits{{
    {"Ti", std::uint64_t{1} << 40},
    {"Gi", std::uint64_t{1} << 30},
    {"Mi", std::uint64_t{1} << 20},
    {"Ki", std::uint64_t{1} << 10},
    {"T", 1'000'000'000'000},
    {"G", 1'000'000'000},
    {"M", 1'000'000},
    {"K", 1'000},
    {"B", 1},
}};

struct Decimal {
  std::uint64_t digits = 0;  // 1.25 is 125 ...
  std::uint64_t scale = 1;   // ... by 100
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes "12" or "1.25" from the front. At most 15 digits, so that nothing overflows on the way.
std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal number;
  std::size_t at = 0;
  std::size_t digits = 0;
  bool fraction = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !fraction)); ++at) {
    if (text[at] == '.') {
      if (at == 0 || at + 1 == text.size() || !is_digit(text[at + 1])) return std::nullopt;
      fraction = true;
      continue;
    }
    if (++digits > 15) return std::nullopt;
    number.digits = number.digits * 10 + static_cast<std::uint64_t>(text[at] - '0');
    if (fraction) number.scale *= 10;
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(at);
  return number;
}

// digits * unit / scale, when that is a whole number not above `most`.
std::optional<std::uint64_t> exactly(Decimal number, std::uint64_t unit, std::uint64_t most) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{number.digits} * unit;
  if (product % number.scale != 0) return std::nullopt;
  const Wide value = product / number.scale;
  if (value > most) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::string_view take_letters(std::string_view& text) {
  std::size_t at = 0;
  while (at < text.size() && !is_digit(text[at])) ++at;
  const std::string_view letters = text.substr(0, at);
  text.remove_prefix(at);
  return letters;
}

template <class Table>
std::optional<std::uint64_t> unit_named(const Table& table, std::string_view name) {
  for (const auto& [unit, factor] : table) {
    if (unit == name) return factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t total = 0;
  while (!text.empty()) {
    const auto number = take_decimal(text);
    if (!number) return std::nullopt;
    const auto unit = unit_named(kDurationUnits, take_letters(text));
    if (!unit) return std::nullopt;
    const auto part = exactly(*number, *unit, kMostMilliseconds);
    if (!part || total + *part > kMostMilliseconds) return std::nullopt;
    total += *part;
  }
  return Duration(static_cast<std::int64_t>(total));
}

std::optional<Size> parse_size(std::string_view text) {
  const auto number = take_decimal(text);
  if (!number) return std::nullopt;
  const auto unit = unit_named(kSizeUnits, text);
  if (!unit) return std::nullopt;
  const auto bytes = exactly(*number, *unit, kMostBytes);
  if (!bytes) return std::nullopt;
  return Size{*bytes};
}

std::string to_string(Duration duration) {
  auto rest = static_cast<std::uint64_t>(duration.count());
  if (rest == 0) return "0s";
  const bool is_back = duration.count() < 0;  // from a clock that was set back
  if (is_back) rest = 0 - rest;
  std::string text = is_back ? "-" : "";
  for (const auto& [unit, factor] : kDurationUnits) {
    if (rest / factor == 0) continue;
    text += std::to_string(rest / factor);
    text += unit;
    rest %= factor;
  }
  return text;
}

std::string to_string(Size size) {
  for (const auto& [unit, factor] : kSizeUnits) {
    if (unit.size() == 2 && size.bytes != 0 && size.bytes % factor == 0) {
      return std::to_string(size.bytes / factor) + std::string(unit);
    }
  }
  return std::to_string(size.bytes) + "B";
}

}  // namespace quorate::base
