// The files of one machine in memory: each change is noted in order, and those that a test names fail.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/ports/host.h"

namespace quorate::fakes {

class FakeHost final : public ports::Host {
 public:
  explicit FakeHost(std::vector<std::string>& done) : done_(done) {}

  std::map<std::string, std::string> files;  // by path; folders are those that files stand in
  std::set<std::string> broken;              // paths that cannot be written, moved or looked at
  std::optional<int> changes_left;           // then the power goes

  base::Result<bool> write_file(const ports::FileToWrite& file) override {
    if (auto failed = refuse(file.path)) return *failed;
    const auto there = files.find(file.path);
    if (there != files.end() && there->second == file.content) return false;
    if (auto gone = lose_power()) return *gone;
    done_.push_back("write " + file.path);
    files[file.path] = file.content;
    return true;
  }

  base::Result<std::optional<std::string>> read_file(const std::string& path) override {
    if (auto failed = refuse(path)) return *failed;
    const auto there = files.find(path);
    if (there == files.end()) return std::optional<std::string>{};
    return std::optional<std::string>{there->second};
  }

  base::Result<void> remove_file(const std::string& path) override {
    if (auto failed = refuse(path)) return *failed;
    if (files.count(path) == 0) return {};
    if (auto gone = lose_power()) return *gone;
    if (files.erase(path) != 0) done_.push_back("remove " + path);
    return {};
  }

  base::Result<void> rename(const std::string& from, const std::string& to) override {
    if (auto failed = refuse(from)) return *failed;
    if (!below(to).empty()) return tl::unexpected(base::Error{base::ErrorKind::Refused, to + " is there", ""});
    const std::vector<std::string> paths = below(from);
    if (paths.empty()) return base::invalid(from + " is not there");
    if (auto gone = lose_power()) return *gone;
    for (const std::string& path : paths) {
      files[to + path.substr(from.size())] = std::move(files[path]);
      files.erase(path);
    }
    done_.push_back("rename " + from + " " + to);
    return {};
  }

  base::Result<std::optional<std::vector<std::string>>> list(const std::string& folder) override {
    if (auto failed = refuse(folder)) return *failed;
    std::set<std::string> names;
    for (const std::string& path : below(folder)) {
      if (path.size() <= folder.size() + 1) continue;
      const std::string rest = path.substr(folder.size() + 1);
      names.insert(rest.substr(0, rest.find('/')));
    }
    if (names.empty()) return std::optional<std::vector<std::string>>{};
    return std::optional<std::vector<std::string>>{{names.begin(), names.end()}};
  }

  base::Result<void> remove_tree(const std::string& path) override {
    if (auto failed = refuse(path)) return *failed;
    if (auto gone = lose_power()) return *gone;
    for (const std::string& each : below(path)) files.erase(each);
    done_.push_back("remove " + path);
    return {};
  }

 private:
  std::optional<tl::unexpected<base::Error>> lose_power() {
    if (!changes_left || (*changes_left)-- > 0) return std::nullopt;
    changes_left = 0;
    return tl::unexpected(base::Error{base::ErrorKind::Transient, "the power is gone", ""});
  }

  std::optional<tl::unexpected<base::Error>> refuse(const std::string& path) const {
    if (broken.count(path) == 0) return std::nullopt;
    return tl::unexpected(base::Error{base::ErrorKind::Transient, path + ": input/output error", ""});
  }

  // The path itself and what is in it.
  std::vector<std::string> below(const std::string& path) const {
    std::vector<std::string> found;
    for (const auto& [each, content] : files) {
      if (each == path || each.rfind(path + "/", 0) == 0) found.push_back(each);
    }
    return found;
  }

  std::vector<std::string>& done_;
};

}  // namespace quorate::fakes
