// A cluster from a backup: which one, on whose node, under whose word, and what stands against it.
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
using support::judged;
using support::lost_two;
using support::node;
using support::words_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

model::Restorable backup(const ClusterWorld& world, int hour, std::uint64_t index, std::int64_t revision) {
  model::Restorable backup;
  backup.at = world.observed.at - std::chrono::hours{24 - hour};
  backup.name = "2026-09-24T" + std::string(hour < 10 ? "0" : "") + std::to_string(hour) + ":00:00Z-r" +
                std::to_string(revision) + "-a";
  backup.cluster = support::WorldBuilder::cluster();
  backup.term = 4;
  backup.index = index;
  backup.revision = revision;
  backup.sha256 = "00" + std::to_string(hour);
  return backup;
}
void store(ClusterWorld& world, std::vector<model::Restorable> backups) {
  world.desired.backup.emplace();
  world.desired.backup->to = "s3://bucket/base";
  world.observed.restorable = model::Fact<std::vector<model::Restorable>>::known(std::move(backups), world.observed.at);
}
void unreachable_store(ClusterWorld& world) {
  store(world, {});
  world.observed.restorable =
      model::Fact<std::vector<model::Restorable>>::unknown("bucket: connection refused", world.observed.at);
}
ClusterWorld lost_all() {
  ClusterWorld world = lost_two();
  hold(world, 0, DataState::Empty);
  store(world, {backup(world, 8, 700, 300), backup(world, 9, 800, 400)});
  return world;
}
// Nodes that nobody remembers anything of.
ClusterWorld new_nodes(model::IfNoCluster wanted) {
  ClusterWorld world = lost_all();
  world.desired.if_no_cluster = wanted;
  world.observed.formed = {};
  world.observed.applied = {};
  for (std::size_t slot = 0; slot < 3; ++slot) {
    node(world, slot).standing = model::Standing{};
    hold(world, slot, DataState::Fresh);
  }
  return world;
}
ClusterWorld running() {
  ClusterWorld world = lost_all();
  const auto well = support::WorldBuilder{{support::up(), support::up(), support::up()}}.build();
  world.observed.membership = well.observed.membership;
  world.observed.alarms = well.observed.alarms;
  for (std::size_t slot = 0; slot < 3; ++slot) {
    hold(world, slot, DataState::Valid);
    node(world, slot).process = model::Fact<model::Process>::known({true, 7, ""}, world.observed.at);
  }
  return world;
}
void order_restore(ClusterWorld& world, std::int64_t generation, const std::string& name) {
  world.desired.generation = generation;
  world.desired.recovery.restore = name;
}

}  // namespace

TEST(Restore, F05AllDisksAreGoneAndTheNewestBackupIsFetchedBeforeAnybodyPromises) {
  auto world = lost_all();
  order_restore(world, 2, "latest");
  const auto gated = judged(world);
  EXPECT_THAT(words_of(gated.plan),
              ElementsAre("fetch a", "promise a", "promise b", "promise c", "restore a", "write-manifest a",
                          "add-member b", "write-manifest b", "promote b", "write-manifest b", "write-manifest a",
                          "add-member c", "write-manifest c", "promote c"));
  EXPECT_EQ(gated.code, ExitCode::Different) << "the file has ordered it";
  const model::Decision decision = decision_of(gated.plan);
  EXPECT_EQ(decision.kind, model::DecisionKind::Restore);
  ASSERT_TRUE(decision.backup);
  EXPECT_EQ(decision.backup->name, "2026-09-24T09:00:00Z-r400-a");
  EXPECT_EQ(decision.source, "2026-09-24T09:00:00Z-r400-a@4.800");
  EXPECT_FALSE(decision.deliberate);
  EXPECT_EQ(decision.above, 500);
}

