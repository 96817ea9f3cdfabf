// The SHA-256 that etcd puts behind a snapshot: 32 bytes about all bytes before them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reconciler/codec/sha256_aside.h"
#include "reconciler/codec/sink.h"

namespace quorate::codec {

// Optional: a database that somebody copied out of a data directory has none. Later: the bytes are those of a snapshot
// that agreed with its hash before, and whoever uses them asks again.
enum class TrailingHash { Required, Optional, Later };

class SnapshotCheck final : public Sink {
 public:
  SnapshotCheck(TrailingHash wanted, Sink& next, Workers* workers = nullptr)
      : wanted_(wanted), next_(next), sha256_(workers) {}

  base::Result<void> write(std::string_view bytes) override;
  base::Result<void> finish() override;  // Invalid: the snapshot is not what etcd sent

  std::uint64_t size() const { return size_; }
  bool has_hash() const { return has_hash_; }  // after finish()
  // Of all bytes, the trailing ones too: what is stored as it came needs no hash of its own.
  std::string sha256_hex() { return hex_of(sha256_.digest_with(tail_)); }

 private:
  TrailingHash wanted_;
  Sink& next_;
  Sha256Aside sha256_;  // of all but the last 32 bytes so far
  std::string tail_;
  std::uint64_t size_ = 0;
  bool has_hash_ = false;
};

}  // namespace quorate::codec
