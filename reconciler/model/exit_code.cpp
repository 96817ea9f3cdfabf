// The exit codes in order of precedence.
#include "reconciler/model/exit_code.h"

#include <algorithm>

#include "reconciler/base/check.h"

namespace quorate::model {

const std::vector<ExitCodeInfo>& all_exit_codes() {
  static const std::vector<ExitCodeInfo> codes = {
      {ExitCode::Usage, "usage", "wrong command line"},
      {ExitCode::Interrupted, "interrupted", "stopped by SIGINT"},
      {ExitCode::Terminated, "terminated", "stopped by SIGTERM"},
      {ExitCode::Failed, "failed", "it ran and failed; stderr says what and what is now true"},
      {ExitCode::Invalid, "invalid", "the file is wrong"},
      {ExitCode::Untrusted, "untrusted", "a signature is missing or wrong"},
      {ExitCode::Unknown, "unknown", "could not look: too few members answered, or the observation is too old"},
      {ExitCode::NoStore, "no store", "the backup store did not answer, or refused"},
      {ExitCode::BadBackup, "bad backup", "a backup is not what was written"},
      {ExitCode::NoBackup, "no backup", "the store has no such backup, or none that would do"},
      {ExitCode::Stale, "stale", "the plan no longer fits the cluster"},
      {ExitCode::Busy, "busy",
       "changes are paused, an agent works on the store, or another one keeps this state directory"},
      {ExitCode::Refused, "refused", "a safety rule or a protection says no"},
      {ExitCode::NeedsApproval, "needs approval", "waiting for a person, or for time to pass"},
      {ExitCode::Different, "different", "what is there differs from what is wanted"},
      {ExitCode::Ok, "ok", "done, or nothing to do"},
  };
  return codes;
}

ExitCode worst(ExitCode a, ExitCode b) {
  const std::vector<ExitCodeInfo>& codes = all_exit_codes();
  const auto first =
      std::find_if(codes.begin(), codes.end(), [&](const ExitCodeInfo& row) { return row.code == a || row.code == b; });
  QUORATE_CHECK(first != codes.end());
  return first->code;
}

}  // namespace quorate::model
