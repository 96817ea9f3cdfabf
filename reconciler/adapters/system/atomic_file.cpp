// Temporary file, fsync, rename, fsync of the folder; compared first, so that a file that is right keeps its time.
#include "reconciler/adapters/system/atomic_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/adapters/system/durable.h"
#include "reconciler/adapters/system/entropy.h"
#include "reconciler/adapters/system/files.h"

namespace quorate::adapters::system {
namespace {

constexpr int kDigits = 16;
constexpr std::string_view kMark = ".quorate-";

tl::unexpected<base::Error> failed(const std::string& doing, const std::string& path, int number) {
  return tl::unexpected<base::Error>(system_error(doing, path, number));
}

struct Owner {
  uid_t user = 0;
  std::optional<gid_t> group;  // nothing: whatever new files get
};

base::Result<Owner> owner_of(const ports::FileToWrite& file) {
  if (file.owner.empty()) return Owner{::geteuid(), std::nullopt};
  std::array<char, 16384> space{};
  passwd entry{};
  passwd* found = nullptr;
  const int problem = ::getpwnam_r(file.owner.c_str(), &entry, space.data(), space.size(), &found);
  if (found != nullptr) return Owner{found->pw_uid, found->pw_gid};
  uid_t user = 0;
  const char* end = file.owner.data() + file.owner.size();
  const auto parsed = std::from_chars(file.owner.data(), end, user);
  if (parsed.ec == std::errc() && parsed.ptr == end) return Owner{user, std::nullopt};
  if (problem != 0 && problem != ENOENT && problem != ESRCH) return failed("look up the user", file.owner, problem);
  return base::invalid("there is no user " + file.owner + " on this machine, who is to own " + file.path,
                       "make the user, or name another");
}

// What stands there now: nothing, or a regular file.
base::Result<std::optional<struct stat>> look(const Descriptor& folder, const Place& place) {
  struct stat about {};
  if (::fstatat(folder.number(), place.name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return failed("look at", place.path, errno);
  }
  if (S_ISREG(about.st_mode)) return about;
  const std::string what = S_ISLNK(about.st_mode) ? "a symbolic link" : S_ISDIR(about.st_mode) ? "a folder" : "no file";
  return tl::unexpected(base::Error{base::ErrorKind::Refused,
                                    place.path + " is " + what + ", and is not replaced by a file",
                                    "move it away when it is not needed, or name another path"});
}

base::Result<bool> is_as_wanted(const Descriptor& folder, const Place& place, const ports::FileToWrite& wanted,
                                const Owner& owner, const struct stat& about) {
  const bool alike = (about.st_mode & 07777U) == static_cast<mode_t>(wanted.mode) && about.st_uid == owner.user &&
                     (!owner.group || about.st_gid == *owner.group) &&
                     static_cast<std::size_t>(about.st_size) == wanted.content.size();
  if (!alike) return false;
  Descriptor file(::openat(folder.number(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return failed("open", place.path, errno);
  // It may be right and yet only in memory, when whoever wrote it was stopped on the way.
  if (::fsync(file.number()) != 0) return failed("write to disk", place.path, errno);
  const FileBytes bytes(std::move(file), place.path, wanted.content.size());
  std::string content(wanted.content.size() + 1, '\0');
  const auto got = bytes.read(0, content.data(), content.size());
  if (!got) return tl::unexpected(got.error());
  content.resize(*got);
  return content == wanted.content;
}

bool is_temporary(std::string_view name, const std::string& start) {
  return name.size() == start.size() + kDigits && name.substr(0, start.size()) == start &&
         name.find_first_not_of("0123456789abcdef", start.size()) == std::string_view::npos;
}

// Those that a crash has left; one that is being written is locked by its writer. What cannot be removed does no harm.
void remove_leftovers(const Descriptor& folder, const Place& place, const std::string& start) {
  const auto names = list_folder(place.folder);
  if (!names || !*names) return;
  for (const std::string& name : **names) {
    if (!is_temporary(name, start)) continue;
    const Descriptor file(::openat(folder.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file && ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) continue;
    static_cast<void>(::unlinkat(folder.number(), name.c_str(), 0));
  }
}

// Removed again unless it has been renamed.
class Temporary {
 public:
  Temporary(const Descriptor& folder, std::string name)
      : folder_(folder),
        name_(std::move(name)),
        file_(::openat(folder.number(), name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) {
    if (file_) static_cast<void>(::flock(file_.number(), LOCK_EX | LOCK_NB));
  }
  ~Temporary() {
    if (file_ && !renamed_) static_cast<void>(::unlinkat(folder_.number(), name_.c_str(), 0));
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const Descriptor& file() const { return file_; }
  bool rename_to(const std::string& name) {
    renamed_ = ::renameat(folder_.number(), name_.c_str(), folder_.number(), name.c_str()) == 0;
    return renamed_;
  }

 private:
  const Descriptor& folder_;
  std::string name_;
  Descriptor file_;
  bool renamed_ = false;
};

base::Result<void> fill(const Descriptor& file, const ports::FileToWrite& wanted, const Owner& owner) {
  if (auto written = write_all(file, wanted.path, wanted.content); !written) return written;
  if (!wanted.owner.empty() && ::fchown(file.number(), owner.user, owner.group.value_or(static_cast<gid_t>(-1))) != 0) {
    base::Error error = system_error("give " + wanted.path + " to", "the user " + wanted.owner, errno);
    if (error.kind == base::ErrorKind::Refused) error.help = "only root can do that: run as root, or as that user";
    return tl::unexpected(std::move(error));
  }
  if (::fchmod(file.number(), static_cast<mode_t>(wanted.mode)) != 0)
    return failed("set the mode of", wanted.path, errno);
  if (::fsync(file.number()) != 0) return failed("write to disk", wanted.path, errno);
  return {};
}

}  // namespace

base::Result<bool> write_atomically(const ports::FileToWrite& wanted) {
  const auto place = place_of(wanted.path);
  if (!place) return tl::unexpected(place.error());
  if (wanted.mode < 0 || wanted.mode > 0777) return base::invalid("the mode of " + wanted.path + " is beyond 0777");
  const auto owner = owner_of(wanted);
  if (!owner) return tl::unexpected(owner.error());
  const auto folder = make_folder(place->folder);
  if (!folder) return tl::unexpected(folder.error());
  const auto before = look(*folder, *place);
  if (!before) return tl::unexpected(before.error());
  const std::string start = "." + place->name + std::string(kMark);
  remove_leftovers(*folder, *place, start);
  if (*before) {
    const auto same = is_as_wanted(*folder, *place, wanted, *owner, **before);
    if (!same) return same;
    if (*same) {
      if (auto synced = sync_folder(*folder, place->folder); !synced) return tl::unexpected(synced.error());
      return false;
    }
  }
  Temporary temporary(*folder, start + make_entropy()->hex(kDigits));
  if (!temporary.file()) return failed("write", place->path, errno);
  if (auto filled = fill(temporary.file(), wanted, *owner); !filled) return tl::unexpected(std::move(filled.error()));
  if (!temporary.rename_to(place->name)) {
    const int number = errno;
    base::Error error = system_error("write", place->path, number);
    if (number == EIO) error.kind = base::ErrorKind::Ambiguous;
    return tl::unexpected(std::move(error));
  }
  if (auto synced = sync_folder(*folder, place->folder); !synced) return tl::unexpected(std::move(synced.error()));
  return true;
}

}  // namespace quorate::adapters::system
