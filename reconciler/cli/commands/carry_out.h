// What apply and restore share: a plan is agreed to, and watched while the agents carry it out.
#pragma once

#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/cli/arguments.h"
#include "reconciler/model/exit_code.h"
#include "reconciler/model/plan.h"

namespace quorate::cli {

base::Result<void> confirm(const Arguments& arguments, const model::Plan& plan);
std::vector<std::string> ids_of(const model::Plan& plan);
// Until nothing is left to do, or the time of --timeout is up.
model::ExitCode follow(const Arguments& arguments, const std::string& socket, const model::Plan& plan);

}  // namespace quorate::cli
