// Details of plans: order, versions, alarms, what is left behind, what is left alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/judged.h"

namespace quorate {
namespace {

using model::Notice;
using support::ClusterWorld;
using support::Health;
using support::InFile;
using support::Left;
using support::Role;
using support::Slot;
using support::words_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ClusterWorld world_of(std::vector<Slot> slots, std::string version = "3.5.21", int leader = 0) {
  return support::WorldBuilder{std::move(slots)}.version(std::move(version)).leader(leader).build();
}
ClusterWorld three(Slot third, std::string version = "3.5.21") {
  return world_of({support::up(), support::up(), third}, std::move(version));
}
// Nobody looks at its node, so that nothing is left to clean.
Slot retired() {
  Slot slot = support::in_file(InFile::Retire);
  slot.seen = false;
  return slot;
}
base::MemberId id(std::size_t slot) {
  return support::WorldBuilder::id(slot);
}
Slot left(InFile file, Left left) {
  Slot slot = support::absent(left);
  slot.file = file;
  return slot;
}
model::MemberStatus& status_of(ClusterWorld& world, std::size_t slot) {
  return *model::member_of(world.observed, id(slot))->status.get();
}
void announce(ClusterWorld& world, model::Announced announced) {
  world.observed.announced = model::Fact<model::Announced>::known(std::move(announced), world.observed.at);
}
void want_version(ClusterWorld& world, std::string_view version) {
  world.desired.etcd.version = base::parse_version(version);
}
template <class Claim>
bool needs(const model::Step& step) {
  return std::any_of(step.needs.begin(), step.needs.end(),
                     [](const model::Claim& claim) { return std::holds_alternative<Claim>(claim); });
}

}  // namespace

// ------------------------------------------------------------------------------------------------ who comes and goes
TEST(Planner, C04HealthyMembersOfTheRightNamesAreLeftAlone) {
  const auto plan = support::plan_of(three(support::up()));
  EXPECT_THAT(plan.steps, IsEmpty());
  EXPECT_EQ(plan.status, model::PlanStatus::Converged);
}

TEST(Planner, C02AnEmptiedMemberIsRemovedAddedStartedAndPromoted) {
  EXPECT_THAT(words_of(support::plan_of(three(support::with(Health::Emptied)))),
              ElementsAre("remove c", "add-member c", "write-manifest c", "promote c"));
}

TEST(Planner, C07AMemberWhoseDataAreWholeIsNeverRemoved) {
  const auto plan = support::plan_of(three(support::with(Health::Whole)));
  EXPECT_THAT(plan.steps, IsEmpty());
  ASSERT_NE(support::notice_of(plan, "MemberDown"), nullptr);
  EXPECT_THAT(support::notice_of(plan, "MemberDown")->text, HasSubstr("only has to be started"));
  EXPECT_EQ(plan.status, model::PlanStatus::NeedsObservation) << "a voter is down: that is not converged";
  EXPECT_EQ(support::judged(three(support::with(Health::Whole))).code, model::ExitCode::Different);
}

TEST(Planner, AMemberThatWasStartedHasAsLongToAnswerAsTheFileGivesIt) {
  const auto after = [](base::Duration since_its_start) {
    ClusterWorld world = three(support::with(Health::Whole));
    world.desired.settle = std::chrono::minutes{2};
    model::NodeFacts& node = *std::find_if(world.observed.nodes.begin(), world.observed.nodes.end(),
                                           [](const model::NodeFacts& each) { return each.member == "c"; });
    const base::Time now = world.observed.at;
    node.process.get()->running = true;
    model::RunState run;
    run.phase = model::RunPhase::Running;
    run.since = now - since_its_start;
    node.run = model::Fact<model::RunState>::known(run, now);
    return support::plan_of(world);
  };
  const auto soon = after(std::chrono::seconds{119});
  ASSERT_NE(support::notice_of(soon, "MemberStarting"), nullptr);
  EXPECT_EQ(support::notice_of(soon, "MemberStarting")->level, model::Notice::Level::Info);
  EXPECT_EQ(support::notice_of(soon, "MemberDown"), nullptr);
  const auto late = after(std::chrono::seconds{120});
  ASSERT_NE(support::notice_of(late, "MemberDown"), nullptr);
  EXPECT_EQ(support::notice_of(late, "MemberDown")->level, model::Notice::Level::Critical);
  EXPECT_THAT(support::notice_of(late, "MemberDown")->text, HasSubstr("runtime.settle"));
}

TEST(Planner, C07AMemberThatIsDownForWhatItsFilesSayGetsNewOnes) {
  Slot third = support::with(Health::Whole);
  third.configured = false;
  const auto plan = support::plan_of(three(third));
  ASSERT_THAT(words_of(plan), ElementsAre("write-manifest c"));
  EXPECT_EQ(plan.steps[0].step_class, model::StepClass::Heal);
}

TEST(Planner, B01GrowingAddsOneAtATime) {
  EXPECT_THAT(
      words_of(support::plan_of(world_of({support::up(), support::absent(), support::absent()}))),
      ElementsAre("add-member b", "write-manifest b", "promote b", "add-member c", "write-manifest c", "promote c"));
}

TEST(Planner, B06TheLeaderGoesLastAndGivesTheLeadAwayFirst) {
  const auto words = words_of(
      support::plan_of(world_of({support::up(), retired(), retired(), support::up(), support::up()}, "3.5.21", 1)));
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[0], "remove c");
  EXPECT_EQ(words[1].substr(0, 11), "move-leader");
  EXPECT_EQ(words[2], "remove b");
}

