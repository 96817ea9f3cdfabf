// That the numbers differ, fit, and leave none out.
#include "reconciler/adapters/system/entropy.h"

#include <array>
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace quorate::adapters::system {
namespace {

TEST(Entropy, GivesSoManyDigitsAndOtherOnesEachTime) {
  const auto entropy = make_entropy();
  std::set<std::string> seen;
  for (int time = 0; time < 100; ++time) seen.insert(entropy->hex(33));
  EXPECT_EQ(seen.size(), 100U);
  for (const std::string& text : seen) {
    EXPECT_EQ(text.size(), 33U);
    EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
  EXPECT_EQ(entropy->hex(0), "");
}

TEST(Entropy, StaysBelowItsBoundAndReachesEveryNumber) {
  const auto entropy = make_entropy();
  std::array<int, 3> seen{};
  for (int time = 0; time < 3000; ++time) ++seen.at(entropy->below(3));
  for (const int count : seen) EXPECT_GT(count, 700);
  EXPECT_EQ(entropy->below(1), 0U);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  for (int time = 0; time < 100; ++time) EXPECT_LT(entropy->below(kMost / 2 + 2), kMost / 2 + 2);
}

}  // namespace
}  // namespace quorate::adapters::system
