// The agents of this machine, as the command line reaches them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/cli/arguments.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/records.h"

namespace quorate::cli {

// The socket of --agent, else the one beside the desired file where `quorate up` runs, else the usual place; nothing
// where there is none.
std::optional<std::string> agent_socket(const Arguments& arguments);

base::Result<model::Observed> ask_agent(const std::string& socket, base::Duration within);

// Where it is kept: "etcd" or "this node".
base::Result<std::string> tell_allowed(const std::string& socket, const model::Allowed& allowed);
base::Result<std::string> tell_paused(const std::string& socket, const std::optional<model::Paused>& paused);

// One pass of one agent.
struct SeenPass {
  std::string member;
  std::string plan;
  std::string status;
  int exit_code = 0;
  std::vector<std::string> steps;
  bool did = false;
  std::string step;
  std::string failed;
  std::string waits;
};
// Until `on_pass` says enough (false), the time is up (0: never), or the agent goes away.
base::Result<void> follow_passes(const std::string& socket, base::Duration within,
                                 const std::function<bool(const SeenPass& pass)>& on_pass);

}  // namespace quorate::cli