TEST(Planner, B06TheOneThatIsDownGoesBeforeTheOneThatIsUp) {
  Slot dead = retired();
  dead.health = Health::SilentLong;
  const auto plan = support::plan_of(world_of({support::up(), retired(), support::up(), support::up(), dead}));
  EXPECT_THAT(words_of(plan), ElementsAre("remove e", "remove b"));
}

TEST(Planner, B05ExactlyTheMemberThatTheFileNamesGoesAndItsNodeIsCleaned) {
  const auto plan =
      support::plan_of(world_of({support::up(), support::up(), support::in_file(InFile::Retire), support::up()}));
  EXPECT_THAT(words_of(plan), ElementsAre("remove c", "remove-manifest c", "set-data-aside c"));
  EXPECT_EQ(std::get<model::Remove>(plan.steps[0].action).id, id(2));
}

TEST(Planner, B09AStrangerIsReportedAndNotRemoved) {
  const auto plan = support::plan_of(world_of({support::up(), support::up(), support::in_file(InFile::Never)}));
  EXPECT_THAT(plan.steps, IsEmpty());
  const Notice* notice = support::notice_of(plan, "UnexpectedMember");
  ASSERT_NE(notice, nullptr);
  EXPECT_TRUE(notice->drift);
  EXPECT_THAT(notice->help, HasSubstr("1002"));
}

TEST(Planner, WhatTheLastFileHadAndThisOneDoesNotIsRemoved) {
  Slot dropped = support::in_file(InFile::Dropped);
  dropped.seen = false;
  const auto plan = support::plan_of(world_of({support::up(), support::up(), support::up(), dropped}));
  ASSERT_THAT(words_of(plan), ElementsAre("remove d"));
  EXPECT_EQ(plan.steps[0].step_class, model::StepClass::Destructive);
  EXPECT_EQ(plan.steps[0].reason.code, "MemberDropped");
}

// ------------------------------------------------------------------------------------------- what was announced
TEST(Planner, Attack11_AVoterWhoseRemovalWasAnnouncedIsRemovedWhateverTheFileSays) {
  auto world = three(support::up());
  announce(world, {{id(2)}, {}});
  const auto plan = support::plan_of(world);
  ASSERT_FALSE(plan.steps.empty());
  EXPECT_EQ(words_of(plan).front(), "remove c");
  EXPECT_EQ(std::get<model::Remove>(plan.steps[0].action).id, id(2));
  EXPECT_EQ(plan.steps[0].reason.code, model::kCondemned);
  EXPECT_EQ(plan.steps[0].step_class, model::StepClass::Heal);
}

TEST(Planner, ACondemnedLeaderGivesTheLeadAwayFirst) {
  auto world = world_of({support::up(), support::up(), support::up()}, "3.5.21", 2);
  announce(world, {{id(2)}, {}});
  const auto words = words_of(support::plan_of(world));
  ASSERT_GE(words.size(), 2u);
  EXPECT_EQ(words[0].substr(0, 11), "move-leader");
  EXPECT_EQ(words[1], "remove c");
}

