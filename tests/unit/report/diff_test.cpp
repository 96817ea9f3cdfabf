// Differences as `diff -u` shows them.
#include "reconciler/report/diff.h"

#include <gtest/gtest.h>

namespace quorate::report {
namespace {

std::string diff(std::string_view before, std::string_view after) {
  return unified_diff("a", before, "b", after, {});
}

}  // namespace

TEST(Diff, OfEqualTextsIsEmpty) {
  EXPECT_EQ(diff("x\ny\n", "x\ny\n"), "");
}

TEST(Diff, ShowsThreeLinesAroundAChange) {
  EXPECT_EQ(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(Diff, OfANewFileAddsAllOfIt) {
  EXPECT_EQ(diff("", "1\n2\n"), "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+1\n+2\n");
}

TEST(Diff, OfARemovedFileRemovesAllOfIt) {
  EXPECT_EQ(diff("1\n", ""), "--- a\n+++ b\n@@ -1 +0,0 @@\n-1\n");
}

TEST(Diff, PutsDistantChangesIntoHunksOfTheirOwn) {
  std::string before;
  for (int i = 1; i <= 30; ++i) before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("\n2\n"), 3, "\nII\n");
  after.replace(after.find("\n28\n"), 4, "\nXXVIII\n");
  const std::string text = diff(before, after);
  EXPECT_NE(text.find("@@ -1,5 +1,5 @@"), std::string::npos);
  EXPECT_NE(text.find("@@ -25,6 +25,6 @@"), std::string::npos);
}

TEST(Diff, TellsALineBreakAtTheEndFromNone) {
  EXPECT_NE(diff("a", "a\n"), "");
}

}  // namespace quorate::report
