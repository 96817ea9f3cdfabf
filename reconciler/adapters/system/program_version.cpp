// `etcd --version`, `etcdutl version`, with little patience.
#include "reconciler/adapters/system/program_version.h"

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
  std::string said;
  // etcdctl and etcdutl know only the word without dashes; their etcd would start with it, so it is asked second and
  // only where the first was an unknown flag.
  for (const char* question : {"--version", "version"}) {
    const auto finished = run_program({path, question}, "", kPatience);
    if (!finished) return tl::unexpected(finished.error());
    if (const auto version = version_in(finished->out)) return model::Binary{path, *version};
    said = finished->err.substr(0, finished->err.find('\n'));
    if (finished->status == 0 || said.find("unknown flag") == std::string::npos) break;
  }
  return base::invalid(path + " does not say which version of etcd it is" + (said.empty() ? "" : ": " + said),
                       "is it etcd, etcdctl or etcdutl?");
}

std::string version_of_process(const std::string& folder) {
  const std::string program = folder + "/exe";
  struct stat status {};
  if (::stat(program.c_str(), &status) != 0) return {};
  const bool trusted = (status.st_uid == 0 || status.st_uid == ::geteuid()) && (status.st_mode & S_IWOTH) == 0;
  if (!trusted) return {};
  const auto finished = run_program({program, "--version"}, "", kPatience);
  return finished ? version_in(finished->out).value_or("") : std::string();
}

}  // namespace quorate::adapters::system
