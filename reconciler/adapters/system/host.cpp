// Each call of the port, by names in open folders.
#include "reconciler/adapters/system/host.h"

#include <cerrno>
#include <cstddef>
#include <utility>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/adapters/system/atomic_file.h"
#include "reconciler/adapters/system/durable.h"
#include "reconciler/adapters/system/files.h"
#include "reconciler/adapters/system/tree_removal.h"
#include "reconciler/base/path.h"

namespace quorate::adapters::system {
namespace {

constexpr std::size_t kFile = std::size_t{16} << 20;

tl::unexpected<base::Error> failed(const std::string& doing, const std::string& path, int number) {
  return tl::unexpected<base::Error>(system_error(doing, path, number));
}

tl::unexpected<base::Error> refused(std::string message, std::string help) {
  return tl::unexpected(base::Error{base::ErrorKind::Refused, std::move(message), std::move(help)});
}

base::Error why_not_renamed(const std::string& from, const std::string& to, int number) {
  const std::string both = from + " to " + to;
  base::Error error = system_error("rename", both, number);
  if (number == EEXIST || number == ENOTEMPTY) {
    return {base::ErrorKind::Refused, "cannot rename " + both + ": there already is something at " + to,
            "move away what stands there"};
  }
  if (number == EXDEV) {
    return {base::ErrorKind::Refused, "cannot rename " + both + ": they are on different file systems",
            "put both on one file system; what is mounted needs its content in a folder below the mount point"};
  }
  if (number == EBUSY) {
    return {base::ErrorKind::Refused,
            "cannot rename " + both + ": one of them is a mount point or in use by the system",
            "use a folder below the mount point, as in " + from + "/etcd"};
  }
  if (number == EINVAL && base::is_within(to, from)) {
    return {base::ErrorKind::Invalid, "cannot rename " + both + ": a folder cannot be moved into itself", ""};
  }
  if (number == EINVAL || number == ENOSYS) {
    return {base::ErrorKind::Refused, "cannot rename " + both + ": this file system cannot rename without replacing",
            "use a file system that can, such as ext4 or xfs"};
  }
  if (number == EIO) error.kind = base::ErrorKind::Ambiguous;
  return error;
}

// An empty folder is nothing, and the kernel itself looks whether it is: what a folder replaces is empty at that
// moment.
int rename_at(const Descriptor& source, const Place& from, bool is_folder, const Descriptor& target, const Place& to) {
  if (::renameat2(source.number(), from.name.c_str(), target.number(), to.name.c_str(), RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EEXIST || !is_folder) return errno;
  if (::renameat(source.number(), from.name.c_str(), target.number(), to.name.c_str()) == 0) return 0;
  return errno == ENOTDIR ? EEXIST : errno;  // it is no folder
}

base::Result<void> rename_entry(const Place& from, const Place& to) {
  const auto source = open_folder(from.folder);
  if (!source) return tl::unexpected(source.error());
  struct stat about {};
  const bool there = *source && ::fstatat(source->number(), from.name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0;
  if (*source && !there && errno != ENOENT) return failed("look at", from.path, errno);
  if (!there) return base::invalid("there is nothing at " + from.path + " that could be renamed to " + to.path);
  if (S_ISLNK(about.st_mode)) {
    return refused(from.path + " is a symbolic link: renaming it would leave what it leads to where it is",
                   "name the place that the link leads to");
  }
  const auto target = make_folder(to.folder);
  if (!target) return tl::unexpected(target.error());
  const int number = rename_at(*source, from, S_ISDIR(about.st_mode), *target, to);
  if (number != 0) return tl::unexpected(why_not_renamed(from.path, to.path, number));
  // The new name first: of the two it is the one that must not get lost.
  auto synced = sync_folder(*target, to.folder);
  if (synced && from.folder != to.folder) synced = sync_folder(*source, from.folder);
  return synced;
}

class ThisHost final : public ports::Host {
 public:
  base::Result<bool> write_file(const ports::FileToWrite& file) override { return write_atomically(file); }

  base::Result<std::optional<std::string>> read_file(const std::string& path) override {
    return read_whole_file(path, kFile);
  }

  base::Result<void> remove_file(const std::string& path) override {
    const auto place = place_of(path);
    if (!place) return tl::unexpected(place.error());
    const auto folder = open_folder(place->folder);
    if (!folder) return tl::unexpected(folder.error());
    if (!*folder) return {};
    struct stat about {};
    if (::fstatat(folder->number(), place->name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0) {
      if (!S_ISREG(about.st_mode)) {
        return refused(place->path + " is no regular file, and is not removed as one",
                       "look at what it is, and remove it by hand");
      }
      if (::unlinkat(folder->number(), place->name.c_str(), 0) != 0 && errno != ENOENT) {
        return failed("remove", place->path, errno);
      }
    } else if (errno != ENOENT) {
      return failed("look at", place->path, errno);
    }
    return sync_folder(*folder, place->folder);
  }

  base::Result<void> rename(const std::string& from, const std::string& to) override {
    const auto source = place_of(from);
    if (!source) return tl::unexpected(source.error());
    const auto target = place_of(to);
    if (!target) return tl::unexpected(target.error());
    return rename_entry(*source, *target);
  }

  base::Result<std::optional<std::vector<std::string>>> list(const std::string& folder) override {
    return list_folder(folder);
  }

  base::Result<void> remove_tree(const std::string& path) override { return remove_whole_tree(path); }
};

}  // namespace

std::unique_ptr<ports::Host> make_host() {
  return std::make_unique<ThisHost>();
}

}  // namespace quorate::adapters::system
