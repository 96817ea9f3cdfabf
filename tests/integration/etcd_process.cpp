// Starting etcd and reading its log; both log formats of etcd 3.4 are understood.
#include "tests/integration/etcd_process.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace quorate::integration {
namespace {

bool says_ready(const std::string& line) {
  return line.find("ready to serve client requests") != std::string::npos ||
         line.find("\"serving client traffic") != std::string::npos;
}

std::string deps_folder() {
  const char* chosen = std::getenv("QUORATE_DEPS_DIR");
  return chosen != nullptr ? chosen : QUORATE_DEPS_DIR;
}

}  // namespace

std::string name_of_release(const testing::TestParamInfo<std::string>& info) {
  std::string name = "Etcd" + info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::string tool_path(const std::string& path_below_deps) {
  const std::string path = deps_folder() + "/" + path_below_deps;
  if (::access(path.c_str(), X_OK) != 0) throw std::runtime_error(path + " is not there; run ci/setup");
  return path;
}

std::vector<std::string> newest_etcd_releases() {
  std::vector<std::string> result;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(deps_folder(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("etcd-3.", 0) != 0) continue;
    const std::string release = name.substr(5);
    const bool known = std::find(kEtcdReleases.begin(), kEtcdReleases.end(), release) != kEtcdReleases.end();
    if (!known) result.push_back(release);
  }
  return result;
}

std::vector<std::string> etcd_releases() {
  std::vector<std::string> result = kEtcdReleases;
  for (std::string& newest : newest_etcd_releases()) result.push_back(std::move(newest));
  return result;
}

std::string etcd_program(const std::string& release) {
  return tool_path("etcd-" + release + "/usr/bin/etcd");
}

Command etcd_with_config_file(const std::string& release, const std::string& path) {
  return {{etcd_program(release), "--config-file=" + path}, {}};
}

Command etcd_with_environment_file(const std::string& release, const std::string& path) {
  return {{"sh", "-c", "set -a; . \"$1\"; exec \"$2\"", "sh", path, etcd_program(release)}, {}};
}

bool EtcdProcess::wait_until_ready(Seconds patience) {
  return wait_for_line(says_ready, patience);
}

Json EtcdProcess::settings() const {
  for (const std::string& line : lines()) {
    const Json entry = Json::parse(line, nullptr, false);
    if (entry.is_object() && entry.value("msg", "") == "starting an etcd server") return entry;
  }
  return nullptr;
}

Ended Etcdctl::operator()(std::vector<std::string> arguments) const {
  Command command{{tool_path("etcd-" + release + "/usr/bin/etcdctl"), "--endpoints=" + endpoint, "--dial-timeout=5s",
                   "--command-timeout=10s"},
                  {"ETCDCTL_API=3"}};
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return run(command);
}

Json Etcdctl::json(const std::vector<std::string>& arguments) const {
  std::vector<std::string> all = arguments;
  all.emplace_back("--write-out=json");
  const Ended ended = (*this)(all);
  if (ended.exit_code != 0) throw std::runtime_error("etcdctl " + arguments.front() + ": " + ended.errors);
  return Json::parse(ended.output);
}

std::optional<std::string> Etcdctl::get(const std::string& key) const {
  const Ended ended = (*this)({"get", key, "--print-value-only"});
  if (ended.exit_code != 0 || ended.output.empty()) return std::nullopt;
  return ended.output.substr(0, ended.output.size() - 1);
}

}  // namespace quorate::integration
