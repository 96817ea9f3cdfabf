// A quorum that is lost for good: from whose data the cluster goes on, who has to promise, and who is waited for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/lost_world.h"

namespace quorate {
namespace {

using model::DataState;
using model::ExitCode;
using model::PlanStatus;
using support::ClusterWorld;
using support::decision_of;
using support::first_notice;
using support::hold;
using support::id;
using support::lost_two;
using support::node;
using support::order;
using support::order_and_promise;
using support::promise;
using support::silence;
using support::take_disk;
using support::words_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Their data are whole and etcd has tried for an hour, at addresses that nobody looks for.
ClusterWorld all_moved() {
  ClusterWorld world = lost_two();
  for (std::size_t slot = 0; slot < 3; ++slot) {
    hold(world, slot, DataState::Valid, 4, slot == 1 ? 1001 : 1000);
    model::NodeFacts& each = node(world, slot);
    for (model::Voter& voter : each.standing->voters->voters) voter.peer_urls = {"https://10.9.9.9:2380"};
    each.process.get()->running = true;
    model::RunState run;
    run.phase = model::RunPhase::Running;
    run.since = world.observed.at - std::chrono::hours{1};
    each.run = model::Fact<model::RunState>::known(run, world.observed.at);
  }
  return world;
}
model::RunState& run_of(ClusterWorld& world, std::size_t slot) {
  return *node(world, slot).run.get();
}

}  // namespace

TEST(Recovery, Attack20_AllNodesHaveNewAddressesAndTheFurthestDataGoOn) {
  auto world = all_moved();
  const auto gated = support::judged(world);
  EXPECT_EQ(gated.code, ExitCode::NeedsApproval) << "nobody has ordered it";
  EXPECT_EQ(decision_of(gated.plan).seed, "b") << "its log reaches further";
  EXPECT_THAT(first_notice(world), HasSubstr("all voters have new addresses"));
  EXPECT_THAT(gated.plan.notices[1].text, HasSubstr("nothing is lost; chosen"));
  world.desired.recovery.quorum_loss = model::QuorumLoss::Auto;
  EXPECT_THAT(words_of(support::judged(world).plan),
              ElementsAre("promise a", "promise b", "promise c", "restore b", "write-manifest b", "add-member a",
                          "write-manifest a", "promote a", "write-manifest a", "write-manifest b", "add-member c",
                          "write-manifest c", "promote c"));
  run_of(world, 2).phase = model::RunPhase::Waiting;
  run_of(world, 2).crash_loop = true;
  EXPECT_EQ(support::judged(world).code, ExitCode::Different) << "the old address is another's by now";
}

TEST(Recovery, Attack20_WhereOneCanStillBeReachedTheOthersFindItInstead) {
  auto world = all_moved();
  for (std::size_t slot = 0; slot < 3; ++slot) {
    node(world, slot).standing->voters->voters[2].peer_urls = base::to_strings(world.desired.members[2].peer_urls);
  }
  EXPECT_THAT(support::judged(world).plan.steps, IsEmpty());
  world = all_moved();
  run_of(world, 0).since = world.observed.at - base::Duration{1000};
  EXPECT_THAT(support::judged(world).plan.steps, IsEmpty()) << "they may be a quorum in a second";
  world = all_moved();
  silence(world, 1);
  EXPECT_THAT(support::judged(world).plan.steps, IsEmpty()) << "it may reach further";
  world = all_moved();
  for (std::size_t slot = 0; slot < 3; ++slot) {
    for (model::Voter& voter : node(world, slot).standing->voters->voters) voter.peer_urls.clear();
  }
  EXPECT_THAT(support::judged(world).plan.steps, IsEmpty()) << "nobody knows where they were";
}

TEST(Recovery, C12AllGiveWayThenOneRestoresThenTheOthersJoin) {
  auto world = lost_two();
  order(world, 2, "a");
  const auto gated = support::judged(world);
  EXPECT_THAT(words_of(gated.plan), ElementsAre("promise a", "promise b", "promise c", "restore a", "write-manifest a",
                                                "add-member b", "write-manifest b", "promote b", "write-manifest b",
                                                "write-manifest a", "add-member c", "write-manifest c", "promote c"));
  EXPECT_EQ(gated.plan.status, PlanStatus::Actionable);
  EXPECT_EQ(gated.code, ExitCode::Different) << "the file has ordered it";
  const model::Decision decision = decision_of(gated.plan);
  EXPECT_EQ(decision.kind, model::DecisionKind::Recover);
  EXPECT_EQ(decision.seed, "a");
  EXPECT_EQ(decision.generation, 2);
  EXPECT_EQ(decision.above, 500);
  EXPECT_THAT(decision.after, ElementsAre(support::WorldBuilder::cluster()));
  EXPECT_EQ(decision.founders.size(), 3U);
}

TEST(Recovery, UnaskedItIsShownAndWaitsForPeople) {
  auto world = lost_two();
  auto gated = support::judged(world);
  EXPECT_EQ(gated.plan.status, PlanStatus::NeedsHuman);
  EXPECT_EQ(gated.code, ExitCode::NeedsApproval);
  EXPECT_EQ(gated.verdicts.front().rule, "P8");
  EXPECT_THAT(words_of(gated.plan), Contains("restore a"));
  EXPECT_THAT(first_notice(world), HasSubstr("generation: 2  and  recovery: {survivor: a}"));
  world.desired.recovery.quorum_loss = model::QuorumLoss::Auto;
  gated = support::judged(world);
  EXPECT_EQ(gated.plan.status, PlanStatus::Actionable);
  EXPECT_EQ(gated.code, ExitCode::Different);
  world.desired.protect.approve = {model::StepClass::Restore};
  EXPECT_EQ(support::judged(world).verdicts.front().rule, "P3");
}

TEST(Recovery, AVoterWhoseDiskIsThatOfTheClusterBeforeIsReplaced) {
  support::Slot back = support::up();
  back.health = support::Health::SilentLong;
  auto world = support::WorldBuilder{{support::up(), support::up(), back}}.build();
  world.observed.formed = model::Fact<model::Formed>::known(
      {support::WorldBuilder::cluster(), "d2", 2, {"a"}, {base::ClusterId{0x99}}}, world.observed.at);
  hold(world, 2, DataState::Valid);
  world.observed.nodes[2].data.get()->cluster = {0x99};
  world.observed.nodes[2].process = model::Fact<model::Process>::known({}, world.observed.at);
  EXPECT_THAT(words_of(support::plan_of(world)),
              ElementsAre("remove c", "set-data-aside c", "add-member c", "write-manifest c", "promote c"));
  world.observed.nodes[2].data.get()->cluster = {0x98};
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "of a cluster that nobody knows";
}

TEST(Recovery, WhoIsDeclaredLostAndIsThereWithDataThatAreSpentStillGivesItsWord) {
  auto world = lost_two();
  hold(world, 1, DataState::Reverted);
  order(world, 2, "a");
  world.desired.members[1].lost = model::Member::Lost{id(1)};
  EXPECT_THAT(words_of(support::judged(world).plan), Contains("promise b"));
  hold(world, 1, DataState::Valid);
  const auto gated = support::judged(world);
  EXPECT_THAT(gated.plan.steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("the file says that b is gone for good, and its agent answers"));
}

TEST(Recovery, AnOrderNeedsAGenerationThatIsHigherThanAllThatAreRecorded) {
  auto world = lost_two();
  order(world, 1, "a");
  EXPECT_EQ(support::judged(world).code, ExitCode::NeedsApproval);
  world.observed.formed.get()->generation = 2;
  order(world, 2, "a");
  EXPECT_EQ(support::judged(world).code, ExitCode::NeedsApproval);
  order(world, 3, "a");
  EXPECT_EQ(support::judged(world).code, ExitCode::Different);
}

TEST(Recovery, TheDataThatReachFurthestGoOnByTermThenIndexAndTheLossIsSaid) {
  auto world = support::WorldBuilder{std::vector<support::Slot>(5)}.build();
  const auto three = lost_two();
  world.observed.membership = three.observed.membership;
  world.observed.formed = three.observed.formed;
  world.observed.alarms = {};
  for (std::size_t slot = 0; slot < 5; ++slot) {
    node(world, slot).standing = node(const_cast<ClusterWorld&>(three), 0).standing;
    node(world, slot).standing->index = 2000;
    auto& voters = node(world, slot).standing->voters->voters;
    voters.push_back({"d", id(3)});
    voters.push_back({"e", id(4)});
    node(world, slot).process = model::Fact<model::Process>::known({}, world.observed.at);
    hold(world, slot, slot < 3 ? DataState::Empty : DataState::Valid, slot == 3 ? 5 : 4, slot == 3 ? 1200 : 1900);
  }
  const auto plan = support::plan_of(world);
  EXPECT_EQ(decision_of(plan).seed, "d") << "a longer log of an older term may hold what nobody ever acknowledged";
  EXPECT_EQ(plan.notices[1].code, "RecoverySource");
  EXPECT_THAT(plan.notices[1].text, HasSubstr("up to 800 entries would be lost; chosen"));
  EXPECT_THAT(plan.notices[2].text, HasSubstr("the data of e reach entry 1900 of term 4"));
  order(world, 2, "e");
  EXPECT_EQ(decision_of(support::plan_of(world)).seed, "e") << "people may know better";
  order(world, 2, "a");
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("recovery.survivor names a, whose data cannot be gone on with"));
}

