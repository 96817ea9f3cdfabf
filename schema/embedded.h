// The JSON Schemas as the binary carries them.
#pragma once

#include <string_view>

namespace quorate::schema {

std::string_view cluster();

}  // namespace quorate::schema
