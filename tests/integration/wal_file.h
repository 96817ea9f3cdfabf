// The log of a real etcd as bytes, for tests that break it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace quorate::integration {

std::string last_segment(const std::string& wal_dir);
// Where the records of a segment begin; behind the last of them there is only room.
std::vector<std::size_t> record_offsets(const std::string& segment);

}  // namespace quorate::integration
