// The JSON Schemas as the binary carries them.
#pragma once

#include <string_view>

namespace quorate::schema {

std::string_view agent();        // the node file
std::string_view cluster();      // the desired file
std::string_view observation();  // what quorate observe writes
std::string_view plan();         // what quorate plan writes

}  // namespace quorate::schema
