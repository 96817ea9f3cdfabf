// `etcd --version`, `etcdutl version`, with little patience, and once for each file.
#include "reconciler/adapters/system/program_version.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <tuple>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/adapters/system/program.h"
#include "reconciler/base/version.h"

namespace quorate::adapters::system {
namespace {

constexpr base::Duration kPatience{2000};

bool is_plain(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') || letter == '.' || letter == '-' ||
         letter == '+';
}

bool is_ours(const struct stat& status) {
  return status.st_uid == 0 || status.st_uid == ::geteuid();
}

// Root's group and our own are no strangers. In a folder with the sticky bit nobody replaces what is not theirs.
bool others_may_write(const struct stat& status) {
  if ((status.st_mode & S_ISVTX) != 0 && S_ISDIR(status.st_mode)) return false;
  if ((status.st_mode & S_IWOTH) != 0) return true;
  return (status.st_mode & S_IWGRP) != 0 && status.st_gid != 0 && status.st_gid != ::getegid();
}

tl::unexpected<base::Error> not_run(const std::string& program, const std::string& why) {
  return tl::unexpected(base::Error{base::ErrorKind::Refused,
                                    program + " is not asked for its version, which means running it: " + why,
                                    "give it and its folders to root, writable for root alone"});
}

// Where a name is found along PATH; the name itself where it is nowhere, so that running it says why.
std::string along_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  if (name.find('/') != std::string::npos || path == nullptr) return name;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string place = (end == 0 ? "." : std::string(rest.substr(0, end))) + "/" + name;
    if (::access(place.c_str(), X_OK) == 0) return place;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return name;
}

// The desired file names it, and whoever wrote that file does not run programs here by it: what others could have put
// there is not run. Gives the path without links, so that what was looked at is what runs.
base::Result<std::string> trusted_program(const std::string& named) {
  const std::string found = along_path(named);
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(found, error);
  struct stat status {};
  if (error || ::stat(real.c_str(), &status) != 0) return named;
  if (!S_ISREG(status.st_mode))
    return base::invalid("cannot run " + named + ": it is no file", "name the path of etcd");
  for (std::filesystem::path place = real;; place = place.parent_path()) {
    if (::stat(place.c_str(), &status) != 0 || !is_ours(status))
      return not_run(named, place.string() + " is somebody else's");
    if (others_may_write(status)) return not_run(named, "others may write to " + place.string());
    if (place == place.parent_path()) return real.string();
  }
}

base::Result<std::string> ask_program(const std::string& program) {
  std::string said;
  // etcdctl and etcdutl know only the word without dashes; their etcd would start with it, so it is asked second and
  // only where the first was an unknown flag.
  for (const char* question : {"--version", "version"}) {
    const auto finished = run_program({program, question}, "", kPatience);
    if (!finished) return tl::unexpected(finished.error());
    if (auto version = version_in(finished->out)) return *std::move(version);
    said = finished->err.substr(0, finished->err.find('\n'));
    if (finished->status == 0 || said.find("unknown flag") == std::string::npos) break;
  }
  return base::invalid(program + " does not say which version of etcd it is" + (said.empty() ? "" : ": " + said),
                       "is it etcd, etcdctl or etcdutl?");
}

base::Result<std::string> ask_process(const std::string& program) {
  const auto finished = run_program({program, "--version"}, "", kPatience);
  if (!finished) return tl::unexpected(finished.error());
  if (auto version = version_in(finished->out)) return *std::move(version);
  return base::invalid(program + " does not say which version of etcd it is");
}

// An agent looks many times a minute, and to run etcd costs more than all the rest of a look. The same file has the
// same version, and those who ask at the same time share one answer. A script may run something else next time: it is
// always asked.
class Versions {
 public:
  using Answer = base::Result<std::string>;

  Answer of(const std::string& program, const std::function<Answer(const std::string&)>& ask) {
    const auto mark = mark_of(program);
    if (!mark) return ask(program);
    std::promise<Answer> asked;
    std::shared_future<Answer> answer;
    bool mine = false;
    {
      const std::lock_guard lock(mutex_);
      const auto known = answers_.find(*mark);
      mine = known == answers_.end();
      if (mine && answers_.size() >= kMost) answers_.clear();
      answer = mine ? answers_.emplace(*mark, asked.get_future().share()).first->second : known->second;
    }
    if (!mine) return answer.get();
    asked.set_value(ask(program));
    if (!answer.get()) {
      const std::lock_guard lock(mutex_);
      answers_.erase(*mark);
    }
    return answer.get();
  }

 private:
  static constexpr std::size_t kMost = 64;
  using Mark = std::tuple<dev_t, ino_t, off_t, time_t, long, time_t, long>;

  static std::optional<Mark> mark_of(const std::string& program) {
    struct stat status {};
    std::array<char, 4> start{};
    std::ifstream file(program, std::ios::binary);
    const bool read = static_cast<bool>(file.read(start.data(), start.size()));
    if (!read || std::string_view(start.data(), start.size()) != "\177ELF") return std::nullopt;
    if (::stat(program.c_str(), &status) != 0) return std::nullopt;
    return Mark{status.st_dev,          status.st_ino,         status.st_size,        status.st_mtim.tv_sec,
                status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec};
  }

  std::mutex mutex_;
  std::map<Mark, std::shared_future<Answer>> answers_;
};

Versions& versions() {
  static Versions versions;
  return versions;
}

}  // namespace

std::optional<std::string> version_in(std::string_view output) {
  for (const std::string_view mark : {"etcd Version: ", "etcdutl version: ", "etcdctl version: "}) {
    const auto at = output.find(mark);
    if (at == std::string_view::npos || (at > 0 && output[at - 1] != '\n')) continue;
    std::string_view version = output.substr(at + mark.size());
    std::size_t length = 0;
    while (length < version.size() && length < 64 && is_plain(version[length])) ++length;
    version = version.substr(0, length);
    // "3.6.0-rc.1" is a version too; its number has to be one.
    if (base::parse_version(version.substr(0, version.find_first_of("-+")))) return std::string(version);
  }
  return std::nullopt;
}

base::Result<model::Binary> look_at_binary(const std::string& path) {
  const auto program = trusted_program(path);
  if (!program) return tl::unexpected(program.error());
  const auto version = versions().of(*program, ask_program);
  if (!version) return tl::unexpected(version.error());
  return model::Binary{path, *version};
}

std::string version_of_process(const std::string& folder) {
  const std::string program = folder + "/exe";
  struct stat status {};
  if (::stat(program.c_str(), &status) != 0) return {};
  const bool trusted = (status.st_uid == 0 || status.st_uid == ::geteuid()) && (status.st_mode & S_IWOTH) == 0;
  if (!trusted) return {};
  return versions().of(program, ask_process).value_or("");
}

}  // namespace quorate::adapters::system
