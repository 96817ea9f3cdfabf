// How a command ends: text, JSON and the process status all come from this one value.
#pragma once

#include <string_view>
#include <vector>

namespace quorate::model {

enum class ExitCode : int {
  Ok = 0,
  Failed = 1,
  Different = 2,
  Invalid = 3,
  Refused = 4,
  NeedsApproval = 5,
  Unknown = 6,
  Stale = 7,
  Busy = 8,
  Untrusted = 9,
  NoStore = 10,
  NoBackup = 11,
  BadBackup = 12,
  Usage = 64,
  Interrupted = 130,
  Terminated = 143,
};

struct ExitCodeInfo {
  ExitCode code;
  std::string_view name;
  std::string_view meaning;
};

// In the order in which one wins over another when several apply.
const std::vector<ExitCodeInfo>& all_exit_codes();

ExitCode worst(ExitCode a, ExitCode b);

}  // namespace quorate::model