TEST(Recovery, C13AQuorumOfWholeDirectoriesOnlyHasToBeStarted) {
  auto world = lost_two();
  hold(world, 1, DataState::Valid);
  order(world, 2, "a");
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("start those members"));
}

TEST(Recovery, WhoIsSilentMayBeAliveUntilPeopleSayThatItIsGone) {
  auto world = lost_two();
  order(world, 2, "a");
  silence(world, 2);
  auto plan = support::plan_of(world);
  EXPECT_THAT(plan.steps, IsEmpty());
  EXPECT_EQ(plan.stop, ExitCode::Unknown);
  EXPECT_THAT(first_notice(world), HasSubstr("members.c.lost: \"" + base::to_string(id(2)) + "\""));
  world.desired.members[2].lost = model::Member::Lost{base::MemberId{0x77}};
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "another member ID";
  world.desired.members[2].lost = model::Member::Lost{id(2)};
  plan = support::plan_of(world);
  EXPECT_THAT(words_of(plan), ElementsAre("promise a", "promise b", "restore a", "write-manifest a", "add-member b",
                                          "write-manifest b", "promote b", "write-manifest b", "write-manifest a"));
  world.desired.members[2].lost.reset();
  world.desired.lost = {id(2)};
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "promise a");
}

TEST(Recovery, AVoterThatTheFileNoLongerListsIsAskedAllTheSame) {
  auto world = lost_two();
  order(world, 2, "a");
  world.desired.members.erase(world.desired.members.begin() + 2);
  world.observed.nodes.erase(world.observed.nodes.begin() + 2);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("no quorum without c"));
  EXPECT_THAT(first_notice(world), HasSubstr("lost: [\"" + base::to_string(id(2)) + "\"]  or recovery.abandon"))
      << "members.c.lost would make it a member again";
  world.desired.recovery.abandon = 1;
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "promise a");
  world.desired.recovery.abandon = 0;
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

