// By open folders and never by paths, so that nobody can put a link in the way while it goes on.
#include "reconciler/adapters/system/tree_removal.h"

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/adapters/system/durable.h"
#include "reconciler/adapters/system/files.h"

namespace quorate::adapters::system {
namespace {

constexpr int kDepth = 64;

tl::unexpected<base::Error> failed(const std::string& doing, const std::string& path, int number) {
  return tl::unexpected<base::Error>(system_error(doing, path, number));
}

tl::unexpected<base::Error> refused(const std::string& message, const std::string& help) {
  return tl::unexpected(base::Error{base::ErrorKind::Refused, message, help});
}

struct Entry {
  std::string name;
  bool folder = false;
};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Looked at one by one: not every file system says in its listings which ones are folders.
base::Result<std::vector<Entry>> entries_of(const Descriptor& folder, const std::string& path) {
  const int copy = ::openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseFolder> listing(copy < 0 ? nullptr : ::fdopendir(copy));
  if (listing == nullptr) return failed("open", path, errno);
  std::vector<Entry> entries;
  while (true) {
    errno = 0;
    const dirent* next = ::readdir(listing.get());
    if (next == nullptr) break;
    const std::string name = next->d_name;
    if (name == "." || name == "..") continue;
    struct stat about {};
    if (::fstatat(folder.number(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;
      return failed("look at", path + "/" + name, errno);
    }
    entries.push_back({name, S_ISDIR(about.st_mode)});
  }
  if (errno != 0) return failed("list", path, errno);
  return entries;
}

class Removal {
 public:
  bool began() const { return began_; }

  // Nothing is removed unless `remove`; the first walk only looks whether the second one may.
  base::Result<void> walk(const Descriptor& parent, const std::string& name, const std::string& path, int depth,
                          bool remove) {
    if (depth > kDepth) return refused(path + " is nested too deep to be removed", "remove it by hand");
    const Descriptor folder(::openat(parent.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return failed("open", path, errno);
    if (auto same = is_on_its_disk(parent, folder, path); !same) return same;
    auto entries = entries_of(folder, path);
    if (!entries) return tl::unexpected(std::move(entries.error()));
    for (const Entry& entry : *entries) {
      const std::string inner = path + "/" + entry.name;
      base::Result<void> done;
      if (entry.folder) {
        done = walk(folder, entry.name, inner, depth + 1, remove);
      } else if (auto same = is_on_its_disk(folder, entry.name, inner); !same) {
        done = std::move(same);
      } else if (remove) {
        done = unlink(folder, entry.name, inner, 0);
      }
      if (!done) return done;
    }
    return remove ? unlink(parent, name, path, AT_REMOVEDIR) : base::Result<void>{};
  }

 private:
  static base::Result<void> is_on_its_disk(const Descriptor& parent, const Descriptor& folder,
                                           const std::string& path) {
    struct stat outer {};
    struct stat inner {};
    if (::fstat(parent.number(), &outer) != 0 || ::fstat(folder.number(), &inner) != 0) {
      return failed("look at", path, errno);
    }
    if (outer.st_dev != inner.st_dev) return mounted(path);
    return is_on_its_disk(folder, "", path);
  }

  // A part of one's own disk can be mounted too; the device is the same then.
  static base::Result<void> is_on_its_disk(const Descriptor& folder, const std::string& name, const std::string& path) {
    struct statx about {};
    if (::statx(folder.number(), name.c_str(), AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_TYPE, &about) != 0) {
      return errno == ENOENT ? base::Result<void>{} : failed("look at", path, errno);
    }
    const bool mount = (about.stx_attributes & about.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
    return mount ? mounted(path) : base::Result<void>{};
  }

  static base::Result<void> mounted(const std::string& path) {
    return refused(path + " is a mount point, and is not removed", "unmount it first, when it is to go");
  }

  base::Result<void> unlink(const Descriptor& folder, const std::string& name, const std::string& path, int flags) {
    if (::unlinkat(folder.number(), name.c_str(), flags) != 0 && errno != ENOENT) {
      return failed("remove", path, errno);
    }
    began_ = true;
    return {};
  }

  bool began_ = false;
};

}  // namespace

base::Result<void> remove_whole_tree(const std::string& path) {
  const auto place = place_of(path);
  if (!place) return tl::unexpected(place.error());
  const auto parent = open_folder(place->folder);
  if (!parent) return tl::unexpected(parent.error());
  if (!*parent) return {};
  struct stat about {};
  if (::fstatat(parent->number(), place->name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return failed("look at", place->path, errno);
    return sync_folder(*parent, place->folder);
  }
  if (!S_ISDIR(about.st_mode)) {
    return refused(place->path + (S_ISLNK(about.st_mode) ? " is a symbolic link" : " is no folder") +
                       ", and is not removed as one",
                   "look at what it is, and remove it by hand");
  }
  Removal removal;
  for (const bool remove : {false, true}) {
    auto walked = removal.walk(*parent, place->name, place->path, 0, remove);
    if (walked) continue;
    if (removal.began() && walked.error().kind == base::ErrorKind::Transient) {
      walked.error().kind = base::ErrorKind::Ambiguous;
      walked.error().message += "; a part of " + place->path + " is gone already";
    }
    return walked;
  }
  return sync_folder(*parent, place->folder);
}

}  // namespace quorate::adapters::system
