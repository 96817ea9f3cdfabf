// Five fields of cron, and when they are next due.
#include "reconciler/base/cron.h"

#include <gtest/gtest.h>

namespace quorate::base {
namespace {

std::string next(const char* cron, const char* after) {
  const auto parsed = parse_cron(cron);
  return parsed ? to_string(next_after(*parsed, *parse_time(after))) : "not a cron";
}

}  // namespace

TEST(Cron, SaysTheNextMinuteThatFits) {
  EXPECT_EQ(next("30 3 * * *", "2026-09-24T03:29:59Z"), "2026-09-24T03:30:00Z");
  EXPECT_EQ(next("30 3 * * *", "2026-09-24T03:30:00Z"), "2026-09-25T03:30:00Z");
  EXPECT_EQ(next("*/15 * * * *", "2026-09-24T23:46:00Z"), "2026-09-25T00:00:00Z");
  EXPECT_EQ(next("0 9-17/4 * * 1-5", "2026-09-25T17:00:00Z"), "2026-09-28T09:00:00Z");
  EXPECT_EQ(next("5,50 0 1 1 *", "2026-01-01T00:06:00Z"), "2026-01-01T00:50:00Z");
  EXPECT_EQ(next("0 0 29 2 *", "2026-01-01T00:00:00Z"), "2028-02-29T00:00:00Z");
}

TEST(Cron, TakesSundayAsZeroAndAsSeven) {
  EXPECT_EQ(next("0 0 * * 0", "2026-09-24T00:00:00Z"), "2026-09-27T00:00:00Z");
  EXPECT_EQ(next("0 0 * * 7", "2026-09-24T00:00:00Z"), "2026-09-27T00:00:00Z");
  EXPECT_EQ(next("0 0 * * 6-7", "2026-09-26T00:00:00Z"), "2026-09-27T00:00:00Z");
}

TEST(Cron, IsDueOnADayOfTheMonthOrOfTheWeekWhereBothAreGiven) {
  EXPECT_EQ(next("0 0 1 * 1", "2026-09-24T00:00:00Z"), "2026-09-28T00:00:00Z");
  EXPECT_EQ(next("0 0 1 * 1", "2026-09-28T00:00:00Z"), "2026-10-01T00:00:00Z");
}

TEST(Cron, RefusesWhatIsNoneAndWhatIsNeverDue) {
  for (const char* text : {"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *",
                           "* * * * 8", "a * * * *", "1-0 * * * *", "*/0 * * * *", "5/2 * * * *", "1,, * * * *",
                           "-1 * * * *", "0 0 30 2 *", "0 0 31 4 *", "@daily", "100 * * * *"}) {
    EXPECT_FALSE(parse_cron(text)) << text;
  }
}

}  // namespace quorate::base
