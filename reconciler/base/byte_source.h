// Bytes that can be read at any place: a file for those who may open files, a text for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "reconciler/base/result.h"

namespace quorate::base {

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  virtual std::uint64_t size() const = 0;
  // How many bytes were read; fewer than asked for only where the source ends. An error means: could not look.
  virtual Result<std::size_t> read(std::uint64_t offset, char* to, std::size_t count) const = 0;
};

class TextBytes final : public ByteSource {
 public:
  explicit TextBytes(std::string_view text) : text_(text) {}

  std::uint64_t size() const override { return text_.size(); }
  Result<std::size_t> read(std::uint64_t offset, char* to, std::size_t count) const override {
    if (offset >= text_.size()) return std::size_t{0};
    const std::string_view piece = text_.substr(static_cast<std::size_t>(offset), count);
    std::copy(piece.begin(), piece.end(), to);
    return piece.size();
  }

 private:
  std::string_view text_;
};

// Fixed-width numbers as the formats of etcd have them; the caller has looked at the length.
template <class Number>
Number little_endian(const char* at) {
  Number value = 0;
  for (std::size_t byte = sizeof(Number); byte-- > 0;) {
    value = static_cast<Number>(value << 8 | static_cast<unsigned char>(at[byte]));
  }
  return value;
}

template <class Number>
Number big_endian(const char* at) {
  Number value = 0;
  for (std::size_t byte = 0; byte < sizeof(Number); ++byte) {
    value = static_cast<Number>(value << 8 | static_cast<unsigned char>(at[byte]));
  }
  return value;
}

}  // namespace quorate::base
