// What apply and restore share: a plan is shown and agreed to, ordered, and watched while the agents carry it out.
#pragma once

#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/cli/arguments.h"
#include "reconciler/cli/interrupts.h"
#include "reconciler/model/exit_code.h"
#include "reconciler/model/plan_json.h"
#include "reconciler/model/records.h"

namespace quorate::cli {

// On stdout; where that is for programs, on stderr for whoever is asked.
model::ExitCode show_plan(const Arguments& arguments, const model::SavedPlan& plan);
base::Result<void> confirm(const Arguments& arguments, const model::Plan& plan);
std::vector<std::string> ids_of(const model::Plan& plan);

struct Order {
  const model::Plan& plan;
  model::Allowed allowed;  // what the agents are told
  bool restores = false;
  std::string no_quorum;  // what to say where only this node hears of it; empty: nothing
};
// Until nothing is left to do, somebody or something has stopped it, or the time of --timeout is up.
model::ExitCode carry_out(const Arguments& arguments, const std::string& socket, const Order& order,
                          Interrupts& interrupts);

}  // namespace quorate::cli
