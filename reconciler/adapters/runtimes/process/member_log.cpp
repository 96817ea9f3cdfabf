// O_APPEND, inotify, and a copy that takes over what was read.
#include "reconciler/adapters/runtimes/process/member_log.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

namespace quorate::adapters::process {
namespace {

constexpr std::uint64_t kFile = std::uint64_t{16} << 20;
constexpr std::size_t kRecent = std::size_t{64} << 10;
constexpr std::size_t kLine = std::size_t{8} << 10;
constexpr int kPieces = 64;  // of 64 KiB, before others get their turn

bool write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file.number(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

ssize_t read_at(const Descriptor& file, std::uint64_t offset, char* to, std::size_t count) {
  ssize_t got = -1;
  do {
    got = ::pread(file.number(), to, count, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

bool MemberLog::open() {
  struct stat status {};
  // One that somebody has removed would fill its disk unseen.
  if (file_ && ::fstat(file_.number(), &status) == 0 && status.st_nlink > 0) return true;
  Descriptor file(::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!file || ::fstat(file.number(), &status) != 0) return false;
  if (!S_ISREG(status.st_mode)) {
    errno = EINVAL;
    return false;
  }
  ::fcntl(file.number(), F_SETFL, O_APPEND);  // O_NONBLOCK was for opening only
  file_ = std::move(file);
  watch_growth();
  return true;
}

void MemberLog::watch_growth() {
  growth_ = Descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (growth_ && ::inotify_add_watch(growth_.number(), path_.c_str(), IN_MODIFY) < 0) growth_.close();
}

base::Result<std::uint64_t> MemberLog::begin() {
  if (!open()) {
    return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                      "cannot open " + path_ + ": " + std::generic_category().message(errno),
                                      "check the space and the rights there"});
  }
  line_.clear();
  recent_.clear();
  offset_ = size();
  if (offset_ > kFile) make_room([](std::string_view) {});
  return offset_;
}

void MemberLog::resume(std::uint64_t from) {
  if (!open()) return;
  const std::uint64_t end = size();
  if (from > end) from = 0;  // it was cut off since
  offset_ = std::max(from, end > kRecent ? end - kRecent : 0);
  read_to_end([](std::string_view) {});
}

std::uint64_t MemberLog::size() const {
  struct stat status {};
  if (!file_ || ::fstat(file_.number(), &status) != 0 || status.st_size < 0) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

void MemberLog::take(std::string_view bytes, const Sink& sink) {
  recent_.append(bytes);
  if (recent_.size() > 2 * kRecent) recent_.erase(0, recent_.size() - kRecent);
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    line_.append(piece.substr(0, kLine - std::min(kLine, line_.size())));
    bytes.remove_prefix(std::min(bytes.size(), piece.size() + 1));
    if (end == std::string_view::npos) return;
    if (!line_.empty()) sink(line_);
    line_.clear();
  }
}

bool MemberLog::read_on(const Sink& sink) {
  std::array<char, 4096> event{};
  while (growth_ && ::read(growth_.number(), event.data(), event.size()) > 0) {
  }
  if (!file_) return false;
  if (size() < offset_) offset_ = 0;
  std::array<char, 64 * 1024> piece{};
  for (int count = 0; count < kPieces; ++count) {
    const ssize_t got = read_at(file_, offset_, piece.data(), piece.size());
    if (got <= 0) {
      if (offset_ > kFile) make_room(sink);
      return false;
    }
    offset_ += static_cast<std::uint64_t>(got);
    take({piece.data(), static_cast<std::size_t>(got)}, sink);
  }
  return true;
}

void MemberLog::read_to_end(const Sink& sink) {
  const std::uint64_t end = size();  // what a straggler writes from now on does not keep us here
  while (read_on(sink) && offset_ < end) {
  }
  if (!line_.empty()) sink(line_);
  line_.clear();
}

// What was read moves to "<log>.1" and is cut off here. Where that file cannot be written, being small comes first.
void MemberLog::make_room(const Sink& sink) {
  const std::string old = path_ + ".1";
  ::unlink(old.c_str());
  const Descriptor copy(::open(old.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  std::array<char, 64 * 1024> piece{};
  bool writes = static_cast<bool>(copy);
  // At most the newest part, which is all of it unless nobody has read for long. Up to the last byte, which may be new.
  std::uint64_t at = offset_ > 2 * kFile ? offset_ - 2 * kFile : 0;
  for (const std::uint64_t limit = offset_ + kFile; at < limit;) {
    const ssize_t got = read_at(file_, at, piece.data(), piece.size());
    if (got <= 0) break;
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    writes = writes && write_all(copy, bytes);
    if (at + bytes.size() > offset_) take(bytes.substr(at < offset_ ? offset_ - at : 0), sink);
    at += bytes.size();
  }
  if (::ftruncate(file_.number(), 0) == 0) offset_ = 0;
}

bool MemberLog::disk_is_full() const {
  struct statvfs disk {};
  return file_ && ::fstatvfs(file_.number(), &disk) == 0 && disk.f_bavail == 0;
}

}  // namespace quorate::adapters::process
