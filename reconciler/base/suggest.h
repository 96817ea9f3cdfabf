// "Did you mean": the known words nearest to what somebody typed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quorate::base {

std::size_t edit_distance(std::string_view a, std::string_view b);

// At most `most` candidates that are near enough to be a typing mistake, nearest first.
std::vector<std::string> nearest(std::string_view typed, const std::vector<std::string>& known, std::size_t most = 2);

}  // namespace quorate::base