TEST(Recovery, ADroppedVoterThatAnswersIsNoFounderSinceTheOthersCannotAskIt) {
  auto world = lost_two();
  order(world, 2, "a");
  world.desired.members.pop_back();
  EXPECT_TRUE(support::plan_of(world).steps.empty());
  EXPECT_THAT(first_notice(world), HasSubstr("the file no longer lists it"));
  world.desired.lost = {id(2)};
  EXPECT_EQ(decision_of(support::plan_of(world)).founders.size(), 2U);
}

TEST(Recovery, WhoIsSaidToBeGoneAndAnswersWithDataIsAMistake) {
  auto world = lost_two();
  order(world, 2, "a");
  world.desired.members[0].lost = model::Member::Lost{id(0)};
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("gone for good, and its agent answers"));
}

// Its log may reach further than the one that all have promised for.
TEST(Recovery, WhoComesBackWithDataBeforeTheSeedHasStartedEndsTheDecision) {
  auto world = lost_two();
  hold(world, 0, DataState::Empty);
  hold(world, 1, DataState::Valid, 4, 900);
  silence(world, 0);
  order(world, 2, "b");
  world.desired.members[0].lost = model::Member::Lost{id(0)};
  const model::Decision decision = decision_of(support::plan_of(world));
  ASSERT_EQ(decision.founders.size(), 2U);
  for (std::size_t slot : {1U, 2U}) promise(world, slot, decision);
  auto back = lost_two();
  node(world, 0) = node(back, 0);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "people say that it is gone, perhaps on this node alone";
  EXPECT_THAT(first_notice(world), HasSubstr("under way, and the file says that a is gone for good, and its agent"));
  world.desired.members[0].lost.reset();
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "abandon b");
  node(world, 1).standing->pledge->started = true;
  EXPECT_THAT(words_of(support::plan_of(world)), testing::Not(Contains("abandon b")));
}

