// Paths as text.
#include "reconciler/base/path.h"

#include <gtest/gtest.h>

namespace quorate::base {

TEST(Path, JoinsAndWritesOneSpelling) {
  EXPECT_EQ(join_path("/var/lib", "etcd"), "/var/lib/etcd");
  EXPECT_EQ(join_path("/var/lib/", "./etcd//data/"), "/var/lib/etcd/data");
  EXPECT_EQ(join_path("/var/lib", "/etc/pki"), "/etc/pki");
  EXPECT_EQ(join_path("/", "/"), "/");
}

TEST(Path, FindsTheParent) {
  EXPECT_EQ(parent_path("/var/lib/etcd"), "/var/lib");
  EXPECT_EQ(parent_path("/etcd"), "/");
}

TEST(Path, TellsWhatLiesWithin) {
  EXPECT_TRUE(is_within("/data/a", "/data/a"));
  EXPECT_TRUE(is_within("/data/a/b", "/data/a"));
  EXPECT_FALSE(is_within("/data/ab", "/data/a"));
  EXPECT_FALSE(is_within("/data", "/data/a"));
  EXPECT_TRUE(is_within("/data", "/"));
}

}  // namespace quorate::base