TEST(Restore, C14UnaskedItIsShownWithTheLossAndWaits) {
  auto world = lost_all();
  const auto gated = judged(world);
  EXPECT_EQ(gated.plan.status, PlanStatus::NeedsHuman);
  EXPECT_EQ(gated.code, ExitCode::NeedsApproval);
  EXPECT_THAT(words_of(gated.plan), Contains("restore a"));
  std::string texts;
  for (const model::Notice& each : gated.plan.notices) texts += each.text + "\n";
  EXPECT_THAT(
      texts,
      HasSubstr(
          "backup 2026-09-24T09:00:00Z-r400-a holds revision 400 of 2026-09-23T18:12:41Z, 15h00m ago, never verified"));
  EXPECT_THAT(texts, HasSubstr("revision 500 has been seen: at least 100 revisions would be lost; chosen"));
  EXPECT_THAT(texts, HasSubstr("200 revisions would be lost")) << "of the other one";
  EXPECT_THAT(first_notice(world), HasSubstr("recovery: {restore: 2026-09-24T09:00:00Z-r400-a}"));
  world.desired.if_no_cluster = model::IfNoCluster::Restore;
  EXPECT_EQ(judged(world).code, ExitCode::Different) << "bootstrap allows it where no directory holds data";
  world.desired.restore_max_age = std::chrono::hours{1};
  EXPECT_EQ(judged(world).code, ExitCode::NeedsApproval) << "the newest is too old to be taken unasked";
}

std::string told_in(const ClusterWorld& world) {
  std::string all;
  for (const model::Notice& each : judged(world).plan.notices) all += each.text + "\n";
  return all;
}

TEST(Restore, UsersThatComeBackWithTheDataAreToldOfBeforeAnythingIsTaken) {
  auto world = lost_all();
  EXPECT_THAT(told_in(world), Not(HasSubstr("authentication")));
  world.observed.restorable.get()->back().auth = true;
  EXPECT_THAT(told_in(world), HasSubstr("authentication is on in backup 2026-09-24T09:00:00Z-r400-a: clients need"));
}

TEST(Restore, ADatabaseThatDoesNotFitIntoTheQuotaIsToldOfBeforeAnythingIsTaken) {
  auto world = lost_all();
  const auto texts = [&] { return told_in(world); };
  auto& newest = world.observed.restorable.get()->back();
  newest.size = (std::uint64_t{2048} << 20) - 1;
  EXPECT_THAT(texts(), Not(HasSubstr("etcd.quota")));
  newest.size = std::uint64_t{2408} << 20;
  EXPECT_THAT(texts(), HasSubstr("is a database of 2408Mi, and etcd.quota is 2Gi: what is restored takes no writes"));
  world.desired.etcd.quota = base::Size{std::uint64_t{4} << 30};
  EXPECT_THAT(texts(), Not(HasSubstr("etcd.quota")));
}

TEST(Restore, A08AStoreThatDoesNotAnswerIsNoEmptyStore) {
  auto world = lost_all();
  unreachable_store(world);
  auto gated = judged(world);
  EXPECT_THAT(gated.plan.steps, IsEmpty());
  EXPECT_EQ(gated.code, ExitCode::NoStore);
  EXPECT_THAT(first_notice(world), HasSubstr("connection refused"));
  for (const auto wanted : {model::IfNoCluster::New, model::IfNoCluster::Restore, model::IfNoCluster::RestoreOrNew}) {
    world = new_nodes(wanted);
    unreachable_store(world);
    gated = judged(world);
    EXPECT_THAT(gated.plan.steps, IsEmpty());
    EXPECT_EQ(gated.code, ExitCode::NoStore);
  }
}

TEST(Restore, F06ADamagedNewestBackupIsNotReplacedByAnOlderOneUnasked) {
  auto world = lost_all();
  world.observed.restorable.get()->back().damage = "its SHA-256 is another one";
  world.desired.recovery.quorum_loss = model::QuorumLoss::Auto;
  const auto gated = judged(world);
  EXPECT_THAT(gated.plan.steps, IsEmpty());
  EXPECT_EQ(gated.code, ExitCode::BadBackup);
  EXPECT_THAT(first_notice(world), HasSubstr("its SHA-256 is another one"));
  EXPECT_THAT(first_notice(world), HasSubstr("recovery: {restore: 2026-09-24T08:00:00Z-r300-a}"));
  order_restore(world, 2, "2026-09-24T08");
  EXPECT_EQ(decision_of(judged(world).plan).backup->name, "2026-09-24T08:00:00Z-r300-a");
}

TEST(Restore, F07ANameThatIsNotThereIsRefusedBeforeAnythingStops) {
  auto world = running();
  order_restore(world, 2, "2020-01-01");
  const auto gated = judged(world);
  EXPECT_THAT(gated.plan.steps, IsEmpty());
  EXPECT_EQ(gated.code, ExitCode::NoBackup);
}

