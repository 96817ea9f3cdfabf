// The actions of quorate backup that change what is there.
#pragma once

#include "reconciler/cli/arguments.h"

namespace quorate::cli {

model::ExitCode run_backup_verify(const Arguments& arguments);
model::ExitCode run_backup_prune(const Arguments& arguments);
model::ExitCode run_backup_pin(const Arguments& arguments);
model::ExitCode run_backup_unpin(const Arguments& arguments);

}  // namespace quorate::cli
