// Everything at once, one thing after the other: for tests that count and compare.
#pragma once

#include "reconciler/ports/parallel.h"

namespace quorate::fakes {

class OneByOne final : public ports::Parallel {
 public:
  void run(std::vector<std::function<void()>> jobs) override {
    for (const auto& job : jobs) job();
  }
};

}  // namespace quorate::fakes
