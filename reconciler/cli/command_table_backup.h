// The command for backups, with its actions.
#pragma once

#include <vector>

#include "reconciler/cli/command_table_cluster.h"

namespace quorate::cli {

std::vector<ClusterCommand> add_backup_commands(CLI::App& app, Arguments& arguments);

}  // namespace quorate::cli
