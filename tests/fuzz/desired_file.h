// What must hold for every text that anybody offers as a desired file; breaking it stops the process.
#pragma once

#include <string_view>

namespace quorate::fuzz {

void check_desired_file(std::string_view bytes);

}  // namespace quorate::fuzz