TEST(Restore, DataThatSurviveGoBeforeABackupThatReachesLessFar) {
  auto world = lost_two();
  store(world, {backup(world, 9, 800, 9000)});
  EXPECT_EQ(decision_of(judged(world).plan).kind, model::DecisionKind::Recover) << "by the log, never by revision";
  store(world, {backup(world, 9, 1001, 400)});
  const model::Decision decision = decision_of(judged(world).plan);
  EXPECT_EQ(decision.kind, model::DecisionKind::Restore) << "the survivor had not heard of all that was acknowledged";
  EXPECT_EQ(decision.founders.size(), 3U);
}

TEST(Restore, WhereNobodyCanTellWhichReachesFurtherPeopleAreAsked) {
  auto world = lost_two();
  auto other = backup(world, 9, 0, 9000);
  other.term = 0;
  store(world, {other});
  const auto gated = judged(world);
  EXPECT_THAT(gated.plan.steps, IsEmpty());
  EXPECT_EQ(gated.code, ExitCode::Refused);
  EXPECT_THAT(first_notice(world), HasSubstr("recovery: {survivor: a}"));
}

TEST(Restore, BackupsOfAnotherClusterAreNeverTakenUnasked) {
  auto world = lost_all();
  for (auto& each : *world.observed.restorable.get()) each.cluster = {77};
  EXPECT_EQ(judged(world).code, ExitCode::NoBackup);
  order_restore(world, 2, "2026-09-24T09");
  const model::Decision decision = decision_of(judged(world).plan);
  EXPECT_THAT(decision.after, ElementsAre(support::WorldBuilder::cluster()));
}

TEST(Restore, F15_ARawSnapshotOfAnotherToolIsTakenWhereItIsNamedOnly) {
  auto world = lost_all();
  model::Restorable raw;
  raw.name = "snapshot-20260924.db";
  raw.raw = true;
  raw.at = world.observed.at;
  world.observed.restorable.get()->push_back(raw);
  order_restore(world, 2, "latest");
  EXPECT_THAT(decision_of(judged(world).plan).backup->name, HasSubstr("T09:00"));
  order_restore(world, 2, "snapshot-2026");
  EXPECT_EQ(decision_of(judged(world).plan).backup->name, raw.name);
  auto fresh = new_nodes(model::IfNoCluster::Restore);
  fresh.observed.restorable = model::Fact<std::vector<model::Restorable>>::known({raw}, fresh.observed.at);
  EXPECT_EQ(judged(fresh).code, ExitCode::NoBackup);
}

TEST(Restore, Attack20_FromAnotherStoreTheLatestOfWhateverClusterIsTaken) {
  auto world = lost_all();
  for (auto& each : *world.observed.restorable.get()) each.cluster = {77};
  world.desired.recovery.from = "s3://production/base";
  order_restore(world, 2, "latest");
  const model::Decision decision = decision_of(judged(world).plan);
  ASSERT_TRUE(decision.backup);
  EXPECT_THAT(decision.backup->name, HasSubstr("T09:00"));
  EXPECT_THAT(decision.after, ElementsAre(support::WorldBuilder::cluster())) << "the place that it takes is our own";
}

TEST(Restore, ARunningClusterIsBackedUpFirstAndThenGivesWayAsAWhole) {
  auto world = running();
  order_restore(world, 2, "2026-09-24T08");
  world.wanted.store = true;
  world.observed.last_backup = {};
  auto gated = judged(world);
  EXPECT_THAT(words_of(gated.plan),
              ElementsAre("fetch a", "backup prod", "promise a", "promise b", "promise c", "restore a",
                          "write-manifest a", "add-member b", "write-manifest b", "promote b", "write-manifest b",
                          "write-manifest a", "add-member c", "write-manifest c", "promote c"));
  const model::Decision decision = decision_of(gated.plan);
  EXPECT_TRUE(decision.deliberate);
  node(world, 1).standing->revision = 501;
  EXPECT_EQ(decision_of(judged(world).plan).id, decision.id) << "it goes on growing meanwhile";
  support::promise(world, 1, decision);
  gated = judged(world);
  EXPECT_THAT(words_of(gated.plan), Not(Contains("abandon b")));
  EXPECT_EQ(decision_of(gated.plan).id, decision.id);
}

TEST(Restore, TheSameOrderIsCarriedOutOnce) {
  auto world = running();
  order_restore(world, 1, "2026-09-24T08");
  EXPECT_THAT(judged(world).plan.steps, IsEmpty()) << "no generation is raised";
}

