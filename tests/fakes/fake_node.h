// A machine in memory: which members live on it, which files lie there, and which looks at it fail.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "reconciler/ports/node.h"

namespace quorate::fakes {

class FakeNode final : public ports::Node {
 public:
  std::set<std::string> here;                       // names of members
  std::map<std::string, ports::FileOnNode> files;   // by path
  std::map<std::string, std::string> unreadable;    // path -> the system's words
  std::map<std::string, model::DataDir> data;       // by directory; one that is not named is empty
  std::map<std::string, model::Process> processes;  // by member; one that is not named does not run
  std::map<std::string, model::Certificate> certs;  // by path
  std::map<std::string, std::string> binaries;      // path -> version

  bool is_here(const model::Member& member) override { return here.count(member.name) != 0; }

  base::Result<model::DataDir> data_dir(const std::string& directory, const std::string& /*wal*/) override {
    if (auto failed = refuse(directory)) return *failed;
    const auto found = data.find(directory);
    if (found != data.end()) return found->second;
    model::DataDir empty;
    empty.state = model::DataState::Empty;
    empty.path = directory;
    return empty;
  }

  base::Result<std::optional<ports::FileOnNode>> read_file(const std::string& path) override {
    if (auto failed = refuse(path)) return *failed;
    const auto found = files.find(path);
    if (found == files.end()) return std::optional<ports::FileOnNode>{};
    return std::optional<ports::FileOnNode>{found->second};
  }

  base::Result<model::Process> process_of(const model::Member& member) override {
    const auto found = processes.find(member.name);
    return found == processes.end() ? model::Process{} : found->second;
  }

  base::Result<model::Certificate> certificate(const std::string& path, const std::string& use) override {
    if (auto failed = refuse(path)) return *failed;
    const auto found = certs.find(path);
    if (found == certs.end()) return base::invalid(path + ": no such file");
    model::Certificate certificate = found->second;
    certificate.path = path;
    certificate.use = use;
    return certificate;
  }

  base::Result<model::Binary> binary(const std::string& path) override {
    const auto found = binaries.find(path);
    if (found == binaries.end()) return base::invalid(path + ": no such program");
    return model::Binary{path, found->second};
  }

  base::Result<model::DiskSpace> disk_space(const std::string& path) override {
    return model::DiskSpace{path, 10ULL << 30U, 40ULL << 30U};
  }

 private:
  std::optional<tl::unexpected<base::Error>> refuse(const std::string& path) const {
    const auto found = unreadable.find(path);
    if (found == unreadable.end()) return std::nullopt;
    return base::invalid(path + ": " + found->second);
  }
};

}  // namespace quorate::fakes
