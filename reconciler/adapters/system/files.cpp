// open, pread, readdir, and what their errors mean.
#include "reconciler/adapters/system/files.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "reconciler/base/path.h"

namespace quorate::adapters::system {
namespace {

constexpr std::size_t kNamesAtMost = 100'000;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

tl::unexpected<base::Error> failed(const std::string& doing, const std::string& path, int number) {
  return tl::unexpected<base::Error>(system_error(doing, path, number));
}

// ENOENT came back: is it the path itself that is not there, or what a link on the way leads to?
base::Result<void> positively_absent(const std::string& path) {
  std::string part = path;
  struct stat status {};
  while (::lstat(part.c_str(), &status) != 0) {
    if (errno != ENOENT) return failed("look at", part, errno);
    const std::string parent = base::parent_path(part);
    if (parent == part || parent.empty()) return {};
    part = parent;
  }
  if (!S_ISLNK(status.st_mode)) return {};
  struct stat target {};
  if (::stat(part.c_str(), &target) == 0) return {};  // the link leads somewhere; what is missing is below it
  return tl::unexpected(base::Error{base::ErrorKind::Refused, part + " is a link to something that is not there",
                                    "mount or create what it leads to, or remove the link"});
}

}  // namespace

base::Error system_error(const std::string& doing, const std::string& path, int number) {
  const std::string message = "cannot " + doing + " " + path + ": " + std::generic_category().message(number);
  if (number == EACCES || number == EPERM) {
    return {base::ErrorKind::Refused, message, "run it as root, or as the user that the file belongs to"};
  }
  if (number == EROFS) return {base::ErrorKind::Refused, message, "mount its file system for writing"};
  if (number == ENOSPC || number == EDQUOT) {
    return {base::ErrorKind::Transient, "disk full: " + message, "free space on its file system"};
  }
  if (number == ENOTDIR || number == ELOOP || number == ENAMETOOLONG) return {base::ErrorKind::Invalid, message, ""};
  return {base::ErrorKind::Transient, message, ""};
}

base::Result<std::size_t> FileBytes::read(std::uint64_t offset, char* to, std::size_t count) const {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(file_.number(), to + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path_, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

base::Result<std::unique_ptr<FileBytes>> open_file(const std::string& path) {
  // Without O_NONBLOCK a pipe in the place of a file would hold us for ever.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    if (errno != ENOENT) return failed("open", path, errno);
    if (auto absent = positively_absent(path); !absent) return tl::unexpected(std::move(absent.error()));
    return nullptr;
  }
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return failed("look at", path, errno);
  if (!S_ISREG(status.st_mode)) return base::invalid(path + " is no regular file");
  return std::make_unique<FileBytes>(std::move(file), path, static_cast<std::uint64_t>(status.st_size));
}

base::Result<Descriptor> open_folder(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) {
    if (errno != ENOENT) return failed("open", path, errno);
    if (auto absent = positively_absent(path); !absent) return tl::unexpected(std::move(absent.error()));
  }
  return folder;
}

base::Result<std::optional<std::string>> read_whole_file(const std::string& path, std::size_t at_most) {
  const auto file = open_file(path);
  if (!file) return tl::unexpected(file.error());
  if (*file == nullptr) return std::nullopt;
  std::string content;
  // Files of /proc have no size, and others may grow: read until the end.
  std::size_t room = std::min<std::size_t>(static_cast<std::size_t>((*file)->size()) + 4096, at_most + 1);
  while (true) {
    const std::size_t before = content.size();
    content.resize(before + room);
    const auto got = (*file)->read(before, content.data() + before, room);
    if (!got) return tl::unexpected(got.error());
    content.resize(before + *got);
    if (*got < room) break;
    if (content.size() > at_most) {
      return base::invalid(path + " is larger than " + std::to_string(at_most) + " bytes");
    }
    room = std::min(content.size(), at_most + 1 - content.size());
  }
  return content;
}

base::Result<std::optional<std::vector<std::string>>> list_folder(const std::string& path) {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path.c_str()));
  if (folder == nullptr) {
    if (errno != ENOENT) return failed("open", path, errno);
    if (auto absent = positively_absent(path); !absent) return tl::unexpected(std::move(absent.error()));
    return std::nullopt;
  }
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
    if (names.size() > kNamesAtMost) return base::invalid(path + " holds more than 100,000 files");
  }
  if (errno != 0) return failed("list", path, errno);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace quorate::adapters::system
