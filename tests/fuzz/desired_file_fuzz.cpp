// libFuzzer's way in; ci/fuzz runs it.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/desired_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quorate::fuzz::check_desired_file({reinterpret_cast<const char*>(data), size});
  return 0;
}
