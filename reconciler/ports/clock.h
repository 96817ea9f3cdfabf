// What time it is.
#pragma once

#include "reconciler/base/time.h"

namespace quorate::ports {

class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  virtual base::Time now() = 0;
};

}  // namespace quorate::ports
