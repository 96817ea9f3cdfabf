// The agents of this machine, as the command line reaches them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/cli/arguments.h"
#include "reconciler/cli/seen_pass.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/records.h"
#include "reconciler/model/source.h"

namespace quorate::cli {

// The socket of --agent, else the one beside the desired file where `quorate up` runs, else the usual place; nothing
// where there is none.
std::optional<std::string> agent_socket(const Arguments& arguments);

base::Result<model::Observed> ask_agent(const std::string& socket, base::Duration within);

// The desired file that the agents follow, and what is wrong with the file as it is now; empty: nothing.
struct AgentsFile {
  model::Source followed;
  std::string problem;
};
base::Result<AgentsFile> ask_for_file(const std::string& socket);

struct KeptWhere {
  std::string where;                 // "etcd" or "this node"
  base::Duration at{};               // on the clock of the agents: passes that begin later know it
  std::vector<std::string> members;  // whose agents are there
};
// Of one plan or step the last word counts: one that ends before now takes an earlier one back.
base::Result<KeptWhere> tell_allowed(const std::string& socket, const model::Allowed& allowed);
base::Result<KeptWhere> tell_paused(const std::string& socket, const std::optional<model::Paused>& paused);

// What was agreed to under this ID, also where that has ended; nothing: nothing was.
struct Agreed {
  std::vector<std::string> steps;
  std::string desired_digest;
};
base::Result<std::optional<Agreed>> ask_agreed(const std::string& socket, const std::string& plan);

// Until `on_pass` says enough (false), `stop` does (true, asked ten times a second on another thread), the time is up
// (0: never), or the agent goes away.
base::Result<void> follow_passes(const std::string& socket, base::Duration within,
                                 const std::function<bool(const SeenPass& pass)>& on_pass,
                                 const std::function<bool()>& stop = {});

}  // namespace quorate::cli
