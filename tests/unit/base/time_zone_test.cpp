// What clocks show where, by files written by hand and by those of this machine.
#include "reconciler/base/time_zone.h"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/zone_file.h"

namespace quorate::base {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using support::zone_file;

Time at(const char* text) {
  return *parse_time(text);
}

TimeZone zone(const std::string& file) {
  auto read = parse_time_zone(file);
  EXPECT_TRUE(read) << read.error().message;
  return read ? *std::move(read) : TimeZone{};
}

std::string of_machine(const std::string& name) {
  std::ifstream file("/usr/share/zoneinfo/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Duration by_the_c_library(Time when) {
  const std::time_t second = std::chrono::duration_cast<seconds>(when.time_since_epoch()).count();
  std::tm shown{};
  ::localtime_r(&second, &shown);
  return seconds(shown.tm_gmtoff);
}

}  // namespace

TEST(TimeZone, IsUtcWhereNothingWasRead) {
  EXPECT_EQ(TimeZone{}.offset_at(at("2026-07-01T12:00:00Z")), Duration{0});
  EXPECT_EQ(TimeZone{}.moments(at("2026-07-01T12:00:00Z")).size(), 1U);
}

TEST(TimeZone, GoesByTheTableAndThenByTheRule) {
  const TimeZone known = zone(zone_file("CET-1CEST,M3.5.0,M10.5.0/3", 1180, {{1000, 3600}, {2000, 7200}}));
  EXPECT_EQ(known.offset_at(Time(seconds(999))), seconds(1180));
  EXPECT_EQ(known.offset_at(Time(seconds(1000))), hours(1));
  EXPECT_EQ(known.offset_at(at("2026-03-29T00:59:59Z")), hours(1));
  EXPECT_EQ(known.offset_at(at("2026-03-29T01:00:00Z")), hours(2));
  EXPECT_EQ(known.offset_at(at("2026-10-25T00:59:59Z")), hours(2));
  EXPECT_EQ(known.offset_at(at("2026-10-25T01:00:00Z")), hours(1));
}

TEST(TimeZone, KnowsTheSouthAndTheOddOnes) {
  const TimeZone sydney = zone(zone_file("AEST-10AEDT,M10.1.0,M4.1.0/3"));
  EXPECT_EQ(sydney.offset_at(at("2026-01-01T00:00:00Z")), hours(11));
  EXPECT_EQ(sydney.offset_at(at("2026-07-01T00:00:00Z")), hours(10));
  const TimeZone dublin = zone(zone_file("IST-1GMT0,M10.5.0,M3.5.0/1"));  // winter is its summer time
  EXPECT_EQ(dublin.offset_at(at("2026-07-01T00:00:00Z")), hours(1));
  EXPECT_EQ(dublin.offset_at(at("2026-12-01T00:00:00Z")), hours(0));
  const TimeZone godthab = zone(zone_file("<-02>2<-01>,M3.5.0/-1,M10.5.0/0"));
  EXPECT_EQ(godthab.offset_at(at("2026-03-29T00:59:59Z")), -hours(2));
  EXPECT_EQ(godthab.offset_at(at("2026-03-29T01:00:00Z")), -hours(1));
  EXPECT_EQ(zone(zone_file("<+0545>-5:45")).offset_at(at("2026-03-29T01:00:00Z")), minutes(345));
}

TEST(TimeZone, SaysWhenClocksShowATime) {
  const TimeZone amsterdam = zone(support::amsterdam());
  EXPECT_EQ(amsterdam.moments(at("2026-07-01T12:00:00Z")), std::vector<Time>{at("2026-07-01T10:00:00Z")});
  EXPECT_EQ(amsterdam.moments(at("2026-10-25T02:30:00Z")),
            (std::vector<Time>{at("2026-10-25T00:30:00Z"), at("2026-10-25T01:30:00Z")}));
  EXPECT_TRUE(amsterdam.moments(at("2026-03-29T02:30:00Z")).empty());
  EXPECT_EQ(amsterdam.skipped(at("2026-03-29T02:30:00Z")), at("2026-03-29T01:00:00Z"));
}

TEST(TimeZone, RefusesWhatIsNoFileOfTheDatabase) {
  const std::string whole = support::amsterdam();
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(parse_time_zone(whole.substr(0, size))) << size;
  EXPECT_FALSE(parse_time_zone("#!/bin/sh\n"));
  EXPECT_FALSE(parse_time_zone(zone_file("nonsense")));
  EXPECT_FALSE(parse_time_zone(zone_file("UTC0", 0, {{5, 0}, {5, 0}}))) << "changes in no order";
  const auto leaps = parse_time_zone(zone_file("UTC0", 0, {}, 27));
  ASSERT_FALSE(leaps);
  EXPECT_NE(leaps.error().message.find("leap seconds"), std::string::npos);
}

TEST(TimeZone, RefusesRulesThatAreNone) {
  for (const char* text :
       {"", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M1.1.1",
        "CET-1CEST,M3.5.0,M10.5.0/3x", "CET-200", "<+01", "C3T", "CET-1CEST,J0,J1", "CET-1CEST,366,1"}) {
    EXPECT_FALSE(parse_zone_rule(text)) << text;
  }
  EXPECT_TRUE(parse_zone_rule("XXX3EST,0/0,J365/25"));
}

TEST(TimeZone, HasANameThatLeadsNowhereElse) {
  for (const char* name : {"UTC", "Europe/Amsterdam", "America/Argentina/Buenos_Aires", "Etc/GMT+5"})
    EXPECT_TRUE(is_zone_name(name));
  for (const char* name : {"", "/etc/passwd", "../passwd", "Europe/", "Europe//Amsterdam", "zone.tab", "a b"}) {
    EXPECT_FALSE(is_zone_name(name)) << name;
  }
}

// Every hour of some years, and years beyond every table.
TEST(TimeZone, AgreesWithTheCLibraryForTheZonesOfThisMachine) {
  if (of_machine("Europe/Amsterdam").empty()) GTEST_SKIP() << "there is no tz database on this machine";
  const char* before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  for (const char* name :
       {"Europe/Amsterdam", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kolkata",
        "Europe/Dublin", "America/Santiago", "Pacific/Chatham", "Asia/Tehran", "UTC"}) {
    const TimeZone known = zone(of_machine(name));
    ::setenv("TZ", name, 1);
    ::tzset();
    for (const char* year : {"1999-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "2039-01-01T00:00:00Z"}) {
      for (int hour = 0; hour < 366 * 24; ++hour) {
        const Time when = at(year) + hours(hour);
        ASSERT_EQ(known.offset_at(when), by_the_c_library(when)) << name << " " << to_string(when);
      }
    }
  }
  before == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", kept.c_str(), 1);
  ::tzset();
}

}  // namespace quorate::base
