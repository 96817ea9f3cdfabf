// The difference of two texts, line by line, as `diff -u` shows it.
#pragma once

#include <string>
#include <string_view>

#include "reconciler/report/style.h"

namespace quorate::report {

// Empty when the texts are equal. The names stand in the first two lines; an absent text is the empty one.
std::string unified_diff(std::string_view before_name, std::string_view before, std::string_view after_name,
                         std::string_view after, const Style& style);

}  // namespace quorate::report
