// The SHA-256 that etcd puts behind a snapshot: 32 bytes about all bytes before them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reconciler/codec/sha256.h"
#include "reconciler/codec/sink.h"

namespace quorate::codec {

// A database that somebody copied out of a data directory has none.
enum class TrailingHash { Required, Optional };

class SnapshotCheck final : public Sink {
 public:
  SnapshotCheck(TrailingHash wanted, Sink& next) : wanted_(wanted), next_(next) {}

  base::Result<void> write(std::string_view bytes) override;
  base::Result<void> finish() override;  // Invalid: the snapshot is not what etcd sent

  std::uint64_t size() const { return size_; }
  bool has_hash() const { return has_hash_; }  // after finish()
  // Of all bytes, the trailing ones too: what is stored as it came needs no hash of its own.
  std::string sha256_hex() const { return hex_of(sha256_.digest_with(tail_)); }

 private:
  TrailingHash wanted_;
  Sink& next_;
  Sha256 sha256_;  // of all but the last 32 bytes so far
  std::string tail_;
  std::uint64_t size_ = 0;
  bool has_hash_ = false;
};

}  // namespace quorate::codec
