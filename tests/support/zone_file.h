// Files of the tz database, written by hand: so few changes as a test needs, and the yearly rule.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace quorate::support {

inline std::string big_endian(std::int64_t value, int bytes) {
  std::string text;
  for (int byte = bytes - 1; byte >= 0; --byte)
    text += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * byte));
  return text;
}

// `changes`: seconds since the epoch, and seconds ahead of UTC from then on. Before the first: `first`.
inline std::string zone_file(const std::string& rule, std::int64_t first = 0,
                             const std::vector<std::pair<std::int64_t, std::int64_t>>& changes = {},
                             std::int64_t leap_seconds = 0) {
  const auto block = [&](int width) {
    const auto count = static_cast<std::int64_t>(changes.size());
    std::string text = "TZif2" + std::string(15, '\0');
    for (const std::int64_t each :
         {std::int64_t{0}, std::int64_t{0}, leap_seconds, count, count + 1, std::int64_t{4}}) {
      text += big_endian(each, 4);
    }
    for (const auto& change : changes) text += big_endian(change.first, width);
    for (std::int64_t kind = 1; kind <= count; ++kind) text += static_cast<char>(kind);
    text += big_endian(first, 4) + std::string(2, '\0');
    for (const auto& change : changes) text += big_endian(change.second, 4) + std::string(2, '\0');
    text += std::string("LMT\0", 4);
    return text + std::string(static_cast<std::size_t>(leap_seconds) * static_cast<std::size_t>(width + 4), '\0');
  };
  return block(4) + block(8) + "\n" + rule + "\n";
}

inline std::string amsterdam() {
  return zone_file("CET-1CEST,M3.5.0,M10.5.0/3");
}

}  // namespace quorate::support
