// How the process of a member fares: runs, waits to be started again, or was given up, and why in etcd's own words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reconciler/base/time.h"

namespace quorate::model {

enum class RunPhase {
  Stopped,  // nobody asked for it, or it was stopped
  Running,
  Waiting,  // it ended, and is started again after a while
  Ended,    // it ended, and starting it again is of no use: etcd says that it was removed
};

// Why an etcd ended, as far as its own output says.
enum class EndReason {
  None,
  PortTaken,
  BadFlag,
  BadConfig,
  BadCertificate,
  DiskFull,
  RemovedFromCluster,
  ClusterIdMismatch,
  DataUnusable,
  WrongVersion,
  Other,
};

struct RunState {
  RunPhase phase = RunPhase::Stopped;
  std::int64_t pid = 0;
  base::Time since{};       // of the phase
  int restarts = 0;         // since it last ran for a minute
  bool crash_loop = false;  // it has ended three times within a minute of its start
  EndReason reason = EndReason::None;
  std::string text;                // etcd's own line, without its own time stamp
  std::optional<base::Time> next;  // Waiting: when it is started again
  friend bool operator==(const RunState&, const RunState&) = default;
};

std::string_view name_of(RunPhase phase);
std::string_view name_of(EndReason reason);  // "PortTaken"

// What the last lines of an etcd's output say about why it ended, as 3.4 and 3.5 put it.
struct Ending {
  EndReason reason = EndReason::Other;
  std::string text;
};
Ending ending_of(std::string_view output, int status);

}  // namespace quorate::model
