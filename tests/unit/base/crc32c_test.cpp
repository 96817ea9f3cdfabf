// CRC-32C against its published check values.
#include "reconciler/base/crc32c.h"

#include <string>

#include <gtest/gtest.h>

namespace quorate::base {

TEST(Crc32c, GivesThePublishedValues) {
  EXPECT_EQ(crc32c(0, "123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(0, std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(0, std::string(32, '\xFF')), 0x62A8AB43U);
  EXPECT_EQ(crc32c(0, ""), 0U);
}

TEST(Crc32c, ContinuesWhereItStoppedAtEveryPlace) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    EXPECT_EQ(crc32c(crc32c(0, text.substr(0, at)), text.substr(at)), crc32c(0, text)) << at;
  }
}

}  // namespace quorate::base
