// The pause after failures in a row: longer each time, and never in step with others.
#pragma once

#include <algorithm>
#include <cstdint>

#include "reconciler/base/units.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"

namespace quorate::loop {

struct Rest {
  int failures = 0;             // in a row
  base::Duration not_before{};  // on Clock::elapsed

  void tire(ports::Clock& clock, ports::Entropy& entropy, base::Duration longest) {
    constexpr base::Duration kFirst{2000};
    const base::Duration pause = std::min(kFirst * (std::int64_t{1} << std::min(failures, 30)), longest);
    ++failures;
    const auto more = entropy.below(static_cast<std::uint64_t>(pause.count() / 4 + 1));
    not_before = clock.elapsed() + pause + base::Duration{static_cast<std::int64_t>(more)};
  }
};

// A step that has failed since, and is not tried again before; both on Clock::elapsed.
struct Failing {
  base::Duration since{};
  base::Duration not_before{};
};

}  // namespace quorate::loop
