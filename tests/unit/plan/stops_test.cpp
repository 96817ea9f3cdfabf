// Reasons to plan nothing at all, with and without a member list, and forming a cluster where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/judged.h"

namespace quorate {
namespace {

using model::ExitCode;
using model::IfNoCluster;
using model::PlanStatus;
using support::ClusterWorld;
using support::Health;
using support::Slot;
using support::take_disk;
using support::words_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ClusterWorld three(Slot third) {
  return support::WorldBuilder{{support::up(), support::up(), third}}.build();
}
base::MemberId id(std::size_t slot) {
  return support::WorldBuilder::id(slot);
}
void expect_stop(const ClusterWorld& world, const std::string& code, PlanStatus status, ExitCode exit) {
  const auto plan = support::plan_of(world);
  EXPECT_THAT(plan.steps, IsEmpty());
  EXPECT_EQ(plan.status, status);
  EXPECT_EQ(plan.stop, exit);
  ASSERT_FALSE(plan.notices.empty());
  EXPECT_EQ(plan.notices.front().code, code) << plan.notices.front().text;
  EXPECT_EQ(plan.notices.front().level, model::Notice::Level::Critical);
  EXPECT_FALSE(plan.notices.front().help.empty());
  EXPECT_EQ(support::judged(world).code, exit);
}

// Nobody answers; three nodes that hold nothing.
ClusterWorld no_cluster(IfNoCluster allowed) {
  ClusterWorld world = support::WorldBuilder{{support::absent(), support::absent(), support::absent()}}.build();
  world.observed.membership =
      model::Fact<model::Membership>::unknown("10.0.0.11: connection refused", world.observed.at);
  world.observed.alarms = {};
  world.observed.applied = model::Fact<model::Applied>::unknown("no agent keeps this cluster");
  for (auto& node : world.observed.nodes) node.data.get()->state = model::DataState::Fresh;
  world.desired.if_no_cluster = allowed;
  return world;
}
void put_data(ClusterWorld& world, std::size_t node, model::DataState state = model::DataState::Valid) {
  model::DataDir* data = world.observed.nodes[node].data.get();
  data->state = state;
  data->cluster = support::WorldBuilder::cluster();
  data->member = id(node);
}
void run(ClusterWorld& world, std::size_t node) {
  world.observed.nodes[node].process = model::Fact<model::Process>::known({true, 4711, ""}, world.observed.at);
}
void name_life(ClusterWorld& world, std::size_t node, const std::string& incarnation) {
  world.observed.nodes[node].incarnation = model::Fact<std::string>::known(incarnation, world.observed.at);
}
// The log that it began is gone.
void lose_log(ClusterWorld& world, std::size_t node) {
  model::DataDir* data = world.observed.nodes[node].data.get();
  data->state = model::DataState::Empty;
  data->held = id(node);
}
// What the first step asks for; the test ends where it is no promise.
std::string decision_in(const model::Plan& plan) {
  return plan.steps.empty() ? "" : std::get<model::Promise>(plan.steps.front().action).decision;
}
void promise(ClusterWorld& world, std::size_t node, const std::string& decision) {
  world.observed.nodes[node].promised = model::Fact<std::string>::known(decision, world.observed.at);
}
ClusterWorld all_have_promised() {
  ClusterWorld world = no_cluster(IfNoCluster::New);
  const std::string decision = decision_in(support::plan_of(world));
  for (std::size_t node : {0u, 1u, 2u}) promise(world, node, decision);
  return world;
}

}  // namespace

TEST(Stops, C12WithoutQuorumNothingIsPlannedAndEverybodyMayComeBack) {
  const auto world =
      support::WorldBuilder{{support::up(), support::with(Health::SilentSince), support::with(Health::Whole)}}.build();
  expect_stop(world, "NoQuorum", PlanStatus::NeedsObservation, ExitCode::Unknown);
  EXPECT_THAT(support::plan_of(world).notices.front().text, HasSubstr("3 voters, 1 up, needs 2"));
}

TEST(Stops, C14QuorumThatIsLostForGoodIsForPeople) {
  const auto world =
      support::WorldBuilder{{support::up(), support::with(Health::Emptied), support::with(Health::Emptied)}}.build();
  expect_stop(world, "NoQuorum", PlanStatus::NeedsHuman, ExitCode::Refused);
  EXPECT_THAT(support::plan_of(world).notices.front().help, HasSubstr("keep every data directory"));
}

TEST(Stops, AListThatNoQuorumStandsBehindIsNoGround) {
  auto world = three(support::unconfigured());
  world.observed.membership.get()->linearizable = false;
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
  EXPECT_EQ(support::plan_of(world).status, PlanStatus::NeedsObservation);
}

TEST(Stops, VotersThatDoNotAgreeWhoLeadsAreWaitedFor) {
  auto world = three(support::unconfigured());
  model::member_of(world.observed, id(1))->status.get()->leader = id(1);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

TEST(Stops, ACorruptAlarmStopsEverything) {
  auto world = three(support::unconfigured());
  world.observed.alarms =
      model::Fact<std::vector<model::Alarm>>::known({{id(2), model::AlarmKind::Corrupt}}, world.observed.at);
  expect_stop(world, "Corrupt", PlanStatus::NeedsHuman, ExitCode::Refused);
}

TEST(Stops, AMemberThatIsDeclaredLostAndAnswersIsAMistakeOfThePerson) {
  auto world = three(support::unconfigured());
  world.desired.members[1].lost = model::Member::Lost{id(1)};
  expect_stop(world, "LostButUp", PlanStatus::NeedsHuman, ExitCode::Refused);
  world.desired.members[1].lost.reset();
  world.desired.lost = {id(1)};
  expect_stop(world, "LostButUp", PlanStatus::NeedsHuman, ExitCode::Refused);
  world.desired.lost = {base::MemberId{0x77}};  // of an earlier life
  EXPECT_EQ(support::plan_of(world).stop, ExitCode::Ok);
}

TEST(Stops, C03TwoMembersThatCouldBeTheSameAreNobodysGuess) {
  auto world = three(support::unconfigured());
  model::ObservedMember twin = world.observed.membership->members[2];
  twin.listed.id = {0x2000};
  twin.listed.peer_urls = {"https://10.0.0.99:2380"};
  world.observed.membership.get()->members.push_back(twin);
  expect_stop(world, "AmbiguousMember", PlanStatus::NeedsHuman, ExitCode::Refused);
}

TEST(Stops, AMemberOfAnotherNameAtTheSameAddressIsAskedAbout) {
  auto world = three(support::unconfigured());
  model::member_of(world.observed, id(2))->listed.name = "old-c";
  expect_stop(world, "NameForLife", PlanStatus::NeedsHuman, ExitCode::Refused);
}

// --------------------------------------------------------------------------------------------- nobody who would act
TEST(Bootstrap, AFileThatDropsAllVotersThatLiveLeavesNobodyWhoActs) {
  const Slot dropped = support::in_file(support::InFile::Dropped);
  const Slot retired = support::in_file(support::InFile::Retire);
  auto world = support::WorldBuilder{{dropped, dropped, support::with(Health::SilentLong), support::absent()}}.build();
  auto plan = support::plan_of(world);
  const auto* notice = support::notice_of(plan, "NobodyActs");
  ASSERT_NE(notice, nullptr);
  EXPECT_EQ(notice->level, model::Notice::Level::Critical);
  EXPECT_THAT(notice->text, HasSubstr("drops a, b:"));
  EXPECT_THAT(notice->help, HasSubstr("keep one of them"));
  plan = support::plan_of(support::WorldBuilder{{dropped, dropped, support::up(), support::absent()}}.build());
  EXPECT_EQ(support::notice_of(plan, "NobodyActs"), nullptr) << "c carries it out";
  plan = support::plan_of(support::WorldBuilder{{retired, retired, retired, support::absent()}}.build());
  EXPECT_EQ(support::notice_of(plan, "NobodyActs"), nullptr) << "who retires acts until it has left";
}

TEST(Stops, AFileOfOtherMembersAloneIsRefusedWhereTheOldOnesAreRemembered) {
  auto world = no_cluster(IfNoCluster::New);
  world.observed.applied = model::Fact<model::Applied>::known({"d0", {"x", "y", "z"}}, world.observed.at);
  expect_stop(world, "NobodyActs", PlanStatus::NeedsHuman, ExitCode::Refused);
  EXPECT_THAT(support::plan_of(world).notices.front().text, HasSubstr("x, y, z"));
}

// ---------------------------------------------------------------------------------------------------- no cluster yet
TEST(Bootstrap, AllPromiseBeforeAnyStarts) {
  const auto plan = support::plan_of(no_cluster(IfNoCluster::New));
  EXPECT_THAT(words_of(plan), ElementsAre("promise a", "promise b", "promise c", "write-manifest a", "write-manifest b",
                                          "write-manifest c"));
  const auto* write = std::get_if<model::WriteManifest>(&plan.steps[3].action);
  ASSERT_NE(write, nullptr);
  EXPECT_EQ(write->boot, model::BootMode::New);
  EXPECT_EQ(words_of(support::plan_of(no_cluster(IfNoCluster::RestoreOrNew))), words_of(plan));
}

TEST(Bootstrap, WaitAndRestoreWaitForAPerson) {
  for (const auto allowed : {IfNoCluster::Wait, IfNoCluster::Restore}) {
    expect_stop(no_cluster(allowed), "ClusterMissing", PlanStatus::NeedsHuman, ExitCode::NeedsApproval);
  }
  EXPECT_THAT(support::plan_of(no_cluster(IfNoCluster::Wait)).notices.front().help, HasSubstr("ifNoCluster: new"));
  EXPECT_THAT(support::plan_of(no_cluster(IfNoCluster::Restore)).notices.front().help, HasSubstr("no store is named"));
}

TEST(Bootstrap, A08WhereAStoreIsNamedNothingNewIsFormedBeforeItHasAnswered) {
  auto world = no_cluster(IfNoCluster::RestoreOrNew);
  world.desired.backup = model::BackupPolicy{};
  for (const auto allowed : {IfNoCluster::RestoreOrNew, IfNoCluster::New}) {
    world.desired.if_no_cluster = allowed;
    world.observed.restorable = {};
    expect_stop(world, allowed == IfNoCluster::New ? "ClusterMissing" : "NoQuorum", PlanStatus::NeedsObservation,
                ExitCode::Unknown);
    world.observed.restorable = model::Fact<std::vector<model::Restorable>>::known({}, world.observed.at);
    EXPECT_EQ(decision_in(support::plan_of(world)).empty(), false);
  }
}

TEST(Bootstrap, ASilentNodeMayBeAliveBehindAPartition) {
  auto world = no_cluster(IfNoCluster::New);
  world.observed.nodes[1].data = model::Fact<model::DataDir>::unknown("it lives on b");
  expect_stop(world, "NotObserved", PlanStatus::NeedsObservation, ExitCode::Unknown);
  EXPECT_THAT(support::plan_of(world).notices.front().text, HasSubstr("the nodes of b"));
  world.observed.nodes.erase(world.observed.nodes.begin() + 1);
  expect_stop(world, "NotObserved", PlanStatus::NeedsObservation, ExitCode::Unknown);
}

TEST(Bootstrap, AClusterThatAnswersALittleIsNotMissing) {
  auto world = no_cluster(IfNoCluster::New);
  model::EndpointAnswer answer;
  answer.cluster = model::Fact<base::ClusterId>::known(support::WorldBuilder::cluster(), world.observed.at);
  world.observed.endpoints = {answer};
  expect_stop(world, "NotObserved", PlanStatus::NeedsObservation, ExitCode::Unknown);
}

TEST(Bootstrap, C13DataOnEveryNodeOnlyHaveToBeStarted) {
  auto world = no_cluster(IfNoCluster::New);
  for (std::size_t node : {0u, 1u, 2u}) put_data(world, node);
  expect_stop(world, "NoQuorum", PlanStatus::NeedsObservation, ExitCode::Unknown);
  EXPECT_THAT(support::plan_of(world).notices.front().help, HasSubstr("start those members"));
}

TEST(Bootstrap, DataOnOneNodeAreAClusterThatExists) {
  auto world = no_cluster(IfNoCluster::New);
  put_data(world, 2);
  expect_stop(world, "NoQuorum", PlanStatus::NeedsObservation, ExitCode::Unknown);
}

TEST(Bootstrap, DataThatCannotBeUsedAreKeptForPeople) {
  auto world = no_cluster(IfNoCluster::New);
  put_data(world, 2, model::DataState::Damaged);
  expect_stop(world, "DataUnusable", PlanStatus::NeedsHuman, ExitCode::Refused);
}

TEST(Bootstrap, C14AClusterThatHasBeenIsNotFormedAnewWithoutAWord) {
  auto world = no_cluster(IfNoCluster::New);
  world.observed.applied = model::Fact<model::Applied>::known({"d0", {"a", "b", "c"}}, world.observed.at);
  expect_stop(world, "DataLost", PlanStatus::NeedsHuman, ExitCode::Refused);
}

TEST(Bootstrap, AFileThatNamesALostVoterSaysThatThereWasACluster) {
  auto world = no_cluster(IfNoCluster::New);
  world.desired.members[0].lost = model::Member::Lost{};
  EXPECT_FALSE(support::plan_of(world).steps.empty()) << "it never had an ID";
  world.desired.members[0].lost = model::Member::Lost{id(0)};
  expect_stop(world, "DataLost", PlanStatus::NeedsHuman, ExitCode::Refused);
  world.desired.members[0].lost.reset();
  world.desired.lost = {id(7)};
  expect_stop(world, "DataLost", PlanStatus::NeedsHuman, ExitCode::Refused);
}

TEST(Bootstrap, AFormationThatWasInterruptedIsCompleted) {
  auto world = no_cluster(IfNoCluster::New);
  const auto plan = support::plan_of(world);
  const std::string decision = std::get<model::Promise>(plan.steps[0].action).decision;
  for (std::size_t node : {0u, 1u, 2u}) promise(world, node, decision);
  put_data(world, 0);
  world.observed.nodes[0].manifest = model::Fact<model::Manifest>::known({"wanted-a"}, world.observed.at);
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("write-manifest b", "write-manifest c"));
}

TEST(Bootstrap, Attack7_AFormationIsCompletedWithoutAFounderThatHasLostItsLog) {
  auto world = all_have_promised();
  lose_log(world, 0);
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("write-manifest b", "write-manifest c"));
  put_data(world, 1);
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("write-manifest c"));
}

