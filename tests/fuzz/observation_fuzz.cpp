// libFuzzer's way into observations, the planner and the gate.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/observation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quorate::fuzz::check_observation({reinterpret_cast<const char*>(data), size});
  return 0;
}
