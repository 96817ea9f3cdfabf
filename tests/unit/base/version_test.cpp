// Versions of etcd.
#include "reconciler/base/version.h"

#include <gtest/gtest.h>

namespace quorate::base {

TEST(Version, ReadsMinorsAndReleases) {
  EXPECT_EQ(parse_version("3.5"), (Version{{3, 5}, std::nullopt}));
  EXPECT_EQ(parse_version("3.10.21"), (Version{{3, 10}, 21}));
  EXPECT_EQ(to_string(*parse_version("3.5.21")), "3.5.21");
  EXPECT_EQ(to_string(*parse_version("3.5")), "3.5");
}

TEST(Version, RefusesEverythingElse) {
  for (const char* text : {"", "3", "3.", "3.5.", "v3.5.1", "3.5.1-rc.0", "3.-5", "a.b", "3.5.1.1", "3.99999999999"}) {
    EXPECT_FALSE(parse_version(text)) << text;
  }
}

TEST(Version, ComparesByNumberNotByText) {
  EXPECT_LT((Minor{3, 9}), (Minor{3, 10}));
}

}  // namespace quorate::base
