// JSON, written aside and renamed.
#include "reconciler/adapters/runtimes/process/pid_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "reconciler/model/json_document.h"

namespace quorate::adapters::process {
namespace {

constexpr std::size_t kAtMost = 4096;

tl::unexpected<base::Error> failed(const std::string& what, const std::string& path, int number) {
  return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                    "cannot " + what + " " + path + ": " + std::generic_category().message(number),
                                    "check the space and the rights there"});
}

bool write_all(const Descriptor& file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t wrote = ::write(file.number(), content.data(), content.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

std::optional<std::uint64_t> number_in(const model::JsonTree& tree, const char* key) {
  const auto found = tree.find(key);
  if (found == tree.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::optional<std::string> text_in(const model::JsonTree& tree, const char* key) {
  const auto found = tree.find(key);
  if (found == tree.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

}  // namespace

base::Result<void> make_run_dir(const std::string& path) {
  std::error_code problem;
  const auto above = std::filesystem::path(path).parent_path();
  if (!above.empty()) std::filesystem::create_directories(above, problem);
  if (problem) return failed("make", above.string(), problem.value());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed("make", path, errno);
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return failed("look at", path, errno);
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) {
    return tl::unexpected(base::Error{base::ErrorKind::Refused, path + " is no folder of the user that we run as",
                                      "remove it, or name another state directory"});
  }
  if ((status.st_mode & 0777) != 0700 && ::chmod(path.c_str(), 0700) != 0) return failed("protect", path, errno);
  return {};
}

base::Result<void> write_pid_file(const std::string& path, const PidFile& content) {
  const nlohmann::json tree{{"pid", static_cast<std::uint64_t>(content.process.pid)},
                            {"started", content.process.started},
                            {"boot", content.process.boot},
                            {"launch", content.launch},
                            {"logFrom", content.log_from}};
  const std::string aside = path + ".new";
  ::unlink(aside.c_str());
  const Descriptor file(::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return failed("write", aside, errno);
  if (!write_all(file, tree.dump() + "\n")) {
    const int number = errno;
    ::unlink(aside.c_str());
    return failed("write", aside, number);
  }
  // Not forced to the disk: after the machine has stopped, no process is left that it could name.
  if (::rename(aside.c_str(), path.c_str()) != 0) return failed("write", path, errno);
  return {};
}

std::optional<PidFile> read_pid_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_uid != ::geteuid()) return std::nullopt;
  std::array<char, kAtMost> bytes{};
  const ssize_t got = ::read(file.number(), bytes.data(), bytes.size());
  if (got <= 0) return std::nullopt;
  const auto tree = model::parse_json({bytes.data(), static_cast<std::size_t>(got)}, path, kAtMost);
  if (!tree || !tree->is_object()) return std::nullopt;
  const auto pid = number_in(*tree, "pid");
  const auto started = number_in(*tree, "started");
  const auto boot = text_in(*tree, "boot");
  const auto launch = text_in(*tree, "launch");
  if (!pid || !started || !boot || !launch) return std::nullopt;
  if (*pid < 2 || *pid > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) return std::nullopt;
  return PidFile{{static_cast<std::int64_t>(*pid), *started, *boot}, *launch, number_in(*tree, "logFrom").value_or(0)};
}

}  // namespace quorate::adapters::process
