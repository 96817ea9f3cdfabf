// Several things at once, so that one slow answer does not make the next one late.
#pragma once

#include <functional>
#include <vector>

namespace quorate::ports {

class Parallel {
 public:
  Parallel() = default;
  Parallel(const Parallel&) = delete;
  Parallel& operator=(const Parallel&) = delete;
  virtual ~Parallel() = default;

  // Returns when all have returned. Jobs share nothing.
  virtual void run(std::vector<std::function<void()>> jobs) = 0;
};

}  // namespace quorate::ports
