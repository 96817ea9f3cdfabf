// Durations and sizes; J10: duration parsing.
#include "reconciler/base/units.h"

#include <gtest/gtest.h>

namespace quorate::base {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Units, J10ReadsDurationsWithUnits) {
  EXPECT_EQ(parse_duration("100ms"), milliseconds(100));
  EXPECT_EQ(parse_duration("1h30m"), minutes(90));
  EXPECT_EQ(parse_duration("1.5d"), hours(36));
  EXPECT_EQ(parse_duration("2w"), hours(336));
  EXPECT_EQ(parse_duration("0s"), seconds(0));
}

TEST(Units, J10RefusesDurationsWithoutUnitsOrOfUnknownLength) {
  for (const char* text : {"", "30", "30 s", "s", "1y", "1h30", "-1s", "1e3s", ".5s", "1.s", "0.0001ms",
                           "99999999999999999999s", "99999999w"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Units, ReadsSizesInBothSystems) {
  EXPECT_EQ(parse_size("8Gi")->bytes, 8589934592U);
  EXPECT_EQ(parse_size("1.5G")->bytes, 1500000000U);
  EXPECT_EQ(parse_size("512B")->bytes, 512U);
  EXPECT_EQ(parse_size("0.5Ki")->bytes, 512U);
}

TEST(Units, RefusesSizesThatCouldBeMisread) {
  for (const char* text : {"", "8", "8g", "8GB", "8 Gi", "Gi", "-1Gi", "0.3B", "99999999999Ti"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Units, WritesTheLargestUnits) {
  EXPECT_EQ(to_string(Duration(minutes(90))), "1h30m");
  EXPECT_EQ(to_string(Duration(hours(168))), "1w");
  EXPECT_EQ(to_string(Duration(milliseconds(1500))), "1s500ms");
  EXPECT_EQ(to_string(Duration(0)), "0s");
  EXPECT_EQ(to_string(Duration(minutes(-10))), "-10m") << "a clock was set back";
  EXPECT_EQ(to_string(Size{8589934592}), "8Gi");
  EXPECT_EQ(to_string(Size{1000}), "1000B");
  EXPECT_EQ(to_string(Size{0}), "0B");
}

}  // namespace quorate::base