// Since that people have said that it is not lost: it may be alive, and nobody can say how far its log reaches.
TEST(Recovery, WhoIsNoLongerSaidToBeGoneIsWaitedForAlsoWhenAllHavePromised) {
  auto world = lost_two();
  hold(world, 0, DataState::Empty);
  hold(world, 1, DataState::Valid, 4, 900);
  silence(world, 0);
  order(world, 2, "b");
  world.desired.members[0].lost = model::Member::Lost{id(0)};
  const model::Decision decision = decision_of(support::plan_of(world));
  promise(world, 1, decision);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "promise c");
  world.desired.members[0].lost.reset();
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "nobody promises any more";
  EXPECT_EQ(support::judged(world).plan.status, PlanStatus::NeedsObservation);
  EXPECT_THAT(first_notice(world), HasSubstr("decision " + decision.id + " is under way; it waits for a"));
  promise(world, 2, decision);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "nor is anything restored";
  world.desired.lost = {id(0)};
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "restore b");
  world.desired.lost.clear();
  world.desired.members.erase(world.desired.members.begin());
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "whoever is taken out of the file is not lost for that";
}

TEST(Recovery, WhoComesBackWithoutItsDataIsNotWaitedFor) {
  auto world = lost_two();
  hold(world, 1, DataState::Valid, 4, 900);
  silence(world, 0);
  order(world, 2, "b");
  world.desired.members[0].lost = model::Member::Lost{id(0)};
  const model::Decision decision = decision_of(support::plan_of(world));
  for (std::size_t slot : {1U, 2U}) promise(world, slot, decision);
  auto back = lost_two();
  node(world, 0) = node(back, 0);
  hold(world, 0, DataState::Empty);
  world.desired.members[0].lost.reset();
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "restore b");
  take_disk(node(world, 0));
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "they are on a disk that is away";
}

TEST(Recovery, NoMemoryIsNoLossOnStorageThatIsMeantToLast) {
  auto world = lost_two();
  order(world, 2, "a");
  hold(world, 2, DataState::Fresh);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  world.desired.storage = model::StorageKind::Ephemeral;
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "promise a");
  take_disk(node(world, 2));
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

TEST(Recovery, DataOfAMemberThatItWasBeforeVoteNoMoreAndAreStillData) {
  auto world = lost_two();
  hold(world, 1, DataState::Valid, 4, 900);
  node(world, 1).data.get()->member = id(7);
  order(world, 2, "a");
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "promise a");
  hold(world, 0, DataState::Empty);
  order(world, 2, "b");
  EXPECT_EQ(decision_of(support::plan_of(world)).seed, "b") << "it is all that is left";
}

TEST(Recovery, WhatLiesBeneathADiskThatIsAwayIsNoLoss) {
  auto world = lost_two();
  hold(world, 1, DataState::Valid, 4, 900);
  node(world, 1).data.get()->member = id(7);
  take_disk(node(world, 1));
  order(world, 2, "a");
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("is its disk mounted?"));
  world.desired.members[1].lost = model::Member::Lost{id(1)};
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "promise a") << "people say that it will not be";
}

