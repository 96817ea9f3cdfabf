// A runtime that keeps the etcd of one member as a process of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"
#include "reconciler/ports/events.h"
#include "reconciler/ports/runtime.h"

namespace quorate::adapters::process {

// How long it waits before it starts an etcd again: twice as long each time, less a random part of up to one half.
struct Pauses {
  base::Duration first{100};
  base::Duration longest{30'000};
  base::Duration settled{60'000};  // after so long a run it begins anew, and earlier ends are forgotten
};

struct Options {
  std::string member;   // the name that its files and its log lines carry
  std::string run_dir;  // of the process file and etcd's log; made, and kept for us alone (0700)
  ports::Clock& clock;
  ports::Entropy& entropy;
  ports::Events& events;
  // Which release a program is; it is asked only where a launch wants one.
  std::function<base::Result<std::string>(const std::string& program)> version_of;
  // Called on a thread of the runtime's own after each change of look(), and when etcd says that it has a log, or
  // serves; it may call look(), nothing else.
  std::function<void()> changed;
  // Whether its directory holds nothing of the log that etcd has said it has; it is asked before etcd is started again
  // after its end. Only a file in mode Keep makes etcd refuse such a start, and that comes a moment later.
  std::function<bool()> has_lost_its_log{};
  bool keep = false;                // the process outlives the runtime
  base::Duration patience{10'000};  // of the stops that nobody asked for: another launch, the end of the runtime
  Pauses pauses{};
};

// A process that an earlier runtime left in `run_dir` is taken over at once. Nothing is started before start().
std::unique_ptr<ports::Runtime> make_process_runtime(Options options);

}  // namespace quorate::adapters::process
