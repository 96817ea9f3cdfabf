// Texts in a row: joined, looked through, compared.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quorate::base {

std::string joined(const std::vector<std::string>& texts, std::string_view between);
bool contains(const std::vector<std::string>& texts, std::string_view text);
bool same_texts(const std::vector<std::string>& a, const std::vector<std::string>& b);  // in any order

}  // namespace quorate::base