TEST(Recovery, Attack9_DataWhoseLogIsOnADiskThatIsAwayAreNoLoss) {
  for (const DataState beneath : {DataState::Damaged, DataState::Reverted}) {
    auto world = lost_two();
    hold(world, 1, beneath);
    order(world, 2, "a");
    EXPECT_EQ(words_of(support::plan_of(world)).front(), "promise a") << "with the disk in its place it is one";
    take_disk(node(world, 1));
    EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
    EXPECT_THAT(first_notice(world), HasSubstr("is its disk mounted?"));
    world.desired.recovery.quorum_loss = model::QuorumLoss::Auto;
    EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
    world.desired.members[1].lost = model::Member::Lost{id(1)};
    EXPECT_EQ(words_of(support::plan_of(world)).front(), "promise a") << "people say that it is gone";
  }
}

TEST(Recovery, NothingOfItExistsWhileSomebodyElsesMembersAreInvolved) {
  auto world = lost_two();
  order(world, 2, "a");
  world.desired.members[1].managed = false;
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

// --------------------------------------------------------------------------------------------------------- under way
TEST(Recovery, APromiseNeedsThatAllAreReadyForTheSame) {
  auto world = lost_two();
  order(world, 2, "a");
  const auto plan = support::plan_of(world);
  const std::string decision = decision_of(plan).id;
  const model::Claim& claim = plan.steps.front().needs.front();
  EXPECT_FALSE(model::holds(claim, world.observed));
  for (std::size_t slot : {0U, 1U}) node(world, slot).standing->ready = decision;
  EXPECT_FALSE(model::holds(claim, world.observed));
  node(world, 2).standing->ready = "another";
  EXPECT_FALSE(model::holds(claim, world.observed));
  node(world, 2).standing->ready = decision;
  EXPECT_TRUE(model::holds(claim, world.observed));
  promise(world, 2, decision_of(plan));
  EXPECT_TRUE(model::holds(claim, world.observed));
  node(world, 2).standing->pledge->given = false;
  EXPECT_TRUE(model::holds(claim, world.observed)) << "begun and cut short";
  silence(world, 2);
  EXPECT_FALSE(model::holds(claim, world.observed));
}

TEST(Recovery, WhoRunsHasNotGivenWayAndADecisionThatWasCarriedOutBindsNobody) {
  auto world = lost_two();
  order(world, 2, "a");
  const model::Decision decision = decision_of(support::plan_of(world));
  const model::Claim ready = model::KeepTo{decision.id, {"b"}, false};
  const model::Claim given = model::KeepTo{decision.id, {"b"}, true};
  promise(world, 1, decision);
  EXPECT_TRUE(model::holds(given, world.observed));
  node(world, 1).process = model::Fact<model::Process>::known({true, 4711, ""}, world.observed.at);
  EXPECT_FALSE(model::holds(given, world.observed));
  node(world, 1).standing->pledge->decision.id = "before";
  EXPECT_FALSE(model::holds(ready, world.observed));
  node(world, 1).standing->ready = decision.id;
  EXPECT_TRUE(model::holds(ready, world.observed));
}

TEST(Recovery, NobodyGoesBackFromADecisionThatWasCarriedOut) {
  auto world = lost_two();
  order(world, 2, "a");
  const model::Decision decision = decision_of(support::plan_of(world));
  promise(world, 1, decision);
  world.desired.members[0].lost = model::Member::Lost{id(0)};
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "abandon b");
  world.observed.formed =
      model::Fact<model::Formed>::known({{9}, decision.id, 2, {"a"}, decision.after}, world.observed.at);
  EXPECT_THAT(words_of(support::plan_of(world)), testing::Not(Contains("abandon b")));
}

TEST(Recovery, AllGoBackWhenTheClusterBeforeHasHadAQuorumSince) {
  auto world = lost_two();
  order(world, 2, "a");
  const model::Decision decision = decision_of(support::plan_of(world));
  promise(world, 1, decision);
  node(world, 0).standing->voters->generation = 2;
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "abandon b");
}

TEST(Recovery, AHigherGenerationEndsADecisionThatTheSeedHasNotPromisedYet) {
  auto world = lost_two();
  order(world, 2, "a");
  const model::Decision decision = decision_of(support::plan_of(world));
  promise(world, 1, decision);
  order(world, 3, "a");
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "abandon b");
  promise(world, 0, decision);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "abandon a") << "the seed says so first";
}