TEST(Bootstrap, AFormationThatTooFewAreLeftToCompleteIsForPeople) {
  auto world = all_have_promised();
  lose_log(world, 0);
  lose_log(world, 1);
  expect_stop(world, "FormationFailed", PlanStatus::NeedsHuman, ExitCode::Refused);
  EXPECT_THAT(support::plan_of(world).notices.front().text, HasSubstr("a, b began a log, and it is gone"));
  EXPECT_THAT(support::plan_of(world).notices.front().help, HasSubstr("raise generation"));
  put_data(world, 2);
  expect_stop(world, "FormationFailed", PlanStatus::NeedsHuman, ExitCode::Refused);
  EXPECT_THAT(support::plan_of(world).notices.front().help, HasSubstr("what c holds"));
}

TEST(Bootstrap, AFounderThatWasStartedIsNotAskedForAnotherPromise) {
  auto world = no_cluster(IfNoCluster::New);
  for (std::size_t node : {0u, 1u, 2u}) promise(world, node, "of another file");
  EXPECT_THAT(words_of(support::plan_of(world)), testing::Contains("promise a")) << "nobody has begun";
  world.observed.nodes[1].data.get()->state = model::DataState::Empty;
  expect_stop(world, "FormationFailed", PlanStatus::NeedsHuman, ExitCode::Refused);
  EXPECT_THAT(support::plan_of(world).notices.front().text, HasSubstr("b cannot promise another decision"));
}

