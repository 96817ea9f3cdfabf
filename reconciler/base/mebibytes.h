// Sizes of files and disks, for people who have to make room.
#pragma once

#include <cstdint>
#include <string>

namespace quorate::base {

inline std::string mebibytes(std::uint64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

}  // namespace quorate::base
