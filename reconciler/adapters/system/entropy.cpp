// getrandom.
#include "reconciler/adapters/system/entropy.h"

#include <cerrno>
#include <limits>

#include <sys/random.h>

#include "reconciler/base/check.h"

namespace quorate::adapters::system {
namespace {

// So few bytes never come in pieces; before the kernel has enough randomness the call waits.
std::uint64_t random_number() {
  std::uint64_t value = 0;
  ssize_t got = 0;
  do {
    got = ::getrandom(&value, sizeof value, 0);
  } while (got < 0 && errno == EINTR);
  QUORATE_CHECK(got == sizeof value);
  return value;
}

class KernelEntropy final : public ports::Entropy {
 public:
  std::string hex(int digits) override {
    std::string text;
    std::uint64_t bits = 0;
    for (int digit = 0; digit < digits; ++digit) {
      if (digit % 16 == 0) bits = random_number();
      text += "0123456789abcdef"[bits & 15];
      bits >>= 4;
    }
    return text;
  }

  // Numbers above the last whole multiple of the bound would make the small ones more frequent.
  std::uint64_t below(std::uint64_t bound) override {
    QUORATE_CHECK(bound > 0);
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t surplus = (most % bound + 1) % bound;
    std::uint64_t value = random_number();
    while (value > most - surplus) value = random_number();
    return value % bound;
  }
};

}  // namespace

std::unique_ptr<ports::Entropy> make_entropy() {
  return std::make_unique<KernelEntropy>();
}

}  // namespace quorate::adapters::system