TEST(Bootstrap, AFormationOfTwoDecisionsIsNotCompleted) {
  auto world = no_cluster(IfNoCluster::New);
  for (std::size_t node : {0u, 1u, 2u}) promise(world, node, node == 1 ? "other" : "this");
  put_data(world, 0);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty());
}

TEST(Bootstrap, TheDecisionIsAnotherOneOnAnotherLifeOfADisk) {
  auto world = no_cluster(IfNoCluster::New);
  for (std::size_t node : {0u, 1u, 2u}) name_life(world, node, "life" + std::to_string(node));
  const std::string decision = decision_in(support::plan_of(world));
  for (std::size_t node : {0u, 1u, 2u}) promise(world, node, decision);
  EXPECT_THAT(words_of(support::plan_of(world)),
              ElementsAre("write-manifest a", "write-manifest b", "write-manifest c"));
  name_life(world, 1, "emptied meanwhile");
  const auto plan = support::plan_of(world);
  EXPECT_NE(decision_in(plan), decision);
  EXPECT_THAT(words_of(plan), testing::IsSupersetOf({"promise a", "promise b", "promise c"}));
}

TEST(Bootstrap, TheDecisionIsAnotherOneForOtherFoundersTokensAndGenerations) {
  const auto world = no_cluster(IfNoCluster::New);
  const std::string decision = decision_in(support::plan_of(world));
  auto other = world;
  other.desired.etcd.token = "again";
  EXPECT_NE(decision_in(support::plan_of(other)), decision);
  other = world;
  other.desired.generation = 2;
  EXPECT_NE(decision_in(support::plan_of(other)), decision);
  other = world;
  other.desired.members[2].peer_urls.front().port = 12380;
  EXPECT_NE(decision_in(support::plan_of(other)), decision);
  other = world;
  other.desired.members[2].lost = model::Member::Lost{};
  EXPECT_NE(decision_in(support::plan_of(other)), decision);
  other = world;
  other.desired.reconcile.dead_after = std::chrono::hours{1};
  EXPECT_EQ(decision_in(support::plan_of(other)), decision) << "has nothing to do with who founds what";
}

