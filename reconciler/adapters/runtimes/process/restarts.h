// How often a process has ended too soon, and how long to wait before the next start.
#pragma once

#include <algorithm>
#include <cstdint>

#include "reconciler/adapters/runtimes/process/process_runtime.h"

namespace quorate::adapters::process {

class Restarts {
 public:
  Restarts(Pauses pauses, ports::Entropy& entropy) : pauses_(pauses), entropy_(entropy) {}

  // It has ended, after having run for so long.
  base::Duration pause_after(base::Duration ran) {
    if (ran >= pauses_.settled) ends_ = 0;
    ++ends_;
    const int doublings = std::min(ends_ - 1, 20);
    const std::int64_t whole = std::min(pauses_.first.count() << doublings, pauses_.longest.count());
    const std::int64_t half = whole / 2;
    return base::Duration(whole - half +
                          static_cast<std::int64_t>(entropy_.below(static_cast<std::uint64_t>(half) + 1)));
  }
  void forget() { ends_ = 0; }
  bool crash_loop() const { return ends_ >= 3; }

 private:
  Pauses pauses_;
  ports::Entropy& entropy_;
  int ends_ = 0;
};

}  // namespace quorate::adapters::process
