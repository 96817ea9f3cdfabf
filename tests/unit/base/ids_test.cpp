// Identifiers as etcd writes them.
#include "reconciler/base/ids.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace quorate::base {

TEST(Ids, AreWrittenAsEtcdWritesThem) {
  EXPECT_EQ(to_string(MemberId{0x8e9e05c52164694dU}), "8e9e05c52164694d");
  EXPECT_EQ(to_string(ClusterId{0xA}), "a");
  EXPECT_EQ(to_string(MemberId{}), "0");
}

TEST(Ids, AreReadBack) {
  EXPECT_EQ(parse_id("8e9e05c52164694d"), 0x8e9e05c52164694dU);
  EXPECT_EQ(parse_id("FFFFFFFFFFFFFFFF"), 0xFFFFFFFFFFFFFFFFU);
  for (const char* text : {"", "x", "0x1", "-1", "+1", " 1", "1 ", "11111111111111111"}) {
    EXPECT_FALSE(parse_id(text)) << text;
  }
}

TEST(Ids, OfClustersAndMembersAreNotMixedUp) {
  static_assert(!std::is_convertible_v<ClusterId, MemberId>);
  EXPECT_LT(MemberId{1}, MemberId{2});
}

}  // namespace quorate::base
