// FICLONE, copy_file_range, pwrite and fsync.
#include "reconciler/adapters/restorer/files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

namespace quorate::adapters::restorer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{64} * 1024 * 1024;  // between two looks at the clock
constexpr std::size_t kBuffer = std::size_t{1024} * 1024;

tl::unexpected<base::Error> failed(const std::string& doing, const std::string& path, int number) {
  return tl::unexpected<base::Error>(system_error(doing, path, number));
}

base::Result<void> write_all(const Descriptor& file, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file.number(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return failed("write", path, wrote < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

// How many bytes; 0: the end. Through our own memory where the kernel cannot do it alone.
base::Result<std::size_t> copy_piece(const Descriptor& source, const Descriptor& target, const std::string& from,
                                     const std::string& to, bool& by_kernel) {
  while (by_kernel) {
    const ssize_t copied = ::copy_file_range(source.number(), nullptr, target.number(), nullptr, kPiece, 0);
    if (copied >= 0) return static_cast<std::size_t>(copied);
    if (errno == EINTR) continue;
    if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) {
      return failed("copy " + from + " to", to, errno);
    }
    by_kernel = false;
  }
  std::string buffer(kBuffer, '\0');
  ssize_t got = -1;
  do {
    got = ::read(source.number(), buffer.data(), buffer.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return failed("read", from, errno);
  buffer.resize(static_cast<std::size_t>(got));
  if (auto wrote = write_all(target, to, buffer); !wrote) return tl::unexpected(std::move(wrote.error()));
  return buffer.size();
}

base::Result<void> sync_entry(const std::string& path, int flags) {
  const Descriptor entry(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
  if (!entry) return failed("open", path, errno);
  if (::fsync(entry.number()) != 0 && errno != EINVAL) return failed("write down", path, errno);
  return {};
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
  if (number == ENOENT || number == ENOTDIR || number == ELOOP || number == ENAMETOOLONG) {
    return {base::ErrorKind::Invalid, message, ""};
  }
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

void FileBytes::let_go(std::uint64_t before) const {
  static_cast<void>(::posix_fadvise(file_.number(), 0, static_cast<off_t>(before), POSIX_FADV_DONTNEED));
}

base::Result<std::unique_ptr<FileBytes>> open_file(const std::string& path) {
  // Without O_NONBLOCK a pipe in the place of a file would hold us for ever.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return failed("open", path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return failed("look at", path, errno);
  if (!S_ISREG(status.st_mode)) return base::invalid(path + " is no regular file");
  return std::make_unique<FileBytes>(std::move(file), path, static_cast<std::uint64_t>(status.st_size));
}

base::Result<void> make_folders(const std::string& path) {
  std::error_code error;
  const fs::path whole(path);
  fs::path part;
  for (const fs::path& name : whole) {
    part /= name;
    if (name.empty() || fs::exists(part, error)) continue;
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return failed("make the folder", part.string(), errno);
  }
  return {};
}

base::Result<std::vector<std::string>> files_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    if (entry->is_regular_file(gone)) names.push_back(entry->path().filename().string());
  }
  if (error) return failed("list", folder, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

base::Result<void> copy_file(const std::string& from, const std::string& to, const Deadline& deadline) {
  const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!source) return failed("open", from, errno);
  const Descriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!target) return failed("create", to, errno);
  if (::ioctl(target.number(), FICLONE, source.number()) == 0) return {};
  bool by_kernel = true;
  while (true) {
    const auto copied = copy_piece(source, target, from, to, by_kernel);
    if (!copied) return tl::unexpected(copied.error());
    if (*copied == 0) return {};
    if (deadline.over()) return deadline.missed("the copy of " + from);
  }
}

base::Result<void> replace_end(const std::string& path, std::uint64_t offset, std::string_view bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file || ::ftruncate(file.number(), static_cast<off_t>(offset)) != 0) return failed("change", path, errno);
  return write_all(file, path, bytes);
}

base::Result<void> append_and_sync(const std::string& path, std::string_view bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file) return failed("open", path, errno);
  if (auto wrote = write_all(file, path, bytes); !wrote) return wrote;
  if (::fsync(file.number()) != 0) return failed("write down", path, errno);
  return {};
}

base::Result<void> sync_tree(const std::string& path) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    const int flags = entry->is_directory() ? O_DIRECTORY : 0;
    if (auto synced = sync_entry(entry->path().string(), flags); !synced) return synced;
  }
  if (error) return failed("list", path, error.value());
  return sync_entry(path, O_DIRECTORY);
}

}  // namespace quorate::adapters::restorer
