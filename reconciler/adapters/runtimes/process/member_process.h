// The process of one member, started by us or by an earlier life of ours, and the files that go with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/adapters/runtimes/process/descriptor.h"
#include "reconciler/adapters/runtimes/process/member_log.h"
#include "reconciler/adapters/runtimes/process/pid_file.h"
#include "reconciler/base/units.h"

namespace quorate::adapters::process {

class MemberProcess {
 public:
  MemberProcess(const std::string& member, std::string run_dir);

  // What the process file names, if that is alive and runs what stands there. A process file that names another one
  // is left as it is, and so is that process.
  bool take_over();
  // Nothing runs yet. When it returns the program runs, and the process file names it.
  base::Result<void> spawn(const std::string& program, const std::vector<std::string>& args);

  bool runs() const { return static_cast<bool>(process_); }
  std::int64_t pid() const { return identity_.pid; }
  const std::string& launch() const { return launch_; }
  const Descriptor& process() const { return process_; }  // readable when it has ended
  MemberLog& log() { return log_; }
  const MemberLog& log() const { return log_; }
  base::Duration age() const;

  void ask_to_end();  // one that stands still is woken up for it
  void kill();        // with all that it has started
  // It has ended: takes its status, -1 where only its real parent is told, and the process file away.
  int bury();

 private:
  std::string member_;
  std::string run_dir_;
  std::string pid_file_;
  MemberLog log_;
  ProcessIdentity identity_;
  std::string launch_;
  Descriptor process_;
};

}  // namespace quorate::adapters::process