TEST(Bootstrap, AnAgentThatHasNotNamedTheLifeOfItsDiskIsWaitedFor) {
  auto world = no_cluster(IfNoCluster::New);
  name_life(world, 1, "");
  expect_stop(world, "NotObserved", PlanStatus::NeedsObservation, ExitCode::Unknown);
  EXPECT_THAT(support::plan_of(world).notices.front().text, HasSubstr("the agents of b have only begun"));
}

TEST(Bootstrap, AClusterThatIsFormingIsNotSettled) {
  auto world = all_have_promised();
  for (std::size_t node : {0u, 1u, 2u}) run(world, node);
  const auto plan = support::plan_of(world);
  EXPECT_THAT(plan.steps, IsEmpty());
  EXPECT_EQ(plan.status, PlanStatus::NeedsObservation);
  EXPECT_EQ(support::judged(world).code, ExitCode::Different);
}

TEST(Bootstrap, AFounderThatRunsIsNotStartedAgain) {
  auto world = all_have_promised();
  run(world, 0);
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("write-manifest b", "write-manifest c"));
}

// Its agent has remembered the start, and its etcd has no log yet: the others do not wait for that.
TEST(Bootstrap, AFounderThatIsBeingStartedHoldsNobodyUp) {
  auto world = all_have_promised();
  run(world, 0);
  world.observed.nodes[0].data.get()->state = model::DataState::Empty;
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("write-manifest b", "write-manifest c"));
}

