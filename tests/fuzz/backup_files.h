// What must hold for any bytes that lie where a backup's files should be; breaking it stops the process.
#pragma once

#include <string_view>

namespace quorate::fuzz {

// The first byte chooses what the rest is taken for.
void check_backup(std::string_view bytes);

}  // namespace quorate::fuzz
