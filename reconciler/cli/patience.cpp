// One thread that sleeps, and is woken when the wait is over.
#include "reconciler/cli/patience.h"

#include <chrono>
#include <utility>

#include "reconciler/cli/commands.h"

namespace quorate::cli {

Patience::Patience(std::string line) {
  if (line.empty()) return;
  thread_ = std::thread([this, line = std::move(line)] {
    std::unique_lock lock(mutex_);
    if (!over_.wait_for(lock, std::chrono::seconds(2), [this] { return is_over_; })) talk(line);
  });
}

Patience::~Patience() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace quorate::cli
