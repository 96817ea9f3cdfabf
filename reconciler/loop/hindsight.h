// What no single look can tell: whether a learner comes closer to its leader, and since when an update of peer URLs has
// been under way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "reconciler/base/units.h"
#include "reconciler/model/observed.h"

namespace quorate::loop {

class Hindsight {
 public:
  // `settled`: how long a change that was asked for may still take effect.
  explicit Hindsight(base::Duration settled) : settled_(settled) {}

  // Adds it to a look that was made at `at`, by ports::Clock::elapsed, and remembers this one for the next.
  void add_to(model::Observed& observed, base::Duration at);

 private:
  base::Duration settled_;
  std::optional<std::uint64_t> led_at_;
  base::Duration led_since_{};                             // the look that it is of
  std::map<std::int64_t, base::Duration> updating_since_;  // by the revision of the record
};

}  // namespace quorate::loop