TEST(Planner, AnAnnouncementOfAMemberThatIsGoneIsHistory) {
  auto world = three(support::up());
  announce(world, {{base::MemberId{0x77}}, {}});
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

TEST(Planner, ALearnerThatWeAddedAndTheFileNoLongerWantsIsTakenBack) {
  Slot learner = support::in_file(InFile::Never);
  learner.role = Role::Learner;
  learner.started = false;
  learner.health = Health::SilentSince;
  auto world = world_of({support::up(), support::up(), support::up(), learner});
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "it may be anybody's";
  const auto urls = model::member_of(world.observed, id(3))->listed.peer_urls;
  announce(world, {{}, {{"https://10.0.0.99:2380"}}});
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  announce(world, {{}, {{"https://10.0.0.99:2380"}, urls}});
  const auto plan = support::plan_of(world);
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(std::get<model::Remove>(plan.steps[0].action).id, id(3));
}

TEST(Planner, B17_ALearnerThatHasStartedBeforeTheFileDroppedItIsTakenBackToo) {
  Slot learner = support::in_file(InFile::Never);
  learner.role = Role::Learner;
  auto world = world_of({support::up(), support::up(), support::up(), learner});
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "it may be anybody's";
  announce(world, {{}, {model::member_of(world.observed, id(3))->listed.peer_urls}});
  EXPECT_EQ(words_of(support::plan_of(world)), std::vector<std::string>{"remove d"});
}

TEST(Planner, ALearnerWhoseDataCannotBeUsedGetsAnotherId) {
  Slot learner;
  learner.role = Role::Learner;
  learner.health = support::Health::Damaged;
  auto world = world_of({support::up(), support::up(), support::up(), learner});
  EXPECT_THAT(words_of(support::plan_of(world)), Contains("remove d"));
  EXPECT_EQ(support::plan_of(world).steps.front().reason.code, "MemberDamaged");
  world.observed.nodes.back().data.get()->state = model::DataState::Reverted;
  EXPECT_EQ(support::plan_of(world).steps.front().reason.code, "MemberReverted");
  world.observed.membership.get()->members.back().silent_since =
      model::Fact<base::Time>::known(world.observed.at, world.observed.at);
  EXPECT_THAT(words_of(support::plan_of(world)), Not(Contains("remove d"))) << "a disk may come back";
}

TEST(Planner, ALearnerThatJoinedWhileItsDiskWasAwayGetsAnotherIdWhenTheDiskIsBack) {
  Slot learner;
  learner.role = Role::Learner;
  learner.health = Health::Whole;
  ClusterWorld world = three(learner);
  EXPECT_THAT(words_of(support::plan_of(world)), Not(Contains("remove c")));
  model::NodeFacts& node = *model::node_of(world.observed, "c");
  node.data.get()->member = {0x77};  // of the member that was removed meanwhile
  auto& silent_since = world.observed.membership.get()->members.back().silent_since;
  silent_since = model::Fact<base::Time>::known(world.observed.at, world.observed.at);
  EXPECT_THAT(words_of(support::plan_of(world)), Not(Contains("remove c"))) << "its own disk may be about to come";
  silent_since = model::Fact<base::Time>::known(world.observed.at - std::chrono::hours{1}, world.observed.at);
  EXPECT_THAT(words_of(support::plan_of(world)),
              ElementsAre("remove c", "set-data-aside c", "add-member c", "write-manifest c", "promote c"));
  node.process.get()->running = true;
  EXPECT_THAT(words_of(support::plan_of(world)), Not(Contains("remove c"))) << "whatever it is that runs there";
}

TEST(Planner, ALearnerThatLostItsLogBeforeAnybodyKnewItsNameGetsAnotherId) {
  Slot learner;
  learner.role = Role::Learner;
  learner.started = false;
  ClusterWorld world = three(learner);
  model::DataDir& data = *model::node_of(world.observed, "c")->data.get();
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("write-manifest c", "promote c"));
  data.held = id(2);
  const auto plan = support::plan_of(world);
  ASSERT_THAT(words_of(plan), ElementsAre("remove ", "add-member c", "write-manifest c", "promote c"));
  EXPECT_EQ(std::get<model::Remove>(plan.steps[0].action).id, id(2));
  EXPECT_EQ(plan.steps[0].reason.code, "MemberEmptied");
  EXPECT_EQ(plan.steps[0].step_class, model::StepClass::Heal);
  support::take_disk(*model::node_of(world.observed, "c"));
  EXPECT_THAT(words_of(support::plan_of(world)), testing::Not(testing::Contains("remove "))) << "it may come back";
  data.disk_away = false;
  data.problem.clear();
  data.held = {0x77};  // of an earlier life
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("write-manifest c", "promote c"));
}

