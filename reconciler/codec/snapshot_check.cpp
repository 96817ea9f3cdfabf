// The last 32 bytes are held back from the hash, since nobody knows that they are the last.
#include "reconciler/codec/snapshot_check.h"

#include <algorithm>

namespace quorate::codec {
namespace {

constexpr std::uint64_t kDatabaseUnit = 512;  // every page of a database is a multiple of it

}  // namespace

base::Result<void> SnapshotCheck::write(std::string_view bytes) {
  size_ += bytes.size();
  if (wanted_ == TrailingHash::Later) return next_.write(bytes);
  if (bytes.size() >= kSha256Bytes) {
    sha256_.update(tail_);
    sha256_.update(bytes.substr(0, bytes.size() - kSha256Bytes));
    tail_.assign(bytes.substr(bytes.size() - kSha256Bytes));
  } else {
    tail_ += bytes;
    const std::size_t known = tail_.size() - std::min(tail_.size(), kSha256Bytes);
    sha256_.update(std::string_view(tail_).substr(0, known));
    tail_.erase(0, known);
  }
  return next_.write(bytes);
}

base::Result<void> SnapshotCheck::finish() {
  if (wanted_ == TrailingHash::Later) {
    has_hash_ = size_ > kSha256Bytes;
  } else {
    has_hash_ = tail_.size() == kSha256Bytes && sha256_.digest_with() == tail_;
  }
  const bool bare = wanted_ == TrailingHash::Optional && size_ > 0 && size_ % kDatabaseUnit == 0;
  if (!has_hash_ && !bare) {
    return base::invalid(
        "the snapshot does not agree with the hash that etcd puts behind it (" + std::to_string(size_) + " bytes)",
        "it was damaged or cut on its way");
  }
  return next_.finish();
}

}  // namespace quorate::codec
