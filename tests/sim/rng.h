// Chance from one seed, the same on every machine and with every standard library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reconciler/base/units.h"

namespace quorate::sim {

// splitmix64
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool chance(std::uint64_t per_mille) { return below(1000) < per_mille; }
  base::Duration between(std::int64_t least_ms, std::int64_t most_ms) {
    return base::Duration{least_ms +
                          static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most_ms - least_ms + 1)))};
  }
  std::string hex(int digits) {
    std::string text;
    while (static_cast<int>(text.size()) < digits) text += "0123456789abcdef"[below(16)];
    return text;
  }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(from.size()))];
  }
  // A stream of its own, so that what one part draws does not move what another draws.
  Rng fork() { return Rng(next()); }

 private:
  std::uint64_t state_;
};

// FNV-1a; for IDs and for the trace.
inline std::uint64_t mix(std::uint64_t hash, const std::string& text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return (hash ^ 0xffU) * 0x100000001b3ULL;
}

}  // namespace quorate::sim