TEST(Recovery, APromiseOfADecisionBeforeIsNoReasonToGiveUp) {
  auto world = lost_two();
  order(world, 2, "a");
  const model::Decision decision = decision_of(support::plan_of(world));
  for (std::size_t slot : {0U, 2U}) promise(world, slot, decision);
  model::Decision before = decision;
  before.id = "d1";  // it was carried out
  before.generation = 1;
  before.after = {base::ClusterId{7}};  // of a cluster that is long gone
  promise(world, 1, before);
  hold(world, 1, DataState::Valid);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "promise b");
}

TEST(Recovery, WhatWasPromisedStandsWhateverIsSeenLater) {
  auto world = lost_two();
  order(world, 2, "a");
  const auto decision = decision_of(support::plan_of(world));
  promise(world, 0, decision);
  node(world, 1).standing->index = 5000;
  const auto plan = support::plan_of(world);
  EXPECT_THAT(words_of(plan), testing::IsSupersetOf({"promise b", "promise c", "restore a"}));
  EXPECT_EQ(decision_of(plan), decision);
}

TEST(Recovery, WhoHasGivenWayWasAllowedToAndIsNotAskedASecondTime) {
  auto world = lost_two();
  const auto decision = decision_of(support::plan_of(world));
  for (std::size_t slot : {0U, 1U}) promise(world, slot, decision);
  node(world, 0).standing->pledge->agreed = true;
  EXPECT_EQ(support::judged(world).code, ExitCode::NeedsApproval) << "c has agreed to nothing";
  promise(world, 2, decision);
  EXPECT_EQ(support::judged(world).code, ExitCode::Different);
  EXPECT_EQ(support::judged(world).plan.status, PlanStatus::Actionable);
  node(world, 0).standing->pledge->agreed = false;
  EXPECT_EQ(support::judged(world).code, ExitCode::NeedsApproval);
}

TEST(Recovery, OneThatHasToPromiseStillIsWaitedFor) {
  auto world = lost_two();
  order(world, 2, "a");
  const auto decision = decision_of(support::plan_of(world));
  promise(world, 0, decision);
  silence(world, 1);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("waits for b"));
  world.desired.members[1].lost = model::Member::Lost{id(1)};
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("abandon a"));
}

TEST(Recovery, DataOfTheClusterBeforeTheLastRecoveryHoldNobodyUpAndAreNotGoneOnWith) {
  auto world = lost_two();
  world.desired.recovery.quorum_loss = model::QuorumLoss::Auto;
  hold(world, 2, DataState::Valid, 9, 900'000);  // further than all that has been written since
  node(world, 2).data.get()->cluster = {0x99};
  EXPECT_THAT(first_notice(world), HasSubstr("the data on c are of cluster 99"));
  world.observed.formed.get()->after = {{0x99}};
  const auto plan = support::plan_of(world);
  EXPECT_THAT(words_of(plan), Contains("promise c"));
  EXPECT_EQ(decision_of(plan).seed, "a");
}

TEST(Recovery, AVoterThatPeopleCallLostIsNotRefutedByDataOfTheMemberBeforeIt) {
  auto world = lost_two();
  order(world, 2, "a");
  world.desired.members[2].lost = model::Member::Lost{id(2)};
  hold(world, 2, DataState::Valid, 3, 500);
  EXPECT_THAT(first_notice(world), HasSubstr("the file says that c is gone for good, and its agent answers"));
  node(world, 2).data.get()->member = {0x77};
  EXPECT_THAT(words_of(support::plan_of(world)), Contains("promise c"));
}

TEST(Recovery, OneThatTheFileHasDroppedMeanwhileIsToBeListedAgain) {
  auto world = lost_two();
  order(world, 2, "a");
  const auto decision = decision_of(support::plan_of(world));
  promise(world, 0, decision);
  world.desired.members.erase(world.desired.members.begin() + 1);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("waits for b, which the file no longer lists"));
}