// Its agent was killed between the word that it starts and the start.
TEST(Bootstrap, A06_AFounderThatPerhapsNeverRanBeginsAgainWhileNobodyHasLed) {
  auto world = all_have_promised();
  put_data(world, 0);
  world.observed.nodes[0].manifest = model::Fact<model::Manifest>::known({"wanted-a"}, world.observed.at);
  world.observed.nodes[1].data.get()->state = model::DataState::Empty;
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("write-manifest b", "write-manifest c"));
  world.observed.nodes[0].data.get()->last_term = 2;
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "the two may have acknowledged something";
  world.observed.nodes[0].data.get()->last_term = 1;
  world.observed.nodes[2].data.get()->state = model::DataState::Empty;
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "the other two may have";
}

// It is one of them in any case, and the sooner the better.
TEST(Bootstrap, TheLastFounderDoesNotWaitForTheElectionOfTheOthers) {
  auto world = all_have_promised();
  for (std::size_t node : {0u, 1u}) {
    put_data(world, node);
    run(world, node);
    const std::string wanted = std::string("wanted-") + (node == 0 ? "a" : "b");
    world.observed.nodes[node].manifest = model::Fact<model::Manifest>::known({wanted}, world.observed.at);
  }
  EXPECT_THAT(words_of(support::plan_of(world)), ElementsAre("write-manifest c"));
}

// Two may have acknowledged something, and one of them may have lost it since: with the last one it would be a quorum.
TEST(Bootstrap, TheLastFounderWaitsForTheOthersOnceSomebodyHasLed) {
  auto world = all_have_promised();
  put_data(world, 0);
  world.observed.nodes[0].data.get()->last_term = 2;
  run(world, 1);
  world.observed.nodes[1].data.get()->state = model::DataState::Empty;
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "the second has no log, and may have had one";
  put_data(world, 1);
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "its log is new";
}

TEST(Bootstrap, NothingIsFormedBesideAnEtcdThatRunsAndDoesNotAnswer) {
  auto world = no_cluster(IfNoCluster::New);
  run(world, 1);
  expect_stop(world, "NotObserved", PlanStatus::NeedsObservation, ExitCode::Unknown);
  EXPECT_THAT(support::plan_of(world).notices.front().text, HasSubstr("etcd runs on the nodes of b"));
}

