// The rules that no flag overrides, each in the smallest world that breaks it and in the next that does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/judged.h"

namespace quorate {
namespace {

using model::Ruling;
using support::ClusterWorld;
using support::Health;
using support::Role;
using support::Slot;
using testing::HasSubstr;

Slot down() {
  return support::with(Health::SilentLong);
}
Slot learner(bool in_sync) {
  Slot slot;
  slot.role = Role::Learner;
  slot.in_sync = in_sync;
  return slot;
}
ClusterWorld world_of(std::vector<Slot> slots, std::string version = "3.5.21", int leader = 0) {
  return support::WorldBuilder{std::move(slots)}.version(std::move(version)).leader(leader).build();
}
base::MemberId id(std::size_t slot) {
  return support::WorldBuilder::id(slot);
}
std::string name(std::size_t slot) {
  return std::string(1, static_cast<char>('a' + slot));
}

model::Gated removing(const ClusterWorld& world, std::size_t slot) {
  return support::judged_alone(world, model::Remove{name(slot), id(slot)}, model::StepClass::Destructive);
}
model::Gated restarting(const ClusterWorld& world, std::size_t slot) {
  return support::judged_alone(world, model::WriteManifest{name(slot), "new", model::BootMode::Keep, ""});
}
model::Gated upgrading(ClusterWorld world, std::size_t slot, const std::string& version) {
  world.desired.etcd.version = base::parse_version(version);
  return support::judged_alone(world, model::WriteManifest{name(slot), "new", model::BootMode::Keep, version},
                               model::StepClass::Upgrade);
}
model::Gated adding(const ClusterWorld& world, const std::string& version = "") {
  return support::judged_alone(world, model::AddMember{"z", {"https://10.0.0.99:2380"}, version});
}
model::Gated promoting(const ClusterWorld& world, std::size_t slot) {
  return support::judged_alone(world, model::Promote{name(slot), id(slot), {}});
}

std::string rule(const model::Gated& gated) {
  return support::rule_of(gated);
}

}  // namespace

TEST(GateQuorum, B08ARemovalThatLeavesTooFewUpIsDeniedWithTheArithmetic) {
  const auto gated = removing(world_of({support::up(), support::up(), down()}), 1);
  EXPECT_EQ(rule(gated), "Q1");
  EXPECT_EQ(gated.verdicts[0].ruling, Ruling::Deny);
  EXPECT_THAT(gated.verdicts[0].arithmetic, HasSubstr("2 voters, 1 up, needs 2"));
  EXPECT_EQ(gated.code, model::ExitCode::Refused);
  EXPECT_EQ(rule(removing(world_of({support::up(), support::up(), support::up()}), 1)), "");
}

TEST(GateQuorum, OneThatIsUpDoesNotGoWhileAnotherIsDownAndNoneCouldBeSpared) {
  EXPECT_EQ(rule(removing(world_of({support::up(), support::up(), support::up(), down()}), 1)), "Q2");
  EXPECT_EQ(rule(removing(world_of({support::up(), support::up(), support::up(), down()}), 3)), "");
  EXPECT_EQ(
      rule(removing(world_of({support::up(), support::up(), support::up(), support::up(), down(), support::up()}), 1)),
      "");
}

TEST(GateQuorum, NobodyIsRestartedWhenTheOthersAreNoQuorum) {
  EXPECT_EQ(rule(restarting(world_of({support::up(), support::up(), down()}), 1)), "Q3");
  EXPECT_EQ(rule(restarting(world_of({support::up(), support::up(), support::up()}), 1)), "");
}

TEST(GateQuorum, SmallClustersRestartAllTheSameBecauseTheyCannotOtherwise) {
  EXPECT_EQ(rule(restarting(world_of({support::up()}), 0)), "");
  EXPECT_EQ(rule(restarting(world_of({support::up(), support::up()}), 1)), "");
  EXPECT_EQ(rule(restarting(world_of({support::up(), down()}), 1)), "");  // it is down: nothing is lost
}

TEST(GateQuorum, B07TheLastVoterIsNeverRemoved) {
  EXPECT_EQ(rule(removing(world_of({support::up()}), 0)), "Q4");
}

TEST(GateQuorum, B06TheLeaderIsNeitherRemovedNorRestarted) {
  const auto world = world_of({support::up(), support::up(), support::up()}, "3.5.21", 1);
  EXPECT_EQ(rule(removing(world, 1)), "Q5");
  EXPECT_EQ(rule(restarting(world, 1)), "Q5");
}

TEST(GateQuorum, OneLearnerAtATime) {
  EXPECT_EQ(rule(adding(world_of({support::up(), support::up(), support::up(), learner(true)}))), "Q6");
}

TEST(GateQuorum, EtcdBefore3530AddsNobodyWhileAVoterIsUnreachable) {
  EXPECT_EQ(rule(adding(world_of({support::up(), support::up(), down()}, "3.5.21"))), "Q7");
  EXPECT_EQ(rule(adding(world_of({support::up(), support::up(), down()}, "3.5.30"))), "");
}

TEST(GateQuorum, NobodyIsPromotedWhileAVoterIsDown) {
  EXPECT_EQ(rule(promoting(world_of({support::up(), support::up(), down(), learner(true)}), 3)), "Q8");
}

TEST(GateQuorum, ALearnerThatLagsIsWaitedForAndNobodyHasToAct) {
  const auto gated = promoting(world_of({support::up(), support::up(), support::up(), learner(false)}), 3);
  EXPECT_EQ(rule(gated), "Q9");
  EXPECT_EQ(gated.verdicts[0].ruling, Ruling::Hold);
  EXPECT_EQ(gated.code, model::ExitCode::Different);
  EXPECT_EQ(rule(promoting(world_of({support::up(), support::up(), support::up(), learner(true)}), 3)), "");
}

TEST(GateQuorum, ALearnerThatLagsALittleHasToComeCloser) {
  auto world = world_of({support::up(), support::up(), support::up(), learner(true)});
  model::ObservedMember& joins = *model::member_of(world.observed, id(3));
  joins.status.get()->raft_applied = 90000 - 11;
  EXPECT_EQ(rule(promoting(world, 3)), "Q9") << "one look does not tell whether it moves";
  joins.led_at = 90000;
  EXPECT_EQ(rule(promoting(world, 3)), "Q9") << "it hangs where it was";
  joins.led_at = 90000 - 11;
  EXPECT_EQ(rule(promoting(world, 3)), "") << "it has reached where the leader was";
  joins.status.get()->raft_applied = 90000 - 1001;
  joins.led_at = 80000;
  EXPECT_EQ(rule(promoting(world, 3)), "Q9") << "it moves, and is far behind";
}

TEST(GateQuorum, ALearnerThatLacksNextToNothingIsPromotedAtTheFirstLook) {
  auto world = world_of({support::up(), support::up(), support::up(), learner(true)});
  model::member_of(world.observed, id(3))->status.get()->raft_applied = 90000 - 10;
  EXPECT_EQ(rule(promoting(world, 3)), "");
}

TEST(GateQuorum, PeerUrlsAreNotChangedWhileAnotherChangeMayStillArrive) {
  auto world = world_of({support::up(), support::up(), support::up()});
  const model::UpdatePeerUrls update{"b", id(1), {"https://10.0.0.99:2380"}};
  model::Announced announced;
  announced.updating = {{id(1), {"https://10.0.0.98:2380"}, true, 7}};
  world.observed.announced = model::Fact<model::Announced>::known(announced, world.observed.at);
  const auto held = support::judged_alone(world, update);
  EXPECT_EQ(rule(held), "Q12");
  EXPECT_EQ(held.verdicts[0].ruling, Ruling::Hold);
  EXPECT_THAT(held.verdicts[0].arithmetic, HasSubstr("https://10.0.0.98:2380"));
  world.observed.announced.get()->updating[0].in_flight = false;
  EXPECT_EQ(rule(support::judged_alone(world, update)), "");
  announced.updating = {{id(1), {"https://10.0.0.99:2380"}, true, 7}, {id(2), {"https://x:1"}, true, 8}};
  world.observed.announced = model::Fact<model::Announced>::known(announced, world.observed.at);
  EXPECT_EQ(rule(support::judged_alone(world, update)), "") << "the same again, and somebody else's";
}

TEST(GateQuorum, ALearnerKeepsItsPeerUrlsUntilEtcdKeepsItALearner) {
  const std::vector<Slot> slots{support::up(), support::up(), support::up(), learner(true)};
  const model::UpdatePeerUrls update{"d", id(3), {"https://10.0.0.99:2380"}};
  EXPECT_EQ(rule(support::judged_alone(world_of(slots, "3.5.30"), update)), "Q10");
  EXPECT_EQ(rule(support::judged_alone(world_of(slots, "3.5.31"), update)), "");
}

// --------------------------------------------------------------------------------------------------- U: versions
TEST(GateVersions, G04AVersionChangesOnlyWhileAllAreUp) {
  const auto gated =
      upgrading(world_of({support::up(), support::up(), support::up(), support::up(), down()}), 1, "3.5.33");
  EXPECT_EQ(rule(gated), "U1");
  EXPECT_THAT(gated.verdicts[0].arithmetic, HasSubstr("5 voters, 4 up"));
  EXPECT_EQ(rule(upgrading(world_of({support::up(), support::up(), support::up()}), 1, "3.5.33")), "");
}

TEST(GateVersions, AMinorIsNotBegunWhileTheLastOneIsNotEnded) {
  auto world = world_of({support::up(), support::up(), support::up()}, "3.5.33");
  model::member_of(world.observed, id(2))->status.get()->version = "3.4.44";
  EXPECT_EQ(rule(upgrading(world, 1, "3.6.14")), "U1");
}

TEST(GateVersions, G05TwoMinorsAtOnceAndBackwardsAreDenied) {
  const auto world = world_of({support::up(), support::up(), support::up()}, "3.4.44");
  EXPECT_EQ(rule(upgrading(world, 1, "3.6.14")), "U2");
  EXPECT_EQ(rule(upgrading(world, 1, "3.5.33")), "");
  EXPECT_EQ(rule(upgrading(world_of({support::up(), support::up(), support::up()}, "3.5.33"), 1, "3.4.44")), "U2");
}

TEST(GateVersions, AReleaseThatLosesDataIsDenied) {
  const auto gated = upgrading(world_of({support::up(), support::up(), support::up()}), 1, "3.5.2");
  EXPECT_EQ(rule(gated), "U3");
  EXPECT_THAT(gated.verdicts[0].arithmetic, HasSubstr("good from 3.5.6"));
}

TEST(GateVersions, WhatOldReleasesKeptWronglyDoesNotReach36) {
  EXPECT_EQ(rule(upgrading(world_of({support::up(), support::up(), support::up()}, "3.5.16"), 1, "3.6.14")), "U4");
  EXPECT_EQ(rule(upgrading(world_of({support::up(), support::up(), support::up()}, "3.5.32"), 1, "3.6.14")), "");
}

TEST(GateVersions, ANewMemberOfAnOlderOrTooNewMinorIsDenied) {
  const auto world = world_of({support::up(), support::up(), support::up()}, "3.5.33");
  EXPECT_EQ(rule(adding(world, "3.4.44")), "U2");
  EXPECT_EQ(rule(adding(world, "3.7.1")), "U2");
  EXPECT_EQ(rule(adding(world, "3.5.2")), "U3");
  EXPECT_EQ(rule(adding(world, "3.6.14")), "");
}

}  // namespace quorate
