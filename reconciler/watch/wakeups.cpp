// A list of reasons under a mutex.
#include "reconciler/watch/wakeups.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace quorate::watch {
namespace {

// A deadline that no clock can hold is no deadline that anybody waits for.
constexpr base::Duration kLongest = std::chrono::hours{24 * 365};

}  // namespace

void Wakeups::wake(std::string reason) {
  {
    const std::lock_guard lock(mutex_);
    const bool known = std::find(reasons_.begin(), reasons_.end(), reason) != reasons_.end();
    if (!known && reasons_.size() < kReasons) reasons_.push_back(std::move(reason));
  }
  changed_.notify_all();
}

std::vector<std::string> Wakeups::wait(base::Duration at_most) {
  const auto deadline = std::chrono::steady_clock::now() + std::clamp(at_most, base::Duration{0}, kLongest);
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [&] { return stopped_ || !reasons_.empty(); });
  if (stopped_) return {};
  return std::exchange(reasons_, {});
}

void Wakeups::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

bool Wakeups::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

}  // namespace quorate::watch