TEST(Planner, AVoterIsNotOursForStandingAtAnnouncedUrls) {
  auto world = world_of({support::up(), support::up(), support::up(), support::in_file(InFile::Never)});
  announce(world, {{}, {model::member_of(world.observed, id(3))->listed.peer_urls}});
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

TEST(Planner, AStrangersIdUnderLostRemovesItOnceItIsDown) {
  Slot dead = support::with(Health::SilentSince);
  dead.file = InFile::Never;
  auto world = world_of({support::up(), support::up(), support::up(), dead});
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  world.desired.lost = {id(3)};
  EXPECT_EQ(words_of(support::plan_of(world)), std::vector<std::string>{"remove d"});
}

TEST(Planner, MembersThatAreNotOursAreNeitherHealedNorConfigured) {
  auto world = three(support::with(Health::Emptied));
  world.desired.members[2].managed = false;
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  auto other = three(support::unconfigured());
  other.desired.members[2].managed = false;
  EXPECT_THAT(support::plan_of(other).steps, IsEmpty());
}

TEST(Planner, AMemberListThatNoClusterHasIsNotPlannedFor) {
  auto world = three(support::up());
  model::Applied applied;
  for (std::uint64_t i = 0; i < 300; ++i) {
    model::ObservedMember stranger = world.observed.membership->members[1];
    stranger.listed.id = {0x5000 + i};
    stranger.listed.name = "old-" + std::to_string(i);
    stranger.listed.peer_urls = {"https://old-" + std::to_string(i) + ":2380"};
    applied.members.push_back(stranger.listed.name);
    world.observed.membership.get()->members.push_back(std::move(stranger));
  }
  world.observed.applied = model::Fact<model::Applied>::known(applied, world.observed.at);
  const auto plan = support::plan_of(world);
  EXPECT_THAT(plan.steps, IsEmpty());
  EXPECT_EQ(plan.status, model::PlanStatus::NeedsHuman);
  EXPECT_NE(support::notice_of(plan, "PlanTooLong"), nullptr);
}

// ------------------------------------------------------------------------------------------------- what is left behind
TEST(Planner, I07ForeignDataAreNeverTouchedAndStopTheJoinThere) {
  const auto plan = support::plan_of(three(support::absent(Left::Foreign)));
  for (const model::Step& step : plan.steps) {
    EXPECT_FALSE(std::holds_alternative<model::SetDataAside>(step.action));
    EXPECT_FALSE(std::holds_alternative<model::WriteManifest>(step.action));
  }
  const Notice* notice = support::notice_of(plan, "ForeignData");
  ASSERT_NE(notice, nullptr);
  EXPECT_EQ(notice->level, Notice::Level::Critical);
}

TEST(Planner, C08OurOwnOldDataAreSetAsideBeforeTheMemberComesBack) {
  const auto words = words_of(support::plan_of(three(support::absent(Left::Data))));
  ASSERT_FALSE(words.empty());
  EXPECT_EQ(words.front(), "set-data-aside c");
  EXPECT_EQ(words.back(), "promote c");
}

TEST(Planner, ARetiredMembersFilesGoBeforeItsData) {
  const auto world = world_of({support::up(), support::up(), support::up(), left(InFile::Retire, Left::Both)});
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("remove-manifest d", "set-data-aside d"));
}