TEST(Recovery, OneThatHasToPromiseStillAndIsWithoutItsDiskIsWaitedForToo) {
  auto world = lost_two();
  order(world, 2, "a");
  const auto decision = decision_of(support::plan_of(world));
  promise(world, 0, decision);
  hold(world, 1, DataState::Fresh);
  take_disk(node(world, 1));
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("waits for b, whose data are not there: is its disk mounted?"));
  EXPECT_EQ(support::judged(world).plan.status, PlanStatus::NeedsObservation);
  world.desired.members[1].lost = model::Member::Lost{id(1)};
  EXPECT_THAT(words_of(support::plan_of(world)), Contains("promise b"));
}

// Whoever does not hear it for a moment goes back on that word, and the two would be two clusters.
TEST(Recovery, ASeedThatPeopleCallLostGivesUpBeforeTheOthersDo) {
  auto world = lost_two();
  order(world, 2, "a");
  const auto decision = decision_of(support::plan_of(world));
  for (std::size_t slot : {1U, 2U}) promise(world, slot, decision);
  world.desired.members[0].lost = model::Member::Lost{id(0)};
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("abandon b", "abandon c")) << "it has promised nothing";
  auto emptied = world;
  hold(emptied, 0, DataState::Empty);
  EXPECT_THAT(support::plan_of(emptied).steps, IsEmpty());
  EXPECT_THAT(first_notice(emptied), HasSubstr("waits for a, which the file calls lost, and whose agent answers"));
  promise(world, 0, decision);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "abandon a");
  world.desired.members[0].lost.reset();
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "restore a");
}

TEST(Recovery, WhatIsHalfInItsPlaceIsPutThereAnewAndNotStarted) {
  auto world = lost_two();
  order_and_promise(world);
  hold(world, 0, DataState::Damaged);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "restore a");
}

TEST(Recovery, OfASeedThatDoesNotAnswerItIsSaidWhatPeopleCanDo) {
  auto world = lost_two();
  order_and_promise(world);
  node(world, 0).standing->pledge->started = true;
  auto away = world;
  take_disk(node(away, 0));
  EXPECT_THAT(first_notice(away), HasSubstr("mount it; if it is gone for good, write  members.a.lost: "));
  hold(world, 0, DataState::Damaged);
  EXPECT_THAT(first_notice(world), HasSubstr("move it away and write  members.a.lost: "));
}

// It has never voted, and nobody has lost anything with it.
TEST(Recovery, ANewcomerThatIsListedMeanwhileHoldsNothingUp) {
  auto world = lost_two();
  order(world, 2, "a");
  const auto decision = decision_of(support::plan_of(world));
  for (std::size_t slot : {0U, 1U}) promise(world, slot, decision);
  auto only_two = decision;
  std::erase_if(only_two.founders, [](const model::Founder& each) { return each.member == "c"; });
  for (std::size_t slot : {0U, 1U}) node(world, slot).standing->pledge->decision = only_two;
  for (std::size_t slot : {0U, 1U, 2U}) node(world, slot).standing->voters->voters.pop_back();
  hold(world, 2, DataState::Fresh);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "restore a");
}

TEST(Recovery, ASeedThatCannotGivesUpAndThenAllGoBack) {
  auto world = lost_two();
  const auto decision = order_and_promise(world);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "restore a");
  node(world, 0).standing->pledge->tries = 3;
  node(world, 0).standing->pledge->failed = "no space left on device";
  auto plan = support::plan_of(world);
  EXPECT_THAT(words_of(plan), ElementsAre("abandon a", "abandon b", "abandon c")) << "the seed first";
  EXPECT_EQ(plan.steps.front().step_class, model::StepClass::Heal);
  node(world, 0).standing->abandoned = {{decision.id, 2, "a", "no space left on device"}};
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("abandon a", "abandon b", "abandon c"));
  for (std::size_t slot : {0U, 1U, 2U}) node(world, slot).standing->pledge.reset();
  hold(world, 0, DataState::Valid);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("has failed: no space left on device"));
  order(world, 3, "a");
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "promise a");
}

