// SHA-256 on the side: what comes is collected, and a worker hashes it while the stream goes on. And a stage that
// hashes what passes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reconciler/codec/sha256.h"
#include "reconciler/codec/sink.h"
#include "reconciler/codec/workers.h"

namespace quorate::codec {

class Sha256Aside {
 public:
  // Null: at once. Others may give the workers something to do, too, from the same thread.
  explicit Sha256Aside(Workers* workers = nullptr) : workers_(workers) {}
  ~Sha256Aside();
  Sha256Aside(const Sha256Aside&) = delete;
  Sha256Aside& operator=(const Sha256Aside&) = delete;

  void update(std::string_view bytes);
  std::string digest_with(std::string_view more = {});  // as if that had come too

 private:
  void send();

  Workers* workers_;
  Sha256 sha256_;
  std::string filling_;
  std::string in_work_;
};

class Hashing final : public Sink {
 public:
  Hashing(Sink& next, Workers* workers) : next_(next), sha256_(workers) {}

  base::Result<void> write(std::string_view bytes) override;
  base::Result<void> finish() override { return next_.finish(); }

  std::uint64_t size() const { return size_; }
  std::string sha256_hex() { return hex_of(sha256_.digest_with()); }

 private:
  Sink& next_;
  Sha256Aside sha256_;
  std::uint64_t size_ = 0;
};

}  // namespace quorate::codec
