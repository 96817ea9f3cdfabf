// The stores of an agent, and the thread that works on them beside its passes.
#pragma once

#include <functional>
#include <memory>

#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"
#include "reconciler/ports/stores.h"

namespace quorate::cli {

// `ended` is called on that thread after each job. At the end the job that is under way is waited for.
std::unique_ptr<ports::Stores> make_agent_stores(ports::Clock& clock, ports::Entropy& entropy,
                                                 std::function<void()> ended);

}  // namespace quorate::cli