TEST(Recovery, AnAutomaticOneIsTriedOnce) {
  auto world = lost_two();
  world.desired.recovery.quorum_loss = model::QuorumLoss::Auto;
  node(world, 0).standing->abandoned = {{"d9", 2, "a", "no space left on device"}};
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

TEST(Recovery, DataThatComeBackMakeTheSeedGiveUp) {
  auto world = lost_two();
  order_and_promise(world);
  hold(world, 1, DataState::Valid);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "abandon a");
}

// It was declared lost while its disk was away, and its empty place gave way.
TEST(Recovery, DataThatComeBackOnTheSeedAreNotTakenForWhatItHasRestored) {
  auto world = lost_two();
  order_and_promise(world);
  hold(world, 0, DataState::Valid);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "abandon a");
  node(world, 0).data.get()->cluster = base::ClusterId{0x77};
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "write-manifest a") << "restored";
}

TEST(Recovery, AQuorumThatComesBackOnTheOldDataTakesThePromisesBack) {
  auto world = lost_two();
  order(world, 2, "a");
  const auto decision = decision_of(support::plan_of(world));
  const auto well = support::WorldBuilder{{support::up(), support::up(), support::up()}}.build();
  promise(world, 2, decision);
  world.observed.membership = well.observed.membership;
  world.observed.alarms = well.observed.alarms;
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "abandon c");
  node(world, 2).standing->pledge->decision.after = {base::ClusterId{0x77}};
  EXPECT_THAT(words_of(support::plan_of(world)), testing::Not(Contains("abandon c")))
      << "another cluster answers: perhaps the one that was promised";
}

TEST(Recovery, ASeedThatHasStartedIsWaitedForAndNothingIsRestoredTwice) {
  auto world = lost_two();
  order_and_promise(world);
  node(world, 0).standing->pledge->started = true;
  hold(world, 0, DataState::Valid);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("was brought back on a and does not answer; see why etcd does not run"));
  order(world, 3, "a");
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

TEST(Recovery, ASeedWhoseDiskIsLostAfterItsStartGivesUpWhenPeopleSaySo) {
  auto world = lost_two();
  const auto decision = order_and_promise(world);
  node(world, 0).standing->pledge->started = true;
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_THAT(first_notice(world), HasSubstr("nothing is left of what was restored there"));
  EXPECT_THAT(first_notice(world), HasSubstr("members.a.lost: \"" + base::to_string(id(0)) + "\""));
  world.desired.members[0].lost = model::Member::Lost{id(0)};
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "abandon a") << "it says so before anybody goes back";
  auto others = world;
  others.observed.formed = model::Fact<model::Formed>::known(
      {base::ClusterId{0x77}, decision.id, 2, {"a"}, decision.after}, world.observed.at);
  EXPECT_THAT(support::plan_of(others).steps, IsEmpty()) << "others may be in that cluster";
  others = world;
  node(others, 0).process.get()->running = true;
  EXPECT_THAT(support::plan_of(others).steps, IsEmpty()) << "it writes into what was deleted, and answers";
  others = world;
  take_disk(node(others, 0));
  EXPECT_THAT(support::plan_of(others).steps, IsEmpty()) << "its disk is only away";
  node(world, 0).standing->pledge.reset();
  node(world, 0).standing->abandoned = {{decision.id, 2, "a", "what it had restored is gone with its disk"}};
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("abandon b", "abandon c"));
}

TEST(Recovery, TheDecisionIsAnotherOneForOtherDisksTokensSourcesAndGenerations) {
  auto world = lost_two();
  order(world, 2, "a");
  const std::string decision = decision_of(support::plan_of(world)).id;
  auto other = world;
  other.desired.etcd.token = "again";
  EXPECT_NE(decision_of(support::plan_of(other)).id, decision);
  other = world;
  order(other, 3, "a");
  EXPECT_NE(decision_of(support::plan_of(other)).id, decision);
  other = world;
  hold(other, 0, DataState::Valid, 4, 1001);
  EXPECT_NE(decision_of(support::plan_of(other)).id, decision);
  other = world;
  node(other, 1).incarnation = model::Fact<std::string>::known("another life", world.observed.at);
  EXPECT_NE(decision_of(support::plan_of(other)).id, decision);
}

}  // namespace quorate
