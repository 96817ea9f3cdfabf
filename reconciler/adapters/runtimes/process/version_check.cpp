// Remembers which file had the right version by its inode and time of change.
#include "reconciler/adapters/runtimes/process/version_check.h"

#include <sys/stat.h>

#include "reconciler/adapters/runtimes/process/held_child.h"
#include "reconciler/base/check.h"

namespace quorate::adapters::process {
namespace {

// Is "3.5.21" what was asked for with "3.5.21" or "3.5"?
bool is_release(const std::string& version, const std::string& wanted) {
  return version == wanted || version.substr(0, wanted.size() + 1) == wanted + ".";
}

}  // namespace

base::Result<void> VersionCheck::check(const std::string& program, const std::string& wanted) {
  found_another_ = false;
  if (wanted.empty()) return {};
  const auto path = find_program(program);
  if (!path) return tl::unexpected(path.error());
  struct stat status {};
  if (::stat(path->c_str(), &status) != 0) {
    return base::invalid("there is no program " + *path, "install it, or name its path");
  }
  const Mark mark{status.st_dev, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, wanted};
  if (right_ == mark) return {};
  right_.reset();
  QUORATE_CHECK(static_cast<bool>(version_of_));
  const auto version = version_of_(*path);
  if (!version) return tl::unexpected(version.error());
  if (!is_release(*version, wanted)) {
    found_another_ = true;
    return tl::unexpected(base::Error{base::ErrorKind::Refused, *path + " is etcd " + *version + ", and not " + wanted,
                                      "install etcd " + wanted + ", or change the version in the file"});
  }
  right_ = mark;
  return {};
}

}  // namespace quorate::adapters::process
