// What a runtime writes down about its process, so that a later one finds it again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reconciler/adapters/runtimes/process/process_identity.h"
#include "reconciler/base/result.h"

namespace quorate::adapters::process {

struct PidFile {
  ProcessIdentity process;
  std::string launch;          // its digest
  std::uint64_t log_from = 0;  // where its output begins in the log
};

// Makes the folder where it is not there. Refused when others may write in it: they could name us a process to kill.
base::Result<void> make_run_dir(const std::string& path);

base::Result<void> write_pid_file(const std::string& path, const PidFile& content);
// Nothing when there is none, or one that cannot be understood.
std::optional<PidFile> read_pid_file(const std::string& path);

}  // namespace quorate::adapters::process
