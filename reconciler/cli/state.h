// Where this machine keeps the state of its members, and what it remembers of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/cli/arguments.h"
#include "reconciler/model/agent_settings.h"
#include "reconciler/model/memory.h"
#include "reconciler/ports/host.h"

namespace quorate::cli {

// The node file of --config, else /etc/quorate/agent.yaml where it is, else what a machine without one means. What is
// wrong with it was said on stderr.
struct OpenedSettings {
  model::AgentSettings settings;
  bool from_file = false;
  model::ExitCode code = model::ExitCode::Ok;
};
OpenedSettings open_settings(const Arguments& arguments);

std::string absolute_path(const std::string& path);

// --state-dir, else what the node file says, else .quorate beside the desired file, where `quorate up` keeps it, else
// the usual place. Absolute.
std::string state_directory(const Arguments& arguments, const OpenedSettings& settings);

// Nothing: it is not there.
base::Result<std::optional<model::Memory>> memory_of(const std::string& state_dir, const std::string& cluster,
                                                     const std::string& member);
// Those whose agents have something to keep or to clean up here, also where the file no longer lists them.
std::vector<std::string> members_on_disk(ports::Host& host, const std::string& state_dir, const std::string& cluster);
base::Result<std::optional<model::Marker>> marker_in(const std::string& data_dir);

// The name that this node has for itself.
std::string node_name(const model::AgentSettings& settings);

}  // namespace quorate::cli
