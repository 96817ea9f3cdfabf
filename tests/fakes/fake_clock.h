// Time that moves only when a test moves it.
#pragma once

#include <mutex>

#include "reconciler/ports/clock.h"

namespace quorate::fakes {

class FakeClock final : public ports::Clock {
 public:
  explicit FakeClock(base::Time start = base::Time(std::chrono::hours(24 * 365 * 56))) : now_(start) {}

  base::Time now() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  base::Duration elapsed() override {
    const std::lock_guard lock(mutex_);
    return elapsed_;
  }
  // Somebody sets the clock; no time passes.
  void set(base::Time now) {
    const std::lock_guard lock(mutex_);
    now_ = now;
  }
  void advance(base::Duration by) {
    const std::lock_guard lock(mutex_);
    now_ += by;
    elapsed_ += by;
  }

 private:
  std::mutex mutex_;
  base::Time now_;
  base::Duration elapsed_{std::chrono::hours{1}};
};

}  // namespace quorate::fakes
