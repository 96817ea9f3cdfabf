// The system's clock.
#include <chrono>

#include <time.h>

#include "reconciler/adapters/system/node.h"

namespace quorate::adapters::system {
namespace {

class SystemClock final : public ports::Clock {
 public:
  base::Time now() override { return std::chrono::floor<base::Duration>(std::chrono::system_clock::now()); }

  base::Duration elapsed() override {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::duration_cast<base::Duration>(std::chrono::seconds{time.tv_sec} +
                                                      std::chrono::nanoseconds{time.tv_nsec});
  }
};

}  // namespace

std::unique_ptr<ports::Clock> make_clock() {
  return std::make_unique<SystemClock>();
}

}  // namespace quorate::adapters::system
