// Starts, watches and stops the etcd of one member. Restarting one that ends by itself is the runtime's own work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/time.h"
#include "reconciler/base/units.h"
#include "reconciler/model/run_state.h"

namespace quorate::ports {

struct Launch {
  std::string member;
  std::string program;            // a path, or a name that is looked up in PATH
  std::vector<std::string> args;  // without the program
  std::string wanted_version;     // "3.5.21" or "3.5"; empty: any. Another one is refused before it is started
};

class Runtime {
 public:
  Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  // Runs it from now on, started again with backoff when it ends. One that runs with the same launch, from an earlier
  // life of ours too, is left alone. Returns when the process has been started, not when it is ready.
  virtual base::Result<void> start(const Launch& launch) = 0;
  // SIGTERM, after `patience` SIGKILL; returns when the process is gone. Nothing runs: done.
  virtual base::Result<void> stop(base::Duration patience) = 0;
  virtual model::RunState look() = 0;
};

}  // namespace quorate::ports
