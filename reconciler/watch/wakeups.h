// Many wake-ups from any thread become at most one pending pass.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "reconciler/base/units.h"

namespace quorate::watch {

// However often it is woken, it remembers so many different reasons; the rest of them would make the same pass.
inline constexpr std::size_t kReasons = 64;

class Wakeups {
 public:
  Wakeups() = default;
  Wakeups(const Wakeups&) = delete;
  Wakeups& operator=(const Wakeups&) = delete;

  void wake(std::string reason);  // from any thread

  // The reasons since the last call, each once, in the order in which they came: at once where there are any, else as
  // soon as one comes. Empty: the time is up, or stop() was called. The clock of the system may be set meanwhile.
  std::vector<std::string> wait(base::Duration at_most);

  void stop();  // for good: nobody waits any more
  bool stopped() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> reasons_;
  bool stopped_ = false;
};

}  // namespace quorate::watch
