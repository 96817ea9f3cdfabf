// What a text of the command line may be; CLI11 shows the sentence that comes back, and none means that it is right.
#pragma once

#include <string>

#include "reconciler/base/units.h"

namespace quorate::cli {

inline std::string a_duration(const std::string& text) {
  return base::parse_duration(text) ? "" : text + " is no duration; write a number and a unit, such as 10m";
}

// An empty text is a variable of a script that was not set.
inline std::string not_empty(const std::string& text) {
  return text.empty() ? "may not be empty" : "";
}

}  // namespace quorate::cli
