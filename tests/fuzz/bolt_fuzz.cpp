// libFuzzer's way into the reader of etcd's database.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/disk_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quorate::fuzz::check_database({reinterpret_cast<const char*>(data), size});
  return 0;
}
