// SHA-256 over pieces, and a stage that hashes what passes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "reconciler/codec/sink.h"

namespace quorate::codec {

inline constexpr std::size_t kSha256Bytes = 32;

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::string_view bytes);
  std::string digest() const { return digest_with({}); }  // of what there was so far, 32 bytes
  std::string digest_with(std::string_view more) const;   // as if that had come too

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string hex_of(std::string_view bytes);

class Hashing final : public Sink {
 public:
  explicit Hashing(Sink& next) : next_(next) {}

  base::Result<void> write(std::string_view bytes) override;
  base::Result<void> finish() override { return next_.finish(); }

  std::uint64_t size() const { return size_; }
  std::string sha256_hex() const { return hex_of(sha256_.digest()); }

 private:
  Sink& next_;
  Sha256 sha256_;
  std::uint64_t size_ = 0;
};

}  // namespace quorate::codec
