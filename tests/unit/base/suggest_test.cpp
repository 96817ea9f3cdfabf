// Typing mistakes.
#include "reconciler/base/suggest.h"

#include <gmock/gmock.h>

namespace quorate::base {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Suggest, CountsASwapOfNeighboursOnce) {
  EXPECT_EQ(edit_distance("dialy", "daily"), 1U);
  EXPECT_EQ(edit_distance("quotta", "quota"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(Suggest, NamesTheNearestWordsOnly) {
  EXPECT_THAT(nearest("quotta", {"quota", "quorum", "version"}), ElementsAre("quota"));
  EXPECT_THAT(nearest("Version", {"version"}), ElementsAre("version"));
}

TEST(Suggest, SaysNothingWhenNothingIsNear) {
  EXPECT_THAT(nearest("backup", {"version", "quota"}), IsEmpty());
  EXPECT_THAT(nearest("", {"a"}), IsEmpty());
  EXPECT_THAT(nearest("x", {"y"}), IsEmpty());
  EXPECT_THAT(nearest(std::string(1000, 'a'), {"aa"}), IsEmpty());
}

}  // namespace quorate::base
