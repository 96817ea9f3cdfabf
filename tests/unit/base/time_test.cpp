// Points in time as text, and ages.
#include "reconciler/base/time.h"

#include <gtest/gtest.h>

namespace quorate::base {

TEST(Time, IsWrittenInUtcAndReadBack) {
  for (const char* text :
       {"2026-09-24T09:12:41Z", "1970-01-01T00:00:00Z", "2024-02-29T23:59:59.007Z", "1969-12-31T23:59:59Z"}) {
    const auto time = parse_time(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(to_string(*time), text);
  }
  EXPECT_EQ(parse_time("2026-09-24T09:12:41.5Z"), parse_time("2026-09-24T09:12:41.500999Z"));
  EXPECT_EQ(parse_time("1970-01-02T00:00:01.250Z")->time_since_epoch(), Duration(86'401'250));
}

TEST(Time, RefusesEverythingElse) {
  for (const char* text :
       {"", "2026-09-24", "2026-09-24T09:12:41", "2026-09-24T09:12:41+00:00", "2026-02-30T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-09-24T24:00:00Z", "2026-09-24T09:60:41Z", "2026-09-24T09:12:60Z",
        "2026-09-24 09:12:41Z", "2026-09-24T09:12:41.Z", "2026-09-24T09:12:41ZZ", "-026-09-24T09:12:41Z"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(Time, TellsAgesInUnitsThatPeopleUse) {
  using namespace std::chrono_literals;
  EXPECT_EQ(age_text(0ms), "0.0 s");
  EXPECT_EQ(age_text(-5s), "0.0 s");
  EXPECT_EQ(age_text(420ms), "0.4 s");
  EXPECT_EQ(age_text(42s), "42 s");
  EXPECT_EQ(age_text(18min), "18m");
  EXPECT_EQ(age_text(63min), "1h03m");
  EXPECT_EQ(age_text(41 * 24h), "41d");
}

}  // namespace quorate::base
