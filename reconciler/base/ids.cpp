// Hexadecimal and back.
#include "reconciler/base/ids.h"

#include <array>
#include <charconv>

namespace quorate::base {

std::string id_text(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return {digits.data(), end.ptr};
}

std::optional<std::uint64_t> parse_id(std::string_view text) {
  std::uint64_t value = 0;
  if (text.empty() || text.size() > 16) return std::nullopt;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace quorate::base
