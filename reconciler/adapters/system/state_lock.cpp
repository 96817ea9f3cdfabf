// flock on a file that is never removed; the PID in it is for people, the lock is what counts.
#include "reconciler/adapters/system/state_lock.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/adapters/system/durable.h"
#include "reconciler/adapters/system/files.h"

namespace quorate::adapters::system {
namespace {

constexpr const char* kName = "lock";

tl::unexpected<base::Error> failed(const std::string& doing, const std::string& path, int number) {
  return tl::unexpected<base::Error>(system_error(doing, path, number));
}

// Digits only: anybody who may write there could have written anything.
std::string pid_in(const Descriptor& file) {
  std::array<char, 16> text{};
  const ssize_t got = ::pread(file.number(), text.data(), text.size(), 0);
  const std::string_view read(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::string_view digits = read.substr(0, read.find_first_not_of("0123456789"));
  return digits.empty() ? "of unknown PID" : "PID " + std::string(digits);
}

base::Result<bool> is_still_there(const Descriptor& folder, const Descriptor& file, const std::string& path) {
  struct stat ours {};
  struct stat named {};
  if (::fstat(file.number(), &ours) != 0) return failed("look at", path, errno);
  if (::fstatat(folder.number(), kName, &named, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return false;
    return failed("look at", path, errno);
  }
  return ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

}  // namespace

base::Result<StateLock> lock_state_dir(const std::string& folder) {
  const auto open = make_folder(folder);
  if (!open) return tl::unexpected(open.error());
  const std::string path = folder + "/" + kName;
  // Somebody may have wiped the folder between our opening the file and our locking it.
  for (int attempt = 0; attempt < 10; ++attempt) {
    Descriptor file(::openat(open->number(), kName, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    if (!file) return failed("open", path, errno);
    if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return failed("lock", path, errno);
      return tl::unexpected(base::Error{base::ErrorKind::Refused,
                                        "another agent (" + pid_in(file) + ") keeps the directory " + folder,
                                        "stop that one first, or give this one another --state-dir"});
    }
    const auto there = is_still_there(*open, file, path);
    if (!there) return tl::unexpected(there.error());
    if (!*there) continue;
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(file.number(), 0) != 0) return failed("write", path, errno);
    // A full disk must not keep the agent from starting: the lock stands without the PID.
    static_cast<void>(::pwrite(file.number(), pid.data(), pid.size(), 0) == 0);
    return StateLock(std::move(file));
  }
  return tl::unexpected(base::Error{base::ErrorKind::Transient, path + " is removed again and again", ""});
}

}  // namespace quorate::adapters::system
