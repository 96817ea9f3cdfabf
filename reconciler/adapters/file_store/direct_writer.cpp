// O_DIRECT in whole pieces; what is smaller than one, and where a file system knows no such thing, in the ordinary way.
#include "reconciler/adapters/file_store/direct_writer.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace quorate::file_store {
namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20;
constexpr std::size_t kAligned = 4096;  // no disk asks for more
constexpr std::uint64_t kStretch = std::uint64_t{8} << 20;

}  // namespace

int DirectWriter::write(std::string_view bytes) {
  if (!held_) held_.reset(static_cast<char*>(std::aligned_alloc(kAligned, kPiece)));
  if (!held_) return put(bytes);  // there is no memory for it
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece - held_size_);
    std::memcpy(held_.get() + held_size_, piece.data(), piece.size());
    held_size_ += piece.size();
    bytes.remove_prefix(piece.size());
    if (held_size_ < kPiece) continue;
    if (written_ == 0) past_the_cache(true);
    if (const int failed = put({held_.get(), std::exchange(held_size_, 0)}); failed != 0) return failed;
  }
  return 0;
}

int DirectWriter::finish() {
  past_the_cache(false);  // the end is no multiple of anything
  if (const int failed = put({held_.get(), std::exchange(held_size_, 0)}); failed != 0) return failed;
  return ::fsync(file_) == 0 ? 0 : errno;
}

void DirectWriter::past_the_cache(bool wanted) {
  const int flags = ::fcntl(file_, F_GETFL);
  if (flags < 0) return;
  const bool set = ::fcntl(file_, F_SETFL, wanted ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
  direct_ = wanted && set;
}

int DirectWriter::put(std::string_view bytes) {
  while (!bytes.empty()) {
    if (direct_ && bytes.size() % kAligned != 0) past_the_cache(false);  // it took a part of the last one
    const ssize_t wrote = ::write(file_, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    // Some file systems say only now that they cannot, and each in its own way; a full disk is full in any.
    if (wrote < 0 && direct_ && errno != ENOSPC && errno != EDQUOT && errno != EFBIG) {
      past_the_cache(false);
      continue;
    }
    if (wrote <= 0) return wrote < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
    written_ += static_cast<std::uint64_t>(wrote);
  }
  if (!direct_) send_to_disk();
  return 0;
}

// So that the fsync at the end finds little left to do.
void DirectWriter::send_to_disk() {
  if (written_ - on_its_way_ < kStretch) return;
  static_cast<void>(::sync_file_range(file_, static_cast<off_t>(on_its_way_),
                                      static_cast<off_t>(written_ - on_its_way_), SYNC_FILE_RANGE_WRITE));
  on_its_way_ = written_;
}

}  // namespace quorate::file_store
