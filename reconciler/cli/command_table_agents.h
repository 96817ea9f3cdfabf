// The commands that keep clusters.
#pragma once

#include <vector>

#include "reconciler/cli/command_table_cluster.h"

namespace quorate::cli {

std::vector<ClusterCommand> add_agent_commands(CLI::App& app, Arguments& arguments);

}  // namespace quorate::cli
