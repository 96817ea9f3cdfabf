// The etcd of one machine as its runtime sees it: what it was started with, and when it was stopped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/ports/runtime.h"

namespace quorate::fakes {

class FakeRuntime final : public ports::Runtime {
 public:
  explicit FakeRuntime(std::vector<std::string>& done) : done_(done) {}

  model::RunState state;
  ports::Launch launched;               // by the last start
  std::optional<base::Error> will_not;  // start and stop end with this

  base::Result<void> start(const ports::Launch& launch) override {
    if (will_not) return tl::unexpected(*will_not);
    done_.push_back("start");
    launched = launch;
    state.phase = model::RunPhase::Running;
    return {};
  }

  base::Result<void> stop(base::Duration /*patience*/) override {
    if (will_not) return tl::unexpected(*will_not);
    done_.push_back("stop");
    state.phase = model::RunPhase::Stopped;
    return {};
  }

  model::RunState look() override { return state; }

 private:
  std::vector<std::string>& done_;
};

}  // namespace quorate::fakes
