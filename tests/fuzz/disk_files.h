// What must hold for any bytes that lie where etcd's log or database should be; breaking it stops the process.
#pragma once

#include <string_view>

namespace quorate::fuzz {

void check_wal(std::string_view bytes);
void check_database(std::string_view bytes);

}  // namespace quorate::fuzz
