// openat, mkdirat and readdir, and what their errors mean.
#include "reconciler/adapters/file_store/folders.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>

namespace quorate::file_store {
namespace {

using base::ErrorKind;

constexpr std::string_view kMark = ".quorate-";
constexpr const char* kMarkOfStore = ".quorate-store";
constexpr const char* kLostAndFound = "lost+found";
constexpr std::size_t kDigits = 32;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kFilesAtMost = 1'000'000;
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

tl::unexpected<base::Error> in_the_way(const std::string& path) {
  return tl::unexpected(base::Error{ErrorKind::Refused, path + " is no folder, and is not followed or replaced",
                                    "move it away, or name another store"});
}

// The next folder inwards; an empty descriptor when it is not there.
base::Result<Descriptor> step_into(const Descriptor& outer, const std::string& path, const std::string& part,
                                   bool make) {
  const std::string inner = path + "/" + part;
  for (bool made = false;; made = true) {
    Descriptor folder(::openat(outer.number(), part.c_str(), kFolder | O_NOFOLLOW));
    if (folder) return folder;
    if (errno == ENOTDIR || errno == ELOOP) {
      struct stat about {};
      const bool file =
          ::fstatat(outer.number(), part.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode) && !make;
      if (file) return Descriptor();  // nothing can be below a file
      return in_the_way(inner);
    }
    if (errno != ENOENT || made) return failed("open", inner, errno);
    if (!make) return Descriptor();
    if (::mkdirat(outer.number(), part.c_str(), 0700) != 0 && errno != EEXIST) {
      return failed("make the folder", inner, errno);
    }
    if (auto synced = sync_folder(outer, path); !synced) return tl::unexpected(std::move(synced.error()));
  }
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

base::Result<std::vector<std::string>> names_in(Descriptor folder, const std::string& path) {
  const int number = ::fcntl(folder.number(), F_DUPFD_CLOEXEC, 0);
  if (number < 0) return failed("read", path, errno);
  const std::unique_ptr<DIR, CloseFolder> listing(::fdopendir(number));
  if (listing == nullptr) {
    const int problem = errno;
    ::close(number);
    return failed("read", path, problem);
  }
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(listing.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    if (names.size() > kFilesAtMost) return base::invalid(path + " holds more than a million files");
  }
  if (errno != 0) return failed("read", path, errno);
  return names;
}

// May a folder of this name, slash included, hold names that begin with the prefix?
bool may_hold(const std::string& folder, const std::string& prefix) {
  const std::size_t shared = std::min(folder.size(), prefix.size());
  return folder.compare(0, shared, prefix, 0, shared) == 0;
}

class Walk {
 public:
  Walk(std::string base, const std::string& prefix, const std::function<void(Entry)>& found)
      : base_(std::move(base)), prefix_(prefix), found_(found) {}

  base::Result<void> into(const Descriptor& folder, const std::string& below, std::size_t depth) {
    const std::string path = below.empty() ? base_ : base_ + "/" + below.substr(0, below.size() - 1);
    if (depth > kDeepest) return base::invalid(path + " lies deeper than any backup");
    Descriptor again(::openat(folder.number(), ".", kFolder));
    if (!again) return failed("read", path, errno);
    const auto names = names_in(std::move(again), path);
    if (!names) return tl::unexpected(names.error());
    for (const std::string& name : *names) {
      if (auto seen = entry(folder, below, path, name, depth); !seen) return seen;
    }
    return {};
  }

 private:
  base::Result<void> entry(const Descriptor& folder, const std::string& below, const std::string& path,
                           const std::string& name, std::size_t depth) {
    struct stat about {};
    if (::fstatat(folder.number(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) return {};  // removed a moment ago
      return failed("look at", path + "/" + name, errno);
    }
    if (S_ISREG(about.st_mode)) {
      if (++seen_ > kFilesAtMost) return base::invalid(base_ + " holds more than a million files");
      found_({below + name, static_cast<std::uint64_t>(about.st_size), about.st_mtim});
      return {};
    }
    const bool of_the_file_system = below.empty() && name == kLostAndFound;
    if (!S_ISDIR(about.st_mode) || of_the_file_system || !may_hold(below + name + "/", prefix_)) return {};
    const auto inner = step_into(folder, path, name, false);
    if (!inner) return tl::unexpected(inner.error());
    return *inner ? into(*inner, below + name + "/", depth + 1) : base::Result<void>();
  }

  std::string base_;
  const std::string& prefix_;
  const std::function<void(Entry)>& found_;
  std::size_t seen_ = 0;
};

}  // namespace

tl::unexpected<base::Error> failed(const std::string& doing, const std::string& path, int number) {
  const std::string message = "cannot " + doing + " " + path + ": " + std::generic_category().message(number);
  base::Error error{ErrorKind::Transient, message, ""};
  if (number == EACCES || number == EPERM) {
    error.kind = ErrorKind::Refused;
    error.help = "run it as a user who may read and write there";
  } else if (number == EROFS) {
    error.kind = ErrorKind::Refused;
    error.help = "mount its file system for writing";
  } else if (number == ENOSPC || number == EDQUOT) {
    error.message = "disk full: " + message;
    error.help = "free space on its file system";
  } else if (number == ENOTDIR || number == ELOOP || number == ENAMETOOLONG || number == EFBIG) {
    error.kind = ErrorKind::Invalid;
  }
  return tl::unexpected(std::move(error));
}

std::string temporary_name(const std::string& digits) {
  return std::string(kMark) + digits;
}

bool is_temporary(std::string_view name) {
  return name.size() == kMark.size() + kDigits && name.substr(0, kMark.size()) == kMark &&
         name.find_first_not_of("0123456789abcdef", kMark.size()) == std::string_view::npos;
}

bool is_ours(std::string_view object) {
  return object.substr(0, kMark.size()) != kMark && object.find("/" + std::string(kMark)) == std::string_view::npos;
}

base::Result<Descriptor> open_base(const std::string& base) {
  Descriptor folder(::open(base.c_str(), kFolder));
  if (folder) return folder;
  if (errno != ENOENT && errno != ENOTDIR) return failed("open the store", base, errno);
  return base::invalid("the folder of the store, " + base + ", is not there",
                       "mount its disk when that is missing, else make the folder; it is never made for you");
}

base::Result<Place> find_place(const std::string& base, const std::string& object, bool make) {
  auto folder = open_base(base);
  if (!folder) return tl::unexpected(folder.error());
  Place place{std::move(*folder), base, object};
  for (std::size_t slash = place.name.find('/'); slash != std::string::npos; slash = place.name.find('/')) {
    const std::string part = place.name.substr(0, slash);
    auto inner = step_into(place.folder, place.path, part, make);
    if (!inner) return tl::unexpected(inner.error());
    place.folder = std::move(*inner);
    place.path += "/" + part;
    place.name.erase(0, slash + 1);
    if (!place.folder) return place;
  }
  return place;
}

base::Result<bool> is_store(const std::string& base) {
  auto folder = open_base(base);
  if (!folder) return tl::unexpected(folder.error());
  if (::faccessat(folder->number(), kMarkOfStore, F_OK, 0) == 0) return true;
  if (errno != ENOENT) return failed("look at", base + "/" + kMarkOfStore, errno);
  const auto names = names_in(std::move(*folder), base);
  if (!names) return tl::unexpected(names.error());
  return std::any_of(names->begin(), names->end(),
                     [](const std::string& name) { return name != kLostAndFound && is_ours(name); });
}

base::Result<void> mark_as_store(const std::string& base) {
  constexpr std::string_view kText =
      "Backups of etcd lie here. While this file does, an empty folder is an empty store, and not a disk that is not "
      "mounted.\n";
  const auto folder = open_base(base);
  if (!folder) return tl::unexpected(folder.error());
  const std::string path = base + "/" + kMarkOfStore;
  const Descriptor file(
      ::openat(folder->number(), kMarkOfStore, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file && errno == EEXIST) return {};
  if (!file) return failed("write", path, errno);
  // The name alone is the mark; the text is for people.
  if (::write(file.number(), kText.data(), kText.size()) < 0) return failed("write", path, errno);
  return sync_folder(*folder, base);
}

base::Result<void> sync_folder(const Descriptor& folder, const std::string& path) {
  // EINVAL: a file system that has nothing to write down.
  if (::fsync(folder.number()) == 0 || errno == EINVAL) return {};
  auto error = failed("write down the names in", path, errno);
  error.value().kind = ErrorKind::Ambiguous;
  error.value().help = "look at the disk and at the kernel's log";
  return error;
}

void remove_empty_folders(const std::string& base, std::string object) {
  for (std::size_t slash = object.rfind('/'); slash != std::string::npos; slash = object.rfind('/')) {
    object.erase(slash);
    const auto place = find_place(base, object, false);
    if (!place || !place->folder) return;
    if (::unlinkat(place->folder.number(), place->name.c_str(), AT_REMOVEDIR) != 0) return;
    static_cast<void>(sync_folder(place->folder, place->path));  // one that comes back is empty
  }
}

base::Result<void> walk(const std::string& base, const std::string& prefix, const std::function<void(Entry)>& found) {
  const auto folder = open_base(base);
  if (!folder) return tl::unexpected(folder.error());
  return Walk(base, prefix, found).into(*folder, "", 0);
}

}  // namespace quorate::file_store