TEST(Planner, ADroppedMembersNodeIsCleanedAndAStrangersIsNot) {
  EXPECT_THAT(words_of(support::plan_of(
                  world_of({support::up(), support::up(), support::up(), left(InFile::Dropped, Left::Both)}))),
              ElementsAre("remove-manifest d", "set-data-aside d"));
  auto world = world_of({support::up(), support::up(), support::up(), left(InFile::Dropped, Left::Both)});
  world.observed.applied = model::Fact<model::Applied>::known({}, world.observed.at);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

TEST(Planner, WhoIsToLeaveForOneThatPeopleCallGoneStaysAndThatIsNoRest) {
  auto world = world_of({support::up(), support::in_file(InFile::Dropped), support::absent(Left::Nothing)});
  world.desired.members.back().lost = model::Member::Lost{};
  world.observed.nodes.pop_back();
  const auto plan = support::plan_of(world);
  EXPECT_THAT(plan.steps, IsEmpty());
  EXPECT_EQ(plan.status, model::PlanStatus::NeedsHuman) << "else the file would count as carried out";
  const Notice* notice = support::notice_of(plan, "MemberStays");
  ASSERT_NE(notice, nullptr);
  EXPECT_THAT(notice->text, testing::HasSubstr("member b leaves when c has joined"));
  world.desired.members.pop_back();
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("remove b", "remove-manifest b", "set-data-aside b"));
}

TEST(Planner, AWordThatAMemberIsLostWithoutItsIdIsToBeTakenBackWhenItVotes) {
  auto world = three(support::up());
  world.desired.members[2].lost = model::Member::Lost{};
  EXPECT_NE(support::notice_of(support::plan_of(world), "LostStillSaid"), nullptr);
  world.desired.members[2].lost = model::Member::Lost{base::MemberId{0x77}};
  EXPECT_EQ(support::notice_of(support::plan_of(world), "LostStillSaid"), nullptr) << "that one is gone";
}

TEST(Planner, AFounderThatTheFileDropsBeforeAnyFileWasCarriedOutIsRemoved) {
  auto world = world_of({support::up(), support::up(), support::up(), support::in_file(InFile::Dropped)});
  world.observed.applied = model::Fact<model::Applied>::unknown("no file has been carried out yet");
  const base::ClusterId cluster = world.observed.membership->cluster;
  const auto formed = [&](base::ClusterId of, const std::string& decision) {
    world.observed.formed =
        model::Fact<model::Formed>::known({of, decision, 1, {"a", "b", "c", "d"}}, world.observed.at);
    return words_of(support::plan_of(world));
  };
  EXPECT_THAT(formed(cluster, "d1"), ElementsAre("remove d", "remove-manifest d", "set-data-aside d"));
  EXPECT_THAT(formed(base::ClusterId{0x99}, "d1"), IsEmpty()) << "of another cluster";
  EXPECT_THAT(formed(cluster, ""), IsEmpty()) << "that nobody here has formed";
}

TEST(Planner, WhatHasLeftIsSetAsideAlsoWhereItsDiskWentBackInTime) {
  auto world = world_of({support::up(), support::up(), support::up(), left(InFile::Retire, Left::Both)});
  world.observed.nodes.back().data.get()->state = model::DataState::Reverted;
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("remove-manifest d", "set-data-aside d"));
}

