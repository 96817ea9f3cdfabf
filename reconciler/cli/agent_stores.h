// The stores of an agent, and the thread that works on them beside its passes.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"
#include "reconciler/ports/host.h"
#include "reconciler/ports/node.h"
#include "reconciler/ports/stores.h"

namespace quorate::cli {

struct StoresOf {
  ports::Clock& clock;
  ports::Entropy& entropy;
  ports::Host& host;
  ports::Node& node;
  std::string folder;           // of the agent; what is tried out is there, or in $TMPDIR
  std::string name;             // of the agent among others of this machine
  std::function<void()> ended;  // called on that thread after each job
};

// At the end the job that is under way is waited for.
std::unique_ptr<ports::Stores> make_agent_stores(StoresOf parts);

}  // namespace quorate::cli
