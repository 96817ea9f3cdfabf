// Durations and sizes as people write them: a number and a unit, never a bare number.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quorate::base {

using Duration = std::chrono::milliseconds;

struct Size {
  std::uint64_t bytes = 0;
  friend auto operator<=>(const Size&, const Size&) = default;
};

// "30s", "1h30m", "1.5d"; units ms s m h d w. Nothing when it is something else or does not fit.
std::optional<Duration> parse_duration(std::string_view text);

// "8Gi", "1.5G", "512B"; units B Ki Mi Gi Ti (powers of 1024) and K M G T (powers of 1000).
std::optional<Size> parse_size(std::string_view text);

// The largest units that divide it: "1h30m", "8Gi".
std::string to_string(Duration duration);
std::string to_string(Size size);

}  // namespace quorate::base
