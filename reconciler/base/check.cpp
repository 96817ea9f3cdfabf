// The one place in the pure rooms that may write and stop: it runs only when the program is wrong.
#include "reconciler/base/check.h"

#include <cstdlib>
#include <string>

#include <unistd.h>

namespace quorate::base {

void check_failed(const char* condition, const char* file, int line) {
  const std::string text =
      std::string("quorate: bug: ") + condition + " does not hold at " + file + ":" + std::to_string(line) + "\n";
  [[maybe_unused]] const auto written = ::write(2, text.data(), text.size());
  std::abort();
}

}  // namespace quorate::base