TEST(Restore, LatestOfARunningClusterMeansNothing) {
  auto world = running();
  order_restore(world, 2, "latest");
  EXPECT_EQ(judged(world).code, ExitCode::Refused);
}

TEST(Restore, F09ANodeThatIsSilentBlocksItAndTheClusterGoesOn) {
  auto world = running();
  order_restore(world, 2, "2026-09-24T08");
  support::silence(world, 2);
  const auto gated = judged(world);
  EXPECT_THAT(gated.plan.steps, IsEmpty());
  EXPECT_EQ(gated.code, ExitCode::Unknown);
}

TEST(Restore, F09ANodeWithoutItsDiskBlocksItAlsoWhereItHasNoVote) {
  ClusterWorld world = running();
  for (std::size_t slot = 0; slot < 3; ++slot) node(world, slot).standing->voters->voters.pop_back();
  world.observed.membership.get()->members.pop_back();
  order_restore(world, 2, backup(world, 8, 700, 300).name);
  ASSERT_THAT(words_of(support::plan_of(world)), Contains("fetch a"));
  node(world, 2).data.get()->disk_away = true;
  node(world, 2).data.get()->problem = "is its disk mounted?";
  node(world, 2).process = model::Fact<model::Process>::known({}, world.observed.at);
  EXPECT_THAT(words_of(support::plan_of(world)), Not(Contains("fetch a")));
  EXPECT_THAT(first_notice(world), HasSubstr("it waits for c: is its disk mounted?"));
  EXPECT_THAT(first_notice(world), HasSubstr("members.c.lost: never"));
}

TEST(Restore, F09AFileWithFewerMembersRestoresNothingAndSaysWhy) {
  auto world = running();
  order_restore(world, 2, "2026-09-24T08");
  world.desired.members.pop_back();
  const auto gated = judged(world);
  for (const char* step : {"fetch a", "promise a", "restore a"}) EXPECT_THAT(words_of(gated.plan), Not(Contains(step)));
  const model::Notice* notice = support::notice_of(gated.plan, "RestoreOrdered");
  ASSERT_NE(notice, nullptr);
  EXPECT_THAT(notice->text, HasSubstr("nothing is restored beside c"));
}

TEST(Restore, NewNodesAreRestoredOrFormedAsTheStoreSays) {
  auto world = new_nodes(model::IfNoCluster::RestoreOrNew);
  EXPECT_THAT(words_of(judged(world).plan), Contains("restore a"));
  EXPECT_EQ(judged(world).code, ExitCode::Different);
  store(world, {});
  EXPECT_THAT(words_of(judged(world).plan), Not(Contains("restore a")));
  EXPECT_EQ(judged(world).plan.status, PlanStatus::Actionable);
  world.desired.if_no_cluster = model::IfNoCluster::Restore;
  EXPECT_EQ(judged(world).code, ExitCode::NoBackup);
}

TEST(Restore, E16ANewClusterDoesNotTakeThePlaceOfWhatIsInTheStore) {
  auto world = new_nodes(model::IfNoCluster::New);
  EXPECT_THAT(judged(world).plan.steps, IsEmpty());
  EXPECT_EQ(judged(world).code, ExitCode::Refused);
  store(world, {});
  EXPECT_EQ(judged(world).plan.status, PlanStatus::Actionable);
}

TEST(Restore, ANodeThatCannotFetchItIsNoSeed) {
  auto world = lost_all();
  order_restore(world, 2, "latest");
  const std::string source = decision_of(judged(world).plan).source;
  node(world, 0).standing->unfit.push_back({source, "disk full"});
  EXPECT_EQ(decision_of(judged(world).plan).seed, "b");
  node(world, 1).standing->unfit.push_back({source, "disk full"});
  node(world, 2).standing->unfit.push_back({source, "disk full"});
  EXPECT_EQ(judged(world).code, ExitCode::BadBackup);
  EXPECT_THAT(first_notice(world), HasSubstr("disk full"));
}

TEST(Restore, ANodeThatPeopleCallLostIsTheLastToBeTheSeed) {
  auto world = lost_all();
  order_restore(world, 2, "latest");
  world.desired.members[0].lost = model::Member::Lost{support::id(0)};
  EXPECT_EQ(decision_of(support::plan_of(world)).seed, "b");
  for (std::size_t slot : {1U, 2U}) world.desired.members[slot].lost = model::Member::Lost{support::id(slot)};
  EXPECT_EQ(decision_of(support::plan_of(world)).seed, "a") << "all are, and answer";
}

