// What must hold for any text that anybody hands in as an observation; breaking it stops the process.
#pragma once

#include <string_view>

namespace quorate::fuzz {

void check_observation(std::string_view text);

}  // namespace quorate::fuzz
