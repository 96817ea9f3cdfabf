// Five fields of cron, and when they are next due.
#include "reconciler/base/cron.h"

#include <gtest/gtest.h>

#include "tests/support/zone_file.h"

namespace quorate::base {
namespace {

std::string next(const char* cron, const char* after) {
  const auto parsed = parse_cron(cron);
  return parsed ? to_string(next_after(*parsed, *parse_time(after))) : "not a cron";
}

std::string next_there(const char* cron, const char* after) {
  const auto zone = parse_time_zone(support::amsterdam());
  return to_string(next_after(*parse_cron(cron), *parse_time(after), *zone));
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

TEST(Cron, GoesByTheClocksOfAPlace) {
  EXPECT_EQ(next_there("30 3 * * *", "2026-07-01T00:00:00Z"), "2026-07-01T01:30:00Z");
  EXPECT_EQ(next_there("30 3 * * *", "2026-12-01T00:00:00Z"), "2026-12-01T02:30:00Z");
  EXPECT_EQ(next_there("0 0 * * 1", "2026-07-01T00:00:00Z"), "2026-07-05T22:00:00Z")
      << "its Monday begins on our Sunday";
  EXPECT_EQ(next_there("30 23 31 12 *", "2026-01-01T00:00:00Z"), "2026-12-31T22:30:00Z");
}

TEST(Cron, IsDueWhenClocksAreForwardOverItsTime) {
  EXPECT_EQ(next_there("30 2 * * *", "2026-03-28T12:00:00Z"), "2026-03-29T01:00:00Z");
  EXPECT_EQ(next_there("30 2 * * *", "2026-03-29T01:00:00Z"), "2026-03-30T00:30:00Z") << "once";
  EXPECT_EQ(next_there("30 1,2,4 * * *", "2026-03-29T00:30:00Z"), "2026-03-29T01:00:00Z");
  EXPECT_EQ(next_there("30 1,2,4 * * *", "2026-03-29T01:00:00Z"), "2026-03-29T02:30:00Z");
}

TEST(Cron, IsDueOnceWhereClocksShowItsTimeTwice) {
  EXPECT_EQ(next_there("30 2 * * *", "2026-10-24T12:00:00Z"), "2026-10-25T00:30:00Z");
  EXPECT_EQ(next_there("30 2 * * *", "2026-10-25T00:30:00Z"), "2026-10-26T01:30:00Z");
  EXPECT_EQ(next_there("0 3 * * *", "2026-10-25T00:30:00Z"), "2026-10-25T02:00:00Z");
}

TEST(Cron, FollowsTimeItselfWhereItIsDueEveryHour) {
  EXPECT_EQ(next_there("30 * * * *", "2026-10-25T00:30:00Z"), "2026-10-25T01:30:00Z");
  EXPECT_EQ(next_there("*/20 * * * *", "2026-10-25T00:40:00Z"), "2026-10-25T01:00:00Z");
  EXPECT_EQ(next_there("30 * * * *", "2026-03-29T00:30:00Z"), "2026-03-29T01:30:00Z");
}

TEST(Cron, RefusesWhatIsNoneAndWhatIsNeverDue) {
  for (const char* text : {"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *",
                           "* * * * 8", "a * * * *", "1-0 * * * *", "*/0 * * * *", "5/2 * * * *", "1,, * * * *",
                           "-1 * * * *", "0 0 30 2 *", "0 0 31 4 *", "@daily", "100 * * * *"}) {
    EXPECT_FALSE(parse_cron(text)) << text;
  }
}

}  // namespace quorate::base
