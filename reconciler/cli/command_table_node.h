// The commands for one machine and its member, and for people who answer a step that waits.
#pragma once

#include <vector>

#include "reconciler/cli/command_table_cluster.h"

namespace quorate::cli {

std::vector<ClusterCommand> add_node_commands(CLI::App& app, Arguments& arguments);

}  // namespace quorate::cli
