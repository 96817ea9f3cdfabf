// Randomness, as an input.
#pragma once

#include <cstdint>
#include <string>

namespace quorate::ports {

class Entropy {
 public:
  Entropy() = default;
  Entropy(const Entropy&) = delete;
  Entropy& operator=(const Entropy&) = delete;
  virtual ~Entropy() = default;

  virtual std::string hex(int digits) = 0;
  virtual std::uint64_t below(std::uint64_t bound) = 0;  // bound > 0
};

}  // namespace quorate::ports
