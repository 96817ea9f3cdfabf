// Which process a number stands for: numbers are used again, a number with its start time is not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/adapters/runtimes/process/descriptor.h"

namespace quorate::adapters::process {

struct ProcessIdentity {
  std::int64_t pid = 0;
  std::uint64_t started = 0;  // in ticks since the machine started
  std::string boot;           // which start of the machine
  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

// Of a process that is alive, zombies are not. Nothing when there is none, or it may not be looked at.
std::optional<ProcessIdentity> identity_of(std::int64_t pid);

// Names a launch: the program as it was asked for, and its arguments.
std::string launch_digest(const std::string& program, const std::vector<std::string>& args);

// Does /proc say that it runs what this digest names? A script stands there behind its interpreter.
bool runs_launch(std::int64_t pid, const std::string& digest);

// A descriptor of the very process that `identity` names; nothing when that one has ended.
Descriptor open_process(const ProcessIdentity& identity);

// glibc 2.36 declares its own for C only.
Descriptor open_pidfd(std::int64_t pid);
void send_signal(const Descriptor& process, int signal);

bool has_ended(const Descriptor& process);

}  // namespace quorate::adapters::process
