// SHA-256 over pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

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

}  // namespace quorate::codec
