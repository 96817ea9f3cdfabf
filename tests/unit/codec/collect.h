// The end of a chain of sinks that keeps what came, and ways to push bytes through one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "reconciler/codec/sink.h"

namespace quorate::tests {

class Collect final : public codec::Sink {
 public:
  base::Result<void> write(std::string_view bytes) override {
    text += bytes;
    return {};
  }
  base::Result<void> finish() override {
    finished = true;
    return {};
  }
  std::string text;
  bool finished = false;
};

// In pieces of this size, and finished.
inline base::Result<void> push(codec::Sink& sink, std::string_view bytes, std::size_t piece = 1000) {
  while (!bytes.empty()) {
    if (auto done = sink.write(bytes.substr(0, piece)); !done) return done;
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return sink.finish();
}

// Half of it compresses well, half does not.
inline std::string mixed_bytes(std::size_t size) {
  std::string text;
  std::uint32_t state = 12345;
  while (text.size() < size) {
    state = state * 1664525 + 1013904223;
    if (text.size() / 5000 % 2 == 0) {
      text += static_cast<char>(state >> 24);
    } else {
      text += "the same again ";
    }
  }
  text.resize(size);
  return text;
}

}  // namespace quorate::tests