TEST(Planner, ForeignDataOfARetiredMemberStay) {
  const auto world = world_of({support::up(), support::up(), support::up(), left(InFile::Retire, Left::Foreign)});
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

// ------------------------------------------------------------------------------------------------------------ rollout
TEST(Planner, ConfigurationGoesRoundWithTheLeaderLast) {
  auto world = world_of({support::unconfigured(), support::unconfigured(), support::unconfigured()}, "3.5.21", 0);
  const auto words = words_of(support::plan_of(world));
  ASSERT_EQ(words.size(), 4u);
  EXPECT_EQ(words[0], "write-manifest b");
  EXPECT_EQ(words[1], "write-manifest c");
  EXPECT_EQ(words[2].substr(0, 11), "move-leader");
  EXPECT_EQ(words[3], "write-manifest a");
  world.desired.rollout.order = model::RolloutOrder::Name;
  const auto by_name = words_of(support::plan_of(world));
  EXPECT_EQ(by_name[0].substr(0, 11), "move-leader");
  EXPECT_EQ(by_name[1], "write-manifest a");
}

TEST(Planner, NewPeerUrlsAreToldBeforeTheFilesAreWritten) {
  Slot moved = support::unconfigured();
  moved.moved = true;
  EXPECT_THAT(words_of(support::plan_of(three(moved))), ElementsAre("update-peer-urls c", "write-manifest c"));
}

TEST(Planner, AMemberWhoseDataDieWithItsPodIsReplacedAndComesBack) {
  auto world = three(support::unconfigured());
  world.desired.runtime = model::StaticPodRuntime{};
  world.desired.storage = model::StorageKind::Ephemeral;
  for (auto& node : world.observed.nodes) {
    node.data = model::Fact<model::DataDir>::unknown("the data live inside the pod");
  }
  const auto plan = support::plan_of(world);
  EXPECT_THAT(words_of(plan), ElementsAre("remove c", "add-member c", "write-manifest c", "promote c"));
  EXPECT_EQ(model::symbol_of(plan.steps[0]), "-/+");
  EXPECT_EQ(plan.steps[0].step_class, model::StepClass::Change);
}

TEST(Planner, ASoakThatHasNotEndedIsAClaimOfTheStepAndOneThatHasIsNot) {
  auto world = three(support::unconfigured());
  world.desired.rollout.soak = std::chrono::minutes{5};
  world.observed.last_change =
      model::Fact<base::Time>::known(world.observed.at - std::chrono::minutes{1}, world.observed.at);
  EXPECT_TRUE(needs<model::Soaked>(support::plan_of(world).steps[0]));
  world.observed.last_change =
      model::Fact<base::Time>::known(world.observed.at - std::chrono::minutes{6}, world.observed.at);
  EXPECT_FALSE(needs<model::Soaked>(support::plan_of(world).steps[0]));
}

TEST(Planner, EachMemberOfARolloutSoaksAfterTheOneBefore) {
  auto world = world_of({support::up(), support::unconfigured(), support::unconfigured()});
  world.desired.rollout.soak = std::chrono::minutes{5};
  const auto plan = support::plan_of(world);
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_FALSE(needs<model::Soaked>(plan.steps[0]));
  EXPECT_TRUE(needs<model::Soaked>(plan.steps[1]));
}

TEST(Planner, HealingDoesNotSoak) {
  auto world = three(support::with(Health::Emptied));
  world.observed.last_change = model::Fact<base::Time>::known(world.observed.at, world.observed.at);
  EXPECT_FALSE(needs<model::Soaked>(support::plan_of(world).steps[0]));
}

// ----------------------------------------------------------------------------------------------------------- versions
TEST(Planner, AnUpgradeTakesTheFollowersFirst) {
  auto world = three(support::up());
  want_version(world, "3.5.33");
  const auto plan = support::plan_of(world);
  ASSERT_EQ(plan.steps.size(), 4u);
  EXPECT_EQ(words_of(plan)[0], "write-manifest b");
  EXPECT_EQ(words_of(plan)[3], "write-manifest a");
  EXPECT_EQ(plan.steps[0].step_class, model::StepClass::Upgrade);
  EXPECT_EQ(plan.steps[0].risk, model::Risk::High);
}

TEST(Planner, AMinorWithoutAPatchIsContentWithWhatRuns) {
  auto world = three(support::up());
  want_version(world, "3.5");
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

TEST(Planner, U3AReleaseThatIsKnownToLoseDataIsRefused) {
  auto world = three(support::up(), "3.5.1");
  want_version(world, "3.5.2");
  const auto gated = support::judged(world);
  EXPECT_EQ(support::rule_of(gated), "U3");
  EXPECT_EQ(gated.plan.steps.size(), 1u);
  EXPECT_EQ(gated.code, model::ExitCode::Refused);
}

TEST(Planner, G05TwoMinorsAtOnceAreRefused) {
  auto world = three(support::up(), "3.4.44");
  want_version(world, "3.6.14");
  EXPECT_EQ(support::rule_of(support::judged(world)), "U2");
}

TEST(Planner, U4OldReleasesDoNotGoTo36) {
  auto world = three(support::up(), "3.5.16");
  want_version(world, "3.6.14");
  const auto gated = support::judged(world);
  EXPECT_EQ(support::rule_of(gated), "U4");
  EXPECT_THAT(gated.verdicts.back().instead.front().text, HasSubstr("later patch release"));
}

TEST(Planner, ADowngradeIsRefused) {
  auto world = three(support::up(), "3.5.33");
  want_version(world, "3.4.44");
  EXPECT_EQ(support::rule_of(support::judged(world)), "U2");
}

TEST(Planner, ANewMemberOfAnOlderMinorIsRefused) {
  auto world = three(support::absent(), "3.5.33");
  want_version(world, "3.4.44");
  const auto gated = support::judged(world);
  EXPECT_EQ(support::rule_of(gated), "U2");
}

TEST(Planner, G04AnUpgradeWaitsForAMemberThatIsDown) {
  auto world = world_of({support::up(), support::up(), support::up(), support::up(), support::with(Health::Whole)});
  want_version(world, "3.5.33");
  EXPECT_EQ(support::rule_of(support::judged(world)), "U1");
}

TEST(Planner, ABadReleaseThatRunsIsADangerAndNoDrift) {
  const auto plan = support::plan_of(three(support::up(), "3.5.2"));
  const Notice* notice = support::notice_of(plan, "BadRelease");
  ASSERT_NE(notice, nullptr);
  EXPECT_FALSE(notice->drift);
}

// ------------------------------------------------------------------------------------------------------------- alarms
TEST(Planner, AFullClusterIsCompactedDefragmentedWithTheLeaderLastAndDisarmed) {
  auto world = three(support::up());
  for (std::size_t slot : {0u, 1u, 2u}) {
    status_of(world, slot).db_size = 2LL << 30;
    status_of(world, slot).db_size_in_use = 1LL << 30;
  }
  world.observed.compact_revision = model::Fact<std::int64_t>::known(10, world.observed.at);
  world.observed.alarms = model::Fact<std::vector<model::Alarm>>::known(
      {{id(0), model::AlarmKind::NoSpace}, {id(1), model::AlarmKind::NoSpace}, {id(2), model::AlarmKind::NoSpace}},
      world.observed.at);
  const auto plan = support::plan_of(world);
  auto words = words_of(plan);
  ASSERT_EQ(words.size(), 7u);
  std::sort(words.begin() + 4, words.end());
  EXPECT_THAT(words, ElementsAre("compact prod", "defragment b", "defragment c", "defragment a", "disarm-alarm a",
                                 "disarm-alarm b", "disarm-alarm c"));
  for (const model::Step& step : plan.steps) EXPECT_EQ(step.step_class, model::StepClass::Heal);
}

// Etcd counts what a compaction has freed once more has been written, and full as it is nothing is.
TEST(Planner, Attack13_AFullDatabaseIsDefragmentedAlthoughEtcdHasNotCountedWhatWasCompacted) {
  auto world = three(support::up());
  status_of(world, 1).db_size = 2LL << 30;
  status_of(world, 1).db_size_in_use = status_of(world, 1).db_size - (256 << 10);
  world.observed.compact_revision = model::Fact<std::int64_t>::known(status_of(world, 1).revision, world.observed.at);
  world.observed.alarms =
      model::Fact<std::vector<model::Alarm>>::known({{id(1), model::AlarmKind::NoSpace}}, world.observed.at);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "defragment b");
  status_of(world, 1).db_size_in_use = status_of(world, 1).db_size - 4096;
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "that has been done, and has not helped";
}

TEST(Planner, AnAlarmOverADatabaseThatStaysFullIsNotDisarmed) {
  auto world = three(support::up());
  status_of(world, 1).db_size = status_of(world, 1).db_size_in_use = 3LL << 30;
  world.observed.compact_revision = model::Fact<std::int64_t>::known(status_of(world, 1).revision, world.observed.at);
  world.observed.alarms =
      model::Fact<std::vector<model::Alarm>>::known({{id(1), model::AlarmKind::NoSpace}}, world.observed.at);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

// The quota that counts is the one that runs: over that one an alarm is back with the next write.
TEST(Planner, D10_ARaisedQuotaReachesAFullClusterBeforeAnyAlarmIsDisarmed) {
  auto world = three(support::up());
  world.desired.etcd.quota = base::Size{4ULL << 30};
  for (std::size_t slot : {0u, 1u, 2u}) {
    status_of(world, slot).db_size = status_of(world, slot).db_size_in_use = 2LL << 30;
    world.observed.nodes[slot].manifest =
        model::Fact<model::Manifest>::known({"of before", true, false, 2LL << 30}, {});
  }
  world.wanted.store = true;
  world.observed.compact_revision = model::Fact<std::int64_t>::known(status_of(world, 1).revision, world.observed.at);
  world.observed.alarms =
      model::Fact<std::vector<model::Alarm>>::known({{id(0), model::AlarmKind::NoSpace}}, world.observed.at);
  const auto plan = support::plan_of(world);
  EXPECT_THAT(words_of(plan), ElementsAre("write-manifest b", "write-manifest c", "move-leader b", "write-manifest a",
                                          "disarm-alarm a"));
  for (const model::Step& step : plan.steps) {
    EXPECT_EQ(step.step_class, model::StepClass::Heal) << step.id << " waits for a backup that nobody can make";
  }
  world.observed.alarms = model::Fact<std::vector<model::Alarm>>::known({}, world.observed.at);
  EXPECT_NE(support::plan_of(world).steps.back().step_class, model::StepClass::Heal) << "it is a change like any other";
}

// Nobody can take the lock while etcd is full, so who has lost its data cannot be replaced before there is room.
TEST(Planner, Attack13_AFullClusterMakesRoomBeforeItReplacesWhoHasLostItsData) {
  auto world = three(support::with(Health::Emptied));
  for (std::size_t slot : {0u, 1u}) {
    status_of(world, slot).db_size = 2LL << 30;
    status_of(world, slot).db_size_in_use = 1LL << 30;
  }
  world.observed.compact_revision = model::Fact<std::int64_t>::known(status_of(world, 0).revision, world.observed.at);
  world.observed.alarms = model::Fact<std::vector<model::Alarm>>::known(
      {{id(1), model::AlarmKind::NoSpace}, {id(2), model::AlarmKind::NoSpace}}, world.observed.at);
  EXPECT_THAT(words_of(support::plan_of(world)),
              ElementsAre("defragment b", "defragment a", "disarm-alarm b", "disarm-alarm c", "remove c",
                          "add-member c", "write-manifest c", "promote c"));
  status_of(world, 1).db_size_in_use = status_of(world, 1).db_size;
  EXPECT_THAT(words_of(support::plan_of(world)), testing::Not(testing::Contains("disarm-alarm c")))
      << "it would be back at once";
}

// -------------------------------------------------------------------------------------------------------------- drift
TEST(Planner, DriftThatTheFileIgnoresIsMarkedWithItsReasonUntilThatRunsOut) {
  auto world = three(support::unconfigured());
  world.desired.drift.ignore = {{"members.c", "being repaired", world.observed.at + std::chrono::hours{1}}};
  const auto plan = support::plan_of(world);
  ASSERT_NE(support::notice_of(plan, "ConfigChanged"), nullptr);
  EXPECT_EQ(support::notice_of(plan, "ConfigChanged")->ignored, "being repaired");
  world.desired.drift.ignore[0].until = world.observed.at;
  EXPECT_EQ(support::notice_of(support::plan_of(world), "ConfigChanged")->ignored, "");
}

TEST(Planner, DriftOfAMemberWhoseNameOnlyBeginsTheSameIsNotIgnored) {
  auto world = three(support::unconfigured());
  world.desired.drift.ignore = {{"member", "too much", {}}};
  EXPECT_EQ(support::notice_of(support::plan_of(world), "ConfigChanged")->ignored, "");
}

TEST(Planner, ACertificateThatRunsOutIsADangerInTwoDegrees) {
  auto world = three(support::up());
  model::Certificate certificate;
  certificate.path = "/pki/server.crt";
  certificate.not_after = world.observed.at + std::chrono::hours{24 * 10};
  auto& facts = world.observed.nodes[1].certificates;
  facts = model::Fact<std::vector<model::Certificate>>::known({certificate}, world.observed.at);
  EXPECT_EQ(support::notice_of(support::plan_of(world), "CertificateExpiring")->level, Notice::Level::Warning);
  facts.get()->front().not_after = world.observed.at - std::chrono::hours{1};
  const auto plan = support::plan_of(world);
  EXPECT_EQ(support::notice_of(plan, "CertificateExpiring")->level, Notice::Level::Critical);
  EXPECT_THAT(support::notice_of(plan, "CertificateExpiring")->text, HasSubstr("expired"));
}

}  // namespace quorate
