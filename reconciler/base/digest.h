// SHA-256, the only digest that names things here.
#pragma once

#include <string>
#include <string_view>

namespace quorate::base {

std::string sha256_hex(std::string_view bytes);

}  // namespace quorate::base
