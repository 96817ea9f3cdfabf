// A child that waits before it becomes its program, so that it can be written down first.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reconciler/adapters/runtimes/process/descriptor.h"
#include "reconciler/base/result.h"

namespace quorate::adapters::process {

// Ours without what etcd reads itself (ETCD_*: beside a configuration file it only complains) and what systemd means
// for us alone (NOTIFY_SOCKET and its like: etcd would report that we are ready).
std::vector<std::string> environment_for_etcd(const char* const* environment);

// The program with its folder: a name without a slash is looked up in PATH.
base::Result<std::string> find_program(const std::string& name);

// If we end before let_go(), it ends too, without having become the program. A session of its own, nothing to read,
// both outputs to `log`, no other open file of ours, no signal masked or ignored. It outlives us.
class HeldChild {
 public:
  static base::Result<HeldChild> fork(const std::string& path, const std::string& program,
                                      const std::vector<std::string>& args, const Descriptor& log);
  HeldChild(HeldChild&&) = default;
  HeldChild& operator=(HeldChild&&) = delete;
  ~HeldChild();  // one that was not let go is gone

  int pid() const { return pid_; }
  // When it returns the child is the program, or has ended because it could not be run.
  base::Result<void> let_go();
  Descriptor take_process() { return std::move(process_); }

 private:
  HeldChild() = default;
  void reap();

  int pid_ = -1;
  bool held_ = true;
  std::string program_;
  Descriptor process_;  // a pidfd
  Descriptor gate_;     // a byte in it: go on; its end: give up
  Descriptor failure_;  // what came back instead of a program
};

}  // namespace quorate::adapters::process
