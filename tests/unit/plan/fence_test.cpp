// A cluster that came back: who is behind the fence, when it opens and in which order, and that its data are compared.
#include "reconciler/model/fence.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/judged.h"

namespace quorate {
namespace {

using model::ExitCode;
using model::PlanStatus;
using support::ClusterWorld;
using support::words_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

model::NodeFacts& node(ClusterWorld& world, std::size_t slot) {
  return world.observed.nodes[slot];
}
void fence(ClusterWorld& world, std::size_t slot, bool fenced = true) {
  node(world, slot).manifest.get()->fenced = fenced;
}

// `voters` of `wanted` members are back, all of them behind the fence of a decision whose seed is a.
ClusterWorld came_back(std::size_t voters, std::size_t wanted) {
  std::vector<support::Slot> slots(wanted, support::absent());
  for (std::size_t slot = 0; slot < voters; ++slot) slots[slot] = support::up();
  ClusterWorld world = support::WorldBuilder{slots}.build();
  const base::ClusterId cluster = world.observed.membership->cluster;
  world.observed.formed =
      model::Fact<model::Formed>::known({cluster, "d2", 2, {"a"}, {base::ClusterId{0x99}}}, world.observed.at);
  world.observed.announced = model::Fact<model::Announced>::known({}, world.observed.at);
  model::Decision decision;
  decision.id = "d2";
  decision.seed = "a";
  for (std::size_t slot = 0; slot < wanted; ++slot) {
    model::Standing standing;
    standing.pledge = model::Pledge{decision, true, slot == 0, 0, ""};
    node(world, slot).standing = standing;
    if (slot < voters) fence(world, slot);
  }
  return world;
}

const model::WriteManifest* written(const model::Plan& plan, std::size_t step) {
  return std::get_if<model::WriteManifest>(&plan.steps.at(step).action);
}

}  // namespace

TEST(Fence, WhoJoinsBeforeTheMajorityIsBehindItTooAndThenItOpensTheSeedLast) {
  const auto gated = support::judged(came_back(1, 3));
  EXPECT_THAT(words_of(gated.plan),
              ElementsAre("add-member b", "write-manifest b", "promote b", "write-manifest b", "write-manifest a",
                          "add-member c", "write-manifest c", "promote c", "verify-data prod"));
  EXPECT_TRUE(written(gated.plan, 1)->fenced);
  EXPECT_THAT(gated.plan.steps[1].id, HasSubstr("-fenced"));
  for (const std::size_t step : {3U, 4U, 6U}) EXPECT_FALSE(written(gated.plan, step)->fenced);
  EXPECT_EQ(gated.plan.steps[3].reason.code, "FenceOpens");
  EXPECT_EQ(gated.plan.steps[3].step_class, model::StepClass::Restore);
  EXPECT_EQ(gated.code, ExitCode::Different) << "who agreed to the decision agreed to its end";
  const auto* notice = support::notice_of(gated.plan, "Fenced");
  ASSERT_NE(notice, nullptr);
  EXPECT_THAT(notice->text, HasSubstr("kept out of a until a majority"));
}

// With one voter, or two, nobody is safer for a pause.
TEST(Fence, WhoHasPromisedToJoinCompletesTheRecoveryAndWaitsForNoSoak) {
  auto world = came_back(1, 3);
  world.observed.last_change = model::Fact<base::Time>::known(world.observed.at, world.observed.at);
  const auto soaks = [](const model::Step& step) {
    return std::any_of(step.needs.begin(), step.needs.end(),
                       [](const model::Claim& each) { return std::holds_alternative<model::Soaked>(each); });
  };
  const auto joins = support::plan_of(world).steps.at(0);
  EXPECT_EQ(joins.step_class, model::StepClass::Heal);
  EXPECT_FALSE(soaks(joins));
  for (std::size_t slot : {1U, 2U}) node(world, slot).standing = model::Standing{};
  const auto comes_later = support::plan_of(world).steps.at(0);
  EXPECT_EQ(comes_later.step_class, model::StepClass::Change);
  EXPECT_TRUE(soaks(comes_later));
}

TEST(Fence, StaysUntilAMajorityOfTheMembersThatTheFileWants) {
  auto world = came_back(2, 5);
  EXPECT_TRUE(model::keeps_clients_out(world.observed, world.desired));
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "add-member c");
  world.desired.members[4].retire = true;
  EXPECT_TRUE(model::keeps_clients_out(world.observed, world.desired)) << "of four that is three";
  world.desired.members[3].retire = true;
  EXPECT_FALSE(model::keeps_clients_out(world.observed, world.desired));
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "write-manifest b");
  world = came_back(3, 5);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "write-manifest b") << "the seed is the last";
  fence(world, 1, false);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "write-manifest c");
  fence(world, 2, false);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "write-manifest a");
}

