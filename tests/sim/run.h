// One seed: a scenario drawn from it, a phase in which things go wrong, a phase in which nothing does, and the verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/world.h"

namespace quorate::sim {

struct Outcome {
  std::string problem;  // empty: all is well
  std::uint64_t trace_hash = 0;
  bool lost_for_good = false;  // more disks were wiped than a cluster can lose, and the agents stopped
  std::uint64_t passes = 0;
  std::uint64_t writes = 0;
  std::vector<std::string> lines;  // the trace
};

Outcome run_seed(const Options& options);

}  // namespace quorate::sim
