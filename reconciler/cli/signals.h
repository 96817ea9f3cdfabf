// Signals as something to wait for, beside news from other threads.
#pragma once

#include <atomic>
#include <csignal>
#include <optional>
#include <string>
#include <thread>

#include "reconciler/base/units.h"

namespace quorate::cli {

// Made before any other thread, so that all of them leave these signals to it: SIGINT, SIGTERM, SIGHUP and SIGUSR1.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  void nudge();  // from any thread: wait() returns with nothing
  // The next signal; nothing after a nudge, or when the time is up.
  std::optional<int> wait(std::optional<base::Duration> at_most = std::nullopt);
  // Somebody has said stop, and that is being done: who says it again ends the process at once, with this code and this
  // last line.
  void end_at_next(int code, std::string last_line);

 private:
  int signals_ = -1;
  int nudges_ = -1;
  std::atomic<bool> over_{false};
  std::thread end_;
};

}  // namespace quorate::cli
