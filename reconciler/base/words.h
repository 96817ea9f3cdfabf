// Texts in a row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quorate::base {

std::string joined(const std::vector<std::string>& texts, std::string_view between);

}  // namespace quorate::base