namespace {

// The latest backup, by order, and c is called lost and silent.
ClusterWorld promised_without_c() {
  auto world = lost_all();
  support::silence(world, 2);
  world.desired.members[2].lost = model::Member::Lost{support::id(2)};
  order_restore(world, 2, "latest");
  const auto decision = decision_of(support::plan_of(world));
  EXPECT_EQ(decision.founders.size(), 2U);
  node(world, 0).standing->fetched = decision.source;
  for (std::size_t slot : {0U, 1U}) support::promise(world, slot, decision);
  return world;
}
void bring_back_c(ClusterWorld& world) {
  auto back = lost_all();
  node(world, 2) = node(back, 2);
  hold(world, 2, DataState::Valid);
}

}  // namespace

// What it holds may reach further than the backup.
TEST(Restore, WhoComesBackWithDataBeforeTheSeedHasStartedEndsTheDecision) {
  auto world = promised_without_c();
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "restore a");
  bring_back_c(world);
  world.desired.members[2].lost.reset();
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "abandon a");
}

TEST(Restore, Attack2_WhoIsCalledLostAndComesBackHoldsUpNoBackupThatPeopleHaveNamed) {
  auto world = promised_without_c();
  bring_back_c(world);
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "restore a");
  world.desired.recovery.restore.clear();
  EXPECT_THAT(support::plan_of(world).steps, IsEmpty()) << "nobody has weighed what it holds";
}

TEST(Restore, F14ADecisionThatWasGivenUpIsTakenUpByTheNextSeedAndNotForEver) {
  auto world = lost_all();
  order_restore(world, 2, "latest");
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const model::Decision decision = decision_of(judged(world).plan);
    node(world, slot).standing->abandoned.push_back({decision.id, 2, decision.seed, "etcdutl failed"});
    EXPECT_EQ(decision.attempt, static_cast<int>(slot) + 1);
  }
  EXPECT_EQ(decision_of(judged(world).plan).seed, "c");
  node(world, 2).standing->abandoned.push_back({"d9", 2, "c", "etcdutl failed"});
  EXPECT_EQ(judged(world).code, ExitCode::Failed);
  EXPECT_THAT(first_notice(world), HasSubstr("could not be restored: etcdutl failed; everything is as it was before"))
      << "nobody says that nothing was touched";
}

// The order was given to etcd, which is down for it; a commit, an hour or a restart makes the agents forget it.
TEST(Restore, J01WhatStopsTheClusterGoesOnWhenNobodyRemembersTheOrder) {
  auto world = running();
  order_restore(world, 2, "2026-09-24T08");
  const model::Decision decision = decision_of(judged(world).plan);
  for (std::size_t slot = 0; slot < 3; ++slot) support::promise(world, slot, decision);
  world.observed.membership = lost_all().observed.membership;
  for (std::size_t slot = 0; slot < 3; ++slot) node(world, slot).process.get()->running = false;
  world.desired.generation = 1;
  world.desired.recovery.restore.clear();
  auto gated = judged(world);
  EXPECT_EQ(words_of(gated.plan).front(), "restore a");
  EXPECT_EQ(gated.code, ExitCode::Different) << "nobody is asked for a yes that has been given";
  node(world, 2).standing->pledge.reset();
  hold(world, 2, DataState::Valid);
  gated = judged(world);
  EXPECT_EQ(words_of(gated.plan).front(), "promise c");
  EXPECT_EQ(gated.code, ExitCode::Different);
}

TEST(Restore, AnOrderThatIsTakenBackWhileTheClusterStillRunsIsNotCarriedOut) {
  auto world = running();
  order_restore(world, 2, "2026-09-24T08");
  const model::Decision decision = decision_of(judged(world).plan);
  support::promise(world, 1, decision);
  EXPECT_THAT(words_of(judged(world).plan), Not(Contains("abandon b")));
  world.desired.generation = 1;
  world.desired.recovery.restore.clear();
  EXPECT_EQ(words_of(judged(world).plan).front(), "abandon b") << "the seed has not promised";
  support::promise(world, 0, decision);
  EXPECT_EQ(words_of(judged(world).plan).front(), "abandon a") << "the seed says so first";
}

