// libFuzzer's way into the reader of etcd's log.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/disk_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quorate::fuzz::check_wal({reinterpret_cast<const char*>(data), size});
  return 0;
}
