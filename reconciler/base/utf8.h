// UTF-8: is it valid, and how many characters stand before a byte.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace quorate::base {

// Offset of the first byte that is not UTF-8, or nothing when all of it is.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);

std::size_t count_characters(std::string_view valid_utf8);

}  // namespace quorate::base