TEST(Restore, AnOrderThatIsRefusedHoldsUpNoHealing) {
  auto world = running();
  order_restore(world, 2, "2020-01-01");
  world.observed.applied.get()->members = {"a", "b", "c"};
  hold(world, 2, DataState::Empty);
  auto& member = world.observed.membership.get()->members[2];
  member.status = model::Fact<model::MemberStatus>::unknown("refused");
  member.serves = model::Fact<base::Duration>::unknown("refused");
  node(world, 2).process.get()->running = false;
  const auto gated = judged(world);
  EXPECT_THAT(words_of(gated.plan), testing::IsSupersetOf({"remove c", "add-member c", "write-manifest c"}));
  EXPECT_EQ(gated.code, ExitCode::NoBackup) << "and is said all the same";
  EXPECT_THAT(first_notice(world), HasSubstr("the store holds no such backup"));
  for (const model::Step& step : gated.plan.steps) EXPECT_EQ(step.step_class, model::StepClass::Heal) << step.id;
}

TEST(Restore, OfTheFileAloneNodesThatRememberNothingLearnThatAGenerationWasBegunBefore) {
  auto world = new_nodes(model::IfNoCluster::Restore);
  EXPECT_EQ(decision_of(judged(world).plan).generation, 1);
  world.desired.generation = 2;
  const auto gated = judged(world);
  EXPECT_EQ(decision_of(gated.plan).generation, 2) << "the store refuses the first one";
  EXPECT_EQ(gated.code, ExitCode::Different);
}

TEST(Restore, F07TheBackupBeforeARestoreIsOneThatWasMadeSinceTheOrder) {
  auto world = running();
  order_restore(world, 2, "2026-09-24T08");
  world.wanted.store = true;
  const base::Time now = world.observed.at;
  const std::string source = decision_of(judged(world).plan).source;
  const auto backed_up = [&](base::Duration ago) {
    world.observed.last_backup = model::Fact<base::Time>::known(now - ago, now);
    return words_of(judged(world).plan);
  };
  EXPECT_THAT(backed_up(base::Duration{1000}), Contains("backup prod")) << "before anything was fetched";
  node(world, 0).standing->fetched = source;
  node(world, 0).standing->covered = now - base::Duration{5000};
  EXPECT_THAT(backed_up(base::Duration{5000}), Contains("backup prod")) << "it was there when the order came";
  EXPECT_THAT(backed_up(base::Duration{4000}), Not(Contains("backup prod")));
  node(world, 0).standing->covered = now - std::chrono::minutes{30};
  EXPECT_THAT(backed_up(std::chrono::minutes{20}), Not(Contains("backup prod"))) << "of a large database";
  EXPECT_THAT(told_in(world), HasSubstr("what is written after that is in the directories that every node sets aside"));
}

TEST(Restore, WhoCouldNotStartAgainIsNamed) {
  auto world = running();
  order_restore(world, 2, "2026-09-24T08");
  node(world, 0).standing->fetched = decision_of(judged(world).plan).source;
  node(world, 2).standing->unready = "/usr/bin/etcd is etcd 3.4.23, and not 3.5.16";
  EXPECT_THAT(told_in(world), HasSubstr("c stops nothing before it could start again: /usr/bin/etcd is etcd 3.4.23"));
}

TEST(Restore, ABackupOfALaterEtcdIsToldOfBeforeAnythingIsTaken) {
  auto world = lost_all();
  world.desired.etcd.version = base::parse_version("3.5");
  auto& newest = world.observed.restorable.get()->back();
  newest.etcd_version = "3.5.30";
  EXPECT_THAT(told_in(world), Not(HasSubstr("was written by etcd")));
  newest.etcd_version = "3.6.1";
  EXPECT_THAT(told_in(world), HasSubstr("was written by etcd 3.6.1, and etcd.version is 3.5"));
}

TEST(Restore, LostNodesThatAnswerGiveTheirWordLikeAll) {
  auto world = new_nodes(model::IfNoCluster::Wait);
  order_restore(world, 3, "latest");
  const model::Voters voters{support::WorldBuilder::cluster(),
                             2,
                             4,
                             900,
                             {{"a", support::id(0)}, {"b", support::id(1)}, {"c", support::id(2)}}};
  node(world, 0).standing->voters = voters;
  EXPECT_EQ(judged(world).code, ExitCode::Refused) << "no memory of any data, on disks that are meant to last";
  for (auto& member : world.desired.members) {
    member.lost = model::Member::Lost{support::id(static_cast<std::size_t>(member.name[0] - 'a'))};
  }
  EXPECT_EQ(decision_of(judged(world).plan).founders.size(), 3U);
}

}  // namespace quorate
