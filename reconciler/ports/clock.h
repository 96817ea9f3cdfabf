// What time it is.
#pragma once

#include "reconciler/base/time.h"
#include "reconciler/base/units.h"

namespace quorate::ports {

class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  virtual base::Time now() = 0;
  // Since the machine started, sleep included: nobody sets it, so spans are measured by it.
  virtual base::Duration elapsed() = 0;
};

}  // namespace quorate::ports
