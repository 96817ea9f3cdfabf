// A record is its length, with the padding in the highest byte, and so many bytes.
#include "tests/integration/wal_file.h"

#include <cstdint>
#include <filesystem>
#include <set>

#include "reconciler/base/byte_source.h"

namespace quorate::integration {

std::string last_segment(const std::string& wal_dir) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(wal_dir)) {
    if (entry.path().extension() == ".wal") names.insert(entry.path().string());
  }
  return *names.rbegin();
}

std::vector<std::size_t> record_offsets(const std::string& segment) {
  std::vector<std::size_t> offsets;
  for (std::size_t at = 0; at + 8 <= segment.size();) {
    const auto length = base::little_endian<std::uint64_t>(segment.data() + at);
    if (length == 0) break;
    offsets.push_back(at);
    at += 8 + (length & 0x00FFFFFFFFFFFFFF) + (length >> 63 != 0 ? length >> 56 & 7 : 0);
  }
  return offsets;
}

}  // namespace quorate::integration
