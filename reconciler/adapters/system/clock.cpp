// The system's clock.
#include <chrono>

#include "reconciler/adapters/system/node.h"

namespace quorate::adapters::system {
namespace {

class SystemClock final : public ports::Clock {
 public:
  base::Time now() override { return std::chrono::floor<base::Duration>(std::chrono::system_clock::now()); }
};

}  // namespace

std::unique_ptr<ports::Clock> make_clock() {
  return std::make_unique<SystemClock>();
}

}  // namespace quorate::adapters::system
