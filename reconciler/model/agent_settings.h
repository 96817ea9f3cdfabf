// What the node file says: whose agent this is, which desired file it follows, and what is different on this node.
#pragma once

#include <string>
#include <vector>

#include "reconciler/model/desired.h"

namespace quorate::model {

enum class LogLevel { Debug, Info, Warning, Error };
enum class LogFormat { Auto, Text, Json };

// Absolute paths.
struct AgentSettings {
  std::string node;  // empty: the name of the host
  std::string source_file = "/etc/quorate/cluster.yaml";
  std::string state_dir = "/var/lib/quorate";
  std::string socket = "/run/quorate/agent.sock";
  std::string operators_group = "quorate";
  LogLevel log_level = LogLevel::Info;
  LogFormat log_format = LogFormat::Auto;
  std::string storage_dir;  // override of the desired file's; empty: none
};

// One field of the desired file that is not in force on this node, for plan and status to show.
struct Override {
  std::string path;     // "members.etcd-a.storage.dir"
  std::string desired;  // what the desired file means
  std::string here;     // what holds instead
  friend bool operator==(const Override&, const Override&) = default;
};

// Puts what the node file says into the members that run on `node`.
std::vector<Override> apply_overrides(const AgentSettings& settings, const std::string& node, Desired& desired);

}  // namespace quorate::model
