// How long an agent has not seen whom: spans of a clock that nobody sets, and silence about what it did not watch.
#include "reconciler/loop/sight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::loop {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr base::MemberId kA{0xa};
constexpr base::MemberId kB{0xb};

model::Sight sight(base::MemberId member, base::Duration unseen) {
  return {member, unseen};
}
// Looks every ten seconds, from one time to the other, both included.
void watch(Sights& sights, base::Duration from, base::Duration until, const std::vector<base::MemberId>& seen) {
  for (base::Duration at = from; at <= until; at += seconds{10}) sights.look(at, {kA, kB}, seen);
}

}  // namespace

TEST(Sights, WhoeverIsSeenIsSeenNow) {
  Sights sights;
  watch(sights, seconds{0}, seconds{60}, {kA, kB});
  EXPECT_THAT(sights.at(seconds{60}), ElementsAre(sight(kA, seconds{0}), sight(kB, seconds{0})));
}

TEST(Sights, TheSilenceBeginsWhenItWasSeenLast) {
  Sights sights;
  watch(sights, seconds{0}, seconds{100}, {kA, kB});
  watch(sights, seconds{110}, seconds{400}, {kA});
  EXPECT_THAT(sights.at(seconds{400}), ElementsAre(sight(kA, seconds{0}), sight(kB, seconds{300})));
}

TEST(Sights, WhoWasNeverSeenIsUnseenOnlySinceSomebodyWatches) {
  Sights sights;
  sights.look(hours{5}, {kA, kB}, {kA});
  EXPECT_EQ(sights.at(hours{5})[1].unseen, base::Duration{1}) << "not seen, and for no time at all";
  sights.look(hours{5} + seconds{10}, {kA, kB}, {kA});
  EXPECT_EQ(sights.at(hours{5} + seconds{10})[1].unseen, seconds{10});
}

TEST(Sights, OneThatComesBackBeginsAnew) {
  Sights sights;
  watch(sights, seconds{0}, seconds{100}, {kA});
  sights.look(seconds{110}, {kA, kB}, {kA, kB});
  sights.look(seconds{120}, {kA, kB}, {kA});
  EXPECT_EQ(sights.at(seconds{120})[1].unseen, seconds{10});
}

TEST(Sights, WhoLookedAwayHasNotWatched) {
  Sights sights;
  watch(sights, seconds{0}, seconds{100}, {kA});
  sights.look(hours{1}, {kA, kB}, {kA});
  EXPECT_LE(sights.at(hours{1})[1].unseen, seconds{10}) << "it may have been there meanwhile";
}

TEST(Sights, WhatWasSeenLongAgoIsNotSpokenOf) {
  Sights sights;
  watch(sights, seconds{0}, seconds{100}, {kA});
  EXPECT_THAT(sights.at(hours{1}), IsEmpty());
}

TEST(Sights, WhoIsBlindSaysNothingAndForgets) {
  Sights sights;
  watch(sights, seconds{0}, seconds{300}, {kA});
  sights.blind();
  EXPECT_THAT(sights.at(seconds{300}), IsEmpty());
  sights.look(seconds{310}, {kA, kB}, {kA});
  EXPECT_LE(sights.at(seconds{310})[1].unseen, seconds{10});
}

TEST(Sights, WhoIsNoLongerListedIsForgotten) {
  Sights sights;
  watch(sights, seconds{0}, seconds{100}, {kA});
  sights.look(seconds{110}, {kA}, {kA});
  EXPECT_THAT(sights.at(seconds{110}), ElementsAre(sight(kA, seconds{0})));
  sights.look(seconds{120}, {kA, kB}, {kA});
  EXPECT_LE(sights.at(seconds{120})[1].unseen, seconds{10});
}

}  // namespace quorate::loop
