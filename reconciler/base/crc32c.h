// CRC-32C (Castagnoli), which etcd chains through its log.
#pragma once

#include <cstdint>
#include <string_view>

namespace quorate::base {

// Of everything that `before` already covers, and then `bytes`; 0 covers nothing.
std::uint32_t crc32c(std::uint32_t before, std::string_view bytes);

}  // namespace quorate::base
