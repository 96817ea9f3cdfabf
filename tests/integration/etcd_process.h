// Real etcd of the releases that ci/setup unpacks, and its own client.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/integration/process.h"

namespace quorate::integration {

using Json = nlohmann::json;

// Every test that starts etcd runs once per release.
inline const std::vector<std::string> kEtcdReleases = {"3.4.23", "3.5.16"};

// Those, and the newest 3.5 where ci/setup could have it.
std::vector<std::string> etcd_releases();
std::vector<std::string> newest_etcd_releases();  // without those: one or none

// For test names: Etcd3_4_23.
std::string name_of_release(const testing::TestParamInfo<std::string>& info);

// Of a tool under .deps/ (or QUORATE_DEPS_DIR); a tool that is not there fails the test, it is never skipped.
std::string tool_path(const std::string& path_below_deps);
std::string etcd_program(const std::string& release);

Command etcd_with_config_file(const std::string& release, const std::string& path);
// As a shell reads the file; no variable of the caller gets in.
Command etcd_with_environment_file(const std::string& release, const std::string& path);

class EtcdProcess : public Process {
 public:
  using Process::Process;

  // It has joined its cluster and answers clients. Three members elect a leader in under 3 s on an idle machine.
  bool wait_until_ready(Seconds patience = Seconds(30));

  // What etcd says of itself when it starts ("starting an etcd server"); null when it did not get so far.
  Json settings() const;
};

// etcd's client against one member.
struct Etcdctl {
  std::string release;
  std::string endpoint;
  std::vector<std::string> options;  // certificates

  Ended operator()(std::vector<std::string> arguments) const;
  Json json(const std::vector<std::string>& arguments) const;
  // The value of a key, or nothing.
  std::optional<std::string> get(const std::string& key) const;
};

}  // namespace quorate::integration
