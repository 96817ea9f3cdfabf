// The kernel's own lists: /proc, and the names of namespaces.
#include "tests/e2e/agents/leftovers.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <signal.h>
#include <unistd.h>

namespace quorate::e2e {
namespace {

namespace fs = std::filesystem;

struct Running {
  int pid = 0;
  std::string command;
};

// To read what a process was that has gone meanwhile is an error, which only a stream takes for an end.
std::string content_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Whatever names a path below the folder. Who is dead and not yet buried has no command line.
std::vector<Running> running_in(const std::string& folder) {
  std::vector<Running> all;
  std::error_code gone;
  for (const auto& each : fs::directory_iterator("/proc", gone)) {
    const int pid = std::atoi(each.path().filename().c_str());
    if (pid <= 0 || pid == ::getpid()) continue;
    std::string command = content_of(each.path() / "cmdline");
    std::replace(command.begin(), command.end(), '\0', ' ');
    if (command.find(folder + "/") != command.npos) all.push_back({pid, std::move(command)});
  }
  return all;
}

}  // namespace

bool kill_members(const std::string& folder) {
  bool any = false;
  for (const Running& each : running_in(folder)) {
    const std::size_t state = each.command.find("--config-file " + folder + "/state/");
    const bool member = state != std::string::npos && each.command.find("/etcd.yaml", state) != std::string::npos;
    if (!member) continue;
    ::kill(each.pid, SIGKILL);
    any = true;
  }
  return any;
}

std::vector<std::string> leftovers_of(const std::string& folder) {
  std::vector<std::string> left;
  for (const Running& each : running_in(folder)) {
    left.push_back("process " + std::to_string(each.pid) + ": " + each.command.substr(0, 300));
  }
  std::istringstream mounts(content_of("/proc/self/mounts"));
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" " + folder + "/") != line.npos) left.push_back("mount: " + line);
  }
  const std::string prefix = folder.substr(folder.rfind('.') + 1) + "-";
  std::error_code none;
  for (const auto& each : fs::directory_iterator("/run/netns", none)) {
    const std::string name = each.path().filename();
    if (name.compare(0, prefix.size(), prefix) == 0) left.push_back("network namespace: " + name);
  }
  return left;
}

}  // namespace quorate::e2e
