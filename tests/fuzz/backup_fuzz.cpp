// libFuzzer's way into the readers of backups.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/backup_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quorate::fuzz::check_backup({reinterpret_cast<const char*>(data), size});
  return 0;
}
