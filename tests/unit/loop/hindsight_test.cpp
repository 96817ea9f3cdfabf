// What a look is told by the one before it.
#include "reconciler/loop/hindsight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/cluster_world.h"

namespace quorate::loop {
namespace {

using std::chrono::seconds;
using support::Role;

model::Observed joining(std::uint64_t leader_has) {
  support::Slot learner;
  learner.role = Role::Learner;
  auto world = support::WorldBuilder({support::Slot{}, learner}).build();
  model::member_of(world.observed, support::WorldBuilder::id(0))->status.get()->raft_index = leader_has;
  return world.observed;
}

std::optional<std::uint64_t> led_at(const model::Observed& observed) {
  return model::member_of(observed, support::WorldBuilder::id(1))->led_at;
}

model::Observed updating(std::int64_t revision) {
  model::Observed observed;
  model::Announced announced;
  announced.updating = {{{0xa}, {"https://10.0.0.9:2380"}, true, revision}};
  observed.announced = model::Fact<model::Announced>::known(announced, {});
  return observed;
}

bool in_flight(const model::Observed& observed) {
  return observed.announced->updating.front().in_flight;
}

}  // namespace

TEST(Hindsight, ALearnerIsToldWhereTheLeaderWasAtTheLookBefore) {
  Hindsight hindsight(seconds{2});
  model::Observed look = joining(500);
  hindsight.add_to(look, seconds{1});
  EXPECT_FALSE(led_at(look)) << "there was none";
  look = joining(600);
  hindsight.add_to(look, seconds{2});
  EXPECT_EQ(led_at(look), 500u);
  look = joining(700);
  hindsight.add_to(look, seconds{3});
  EXPECT_EQ(led_at(look), 600u);
}

// The second one is that under the lock: whoever lags by the writes of a moment would never be seen to come closer.
TEST(Hindsight, TwoLooksThatFollowEachOtherAtOnceAreComparedWithTheSameOne) {
  Hindsight hindsight(seconds{2});
  model::Observed look = joining(500);
  hindsight.add_to(look, seconds{1});
  look = joining(600);
  hindsight.add_to(look, seconds{2});
  look = joining(700);
  hindsight.add_to(look, seconds{2} + base::Duration{20});
  EXPECT_EQ(led_at(look), 600u);
  look = joining(800);
  hindsight.add_to(look, seconds{2} + base::Duration{40});
  EXPECT_EQ(led_at(look), 600u);
}

TEST(Hindsight, ALookThatSawNoLeaderTellsTheNextOneNothing) {
  Hindsight hindsight(seconds{2});
  model::Observed look = joining(500);
  hindsight.add_to(look, seconds{1});
  look = {};
  hindsight.add_to(look, seconds{2});
  look = joining(600);
  hindsight.add_to(look, seconds{3});
  EXPECT_FALSE(led_at(look));
}

TEST(Hindsight, AnUpdateIsUnderWayUntilItHasBeenSeenForLongEnough) {
  Hindsight hindsight(seconds{2});
  model::Observed look = updating(7);
  hindsight.add_to(look, seconds{100});
  EXPECT_TRUE(in_flight(look));
  look = updating(7);
  hindsight.add_to(look, base::Duration{101999});
  EXPECT_TRUE(in_flight(look));
  look = updating(7);
  hindsight.add_to(look, seconds{102});
  EXPECT_FALSE(in_flight(look));
  look = updating(9);  // asked for once more
  hindsight.add_to(look, seconds{103});
  EXPECT_TRUE(in_flight(look));
}

}  // namespace quorate::loop
