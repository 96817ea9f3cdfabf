// What `agent` and `up` have in common: a crew, a socket to talk to it, signals, and word to systemd.
#pragma once

#include <functional>
#include <string>

#include "reconciler/adapters/spdlog/events.h"
#include "reconciler/cli/crew.h"
#include "reconciler/cli/screen.h"
#include "reconciler/model/exit_code.h"

namespace quorate::cli {

struct DaemonOptions {
  CrewOptions crew;          // without its callbacks
  std::string socket;        // absolute
  std::string socket_group;  // who may speak to it besides its owner; empty, or none of this machine: its folder's
  log::EventFormat format = log::EventFormat::Text;
  ports::EventLevel level = ports::EventLevel::Info;
  Screen* screen = nullptr;  // where somebody looks on; null: nobody does
};

// Until a signal says stop; SIGHUP reads the file again.
model::ExitCode run_daemon(DaemonOptions options);

}  // namespace quorate::cli