TEST(Bootstrap, AClusterThatWasFormedIsNotFormedAgain) {
  auto world = no_cluster(IfNoCluster::New);
  world.observed.formed = model::Fact<model::Formed>::known({{0xc}, "d1", 1, {"a", "b", "c"}}, world.observed.at);
  expect_stop(world, "DataLost", PlanStatus::NeedsHuman, ExitCode::Refused);
}

TEST(Bootstrap, C14TooFewVotersWithDataAreAQuorumThatIsLostForGood) {
  auto world = no_cluster(IfNoCluster::New);
  world.observed.applied = model::Fact<model::Applied>::known({"d0", {"a", "b", "c"}}, world.observed.at);
  put_data(world, 2);
  expect_stop(world, "NoQuorum", PlanStatus::NeedsHuman, ExitCode::Refused);
  EXPECT_THAT(support::plan_of(world).notices.front().text, HasSubstr("lost for good: of 3 voters a, b"));
  put_data(world, 1);
  expect_stop(world, "NoQuorum", PlanStatus::NeedsObservation, ExitCode::Unknown);
}

TEST(Bootstrap, Attack9_DisksThatAreNotMountedAreNeitherLostNorNew) {
  auto world = no_cluster(IfNoCluster::New);
  world.observed.applied = model::Fact<model::Applied>::known({"d0", {"a", "b", "c"}}, world.observed.at);
  put_data(world, 0);
  for (std::size_t slot : {1U, 2U}) {
    world.observed.nodes[slot].data.get()->state = model::DataState::Fresh;
    take_disk(world.observed.nodes[slot]);
  }
  expect_stop(world, "DataUnusable", PlanStatus::NeedsHuman, ExitCode::Refused);
  EXPECT_THAT(support::plan_of(world).notices.front().text, HasSubstr("is its disk mounted?"));
  world.observed.endpoints = {
      {"https://10.0.0.11:2379", model::Fact<base::ClusterId>::known({0xcdf8}, world.observed.at), {}}};
  expect_stop(world, "DataUnusable", PlanStatus::NeedsHuman, ExitCode::Refused);
}

namespace {

// The third has never run, and keeps to the decision of the file.
ClusterWorld with_a_late_founder() {
  ClusterWorld world = three(support::with(Health::Fresh));
  world.observed.applied = model::Fact<model::Applied>::unknown("no agent remembers one");
  model::ObservedMember* late = model::member_of(world.observed, id(2));
  late->listed.client_urls.clear();
  late->silent_since = model::Fact<base::Time>::unknown("nobody watched");
  world.desired.if_no_cluster = IfNoCluster::New;
  const auto forming = no_cluster(IfNoCluster::New);
  promise(world, 2, decision_in(support::plan_of(forming)));
  return world;
}

}  // namespace

TEST(Bootstrap, TheLastFounderStartsInTheClusterThatTheOthersHaveFormed) {
  ClusterWorld world = with_a_late_founder();
  const auto plan = support::plan_of(world);
  ASSERT_THAT(words_of(plan), ElementsAre("write-manifest c"));
  EXPECT_EQ(std::get<model::WriteManifest>(plan.steps[0].action).boot, model::BootMode::New);
  run(world, 2);
  EXPECT_THAT(words_of(support::plan_of(world)), testing::Not(testing::Contains("write-manifest c")));
}

TEST(Bootstrap, ButNotUnderAnotherDecisionThanTheirs) {
  ClusterWorld world = with_a_late_founder();
  promise(world, 0, "of an agent whose other agent spoke for c");
  EXPECT_THAT(words_of(support::plan_of(world)), testing::Not(testing::Contains("write-manifest c")));
}

TEST(Bootstrap, I01AClusterOfOthersIsNeverFormedFromHere) {
  auto world = no_cluster(IfNoCluster::New);
  world.desired.adopt = model::Adopt{support::WorldBuilder::cluster(), {}, model::AdoptStage::Join};
  expect_stop(world, "ClusterMissing", PlanStatus::NeedsObservation, ExitCode::Unknown);
  world.desired.adopt.reset();
  world.desired.members[0].managed = false;
  expect_stop(world, "ClusterMissing", PlanStatus::NeedsObservation, ExitCode::Unknown);
}

TEST(Bootstrap, AFileThatStillAllowsANewClusterIsADangerOnceItIsThere) {
  auto world = three(support::up());
  world.desired.if_no_cluster = IfNoCluster::New;
  EXPECT_NE(support::notice_of(support::plan_of(world), "BootstrapStillAllowed"), nullptr);
}

}  // namespace quorate