TEST(Fence, TheLeaderIsOpenedWithoutAMoveAndNoVoterHasToStandBy) {
  auto world = came_back(2, 3);
  fence(world, 1, false);
  const auto gated = support::judged(world);
  EXPECT_EQ(words_of(gated.plan).front(), "write-manifest a");
  EXPECT_EQ(gated.verdicts.front().ruling, model::Ruling::Go);
  EXPECT_THAT(gated.plan.steps.front().needs, IsEmpty());
}

TEST(Fence, OpensAtOnceWhereTheFileSaysFirstAndForAClusterOfOne) {
  auto world = came_back(1, 3);
  world.desired.recovery.open_when = model::OpenWhen::First;
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "write-manifest a");
  world = came_back(1, 1);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "write-manifest a");
}

TEST(Fence, ADecisionOfAnotherClusterKeepsNobodyOut) {
  auto world = came_back(1, 3);
  fence(world, 0, false);
  EXPECT_TRUE(model::keeps_clients_out(world.observed, world.desired)) << "what was promised is not carried out yet";
  world.observed.formed.get()->decision = "d3";
  EXPECT_FALSE(model::keeps_clients_out(world.observed, world.desired));
}

// ------------------------------------------------------------------------------------------------- what they hold
TEST(DataCheck, D04AllMembersAreComparedOnceAfterTheLastHasJoined) {
  auto world = came_back(3, 3);
  for (std::size_t slot = 0; slot < 3; ++slot) fence(world, slot, false);
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("verify-data prod"));
  world.observed.data_check = model::DataCheck{500, true, "a has 1, b has 1, c has 1"};
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  world.observed.data_check.reset();
  world.observed.formed.get()->after.clear();
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "it has always been this cluster";
}

TEST(DataCheck, WaitsForEverybodyAndForOneMinor) {
  auto world = came_back(3, 3);
  EXPECT_EQ(words_of(support::plan_of(world)).back(), "verify-data prod");
  for (std::size_t slot = 0; slot < 3; ++slot) fence(world, slot, false);
  auto& members = world.observed.membership.get()->members;
  members[2].status.get()->version = "3.6.4";
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "they hash in different ways";
  world.observed.announced = {};
  members[2].status.get()->version = members[1].status->version;
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "nobody could read what was found before";
}

TEST(DataCheck, ADifferenceStopsEveryChange) {
  auto world = came_back(2, 3);
  world.observed.data_check = model::DataCheck{500, false, "a has 1, b has 2"};
  const auto plan = support::plan_of(world);
  EXPECT_THAT(plan.steps, IsEmpty());
  EXPECT_EQ(plan.status, PlanStatus::NeedsHuman);
  EXPECT_EQ(plan.notices.front().code, "DataDiffers");
  EXPECT_EQ(plan.notices.front().level, model::Notice::Level::Critical);
  EXPECT_THAT(plan.notices.front().text, HasSubstr("at revision 500 a has 1, b has 2"));
}

// ----------------------------------------------------------------------------------------- what the data brought along
TEST(AlarmOfThePast, IsDisarmedAlthoughItsMemberIsNoMore) {
  auto world = came_back(1, 3);
  const model::Alarm alarm{base::MemberId{0x77}, model::AlarmKind::NoSpace};
  world.observed.alarms = model::Fact<std::vector<model::Alarm>>::known({alarm}, world.observed.at);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "disarm-alarm 77");
  world.observed.formed.get()->after.clear();
  EXPECT_NE(words_of(support::plan_of(world)).front(), "disarm-alarm 77") << "whose it is is not known";
}

}  // namespace quorate
