// The time of the system, or one that is off by as much as a test wants.
#pragma once

#include <chrono>

#include "reconciler/ports/clock.h"

namespace quorate::tests {

class ShiftedClock final : public ports::Clock {
 public:
  base::Time now() override {
    return std::chrono::time_point_cast<base::Duration>(std::chrono::system_clock::now()) + off;
  }
  base::Duration elapsed() override {
    return std::chrono::duration_cast<base::Duration>(std::chrono::steady_clock::now().time_since_epoch());
  }
  base::Duration off{0};
};

}  // namespace quorate::tests
