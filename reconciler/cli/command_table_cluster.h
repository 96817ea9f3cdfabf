// The part of the command table that is about looking at a cluster.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "reconciler/cli/arguments.h"

namespace quorate::cli {

struct ClusterCommand {
  CLI::App* command = nullptr;
  std::string examples;
};

std::vector<ClusterCommand> add_cluster_commands(CLI::App& app, Arguments& arguments);

// Flags that commands of other tables have, too.
void add_access(CLI::App& command, Arguments& arguments);
void add_observed(CLI::App& command, Arguments& arguments);

}  // namespace quorate::cli
