// Backups in plans and beside them: before changes, by the schedule, and what a person is told of them.
#include "reconciler/plan/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/judged.h"
#include "tests/support/zone_file.h"

namespace quorate {
namespace {

using model::Notice;
using std::chrono::hours;
using std::chrono::minutes;
using support::ClusterWorld;
using support::Health;
using support::words_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

model::BackupPolicy policy() {
  model::BackupPolicy policy;
  policy.to = "s3://acme/prod";
  policy.every = hours{1};
  policy.warn_after = hours{2};
  policy.page_after = hours{6};
  return policy;
}

ClusterWorld three(support::Slot third) {
  ClusterWorld world = support::WorldBuilder{{support::up(), support::up(), third}}.build();
  world.desired.backup = policy();
  world.wanted.store = true;
  return world;
}

void covered(ClusterWorld& world, base::Duration ago) {
  const base::Time at = world.observed.at;
  model::BackupsSeen seen;
  seen.store = "s3://acme/prod";
  seen.newest = "2026-09-24T08:20:30Z-r7-a";
  seen.count = 1;
  seen.covers = seen.taken = seen.oldest = at - ago;
  world.observed.backups = model::Fact<model::BackupsSeen>::known(seen, at);
  world.observed.last_backup = model::Fact<base::Time>::known(seen.covers, at);
}

model::BackupsSeen& seen(ClusterWorld& world) {
  return *world.observed.backups.get();
}

std::string due(const ClusterWorld& world) {
  const auto step = plan::store_step(world.desired, world.observed);
  return step ? step->id + ": " + step->reason.code : "";
}

const Notice* notice(const ClusterWorld& world, const std::string& code) {
  static std::vector<Notice> notices;
  notices = plan::backup_notices(world.desired, world.observed);
  for (const Notice& each : notices) {
    if (each.code == code) return &each;
  }
  return nullptr;
}

}  // namespace

// ----------------------------------------------------------------------------------------------------- before changes
namespace {

// An emptied voter is replaced; all agents speak.
ClusterWorld emptied_with_spool() {
  ClusterWorld world = three(support::with(Health::Emptied));
  world.desired.backup->spool = "/var/spool";
  for (model::NodeFacts& node : world.observed.nodes) node.standing = model::Standing{};
  return world;
}

void spooled(ClusterWorld& world, base::Duration ago, const std::string& failed, const std::string& name) {
  world.observed.nodes.front().standing->spooled =
      model::Spooled{world.observed.at - ago, failed, name, "/var/spool/prod/etcd-a"};
}

constexpr const char* kSnapshot = "backup/prod@/var/spool";

std::string first_step(const ClusterWorld& world) {
  const model::Plan plan = support::plan_of(world);
  return plan.steps.empty() ? "" : plan.steps.front().id;
}

}  // namespace

TEST(SnapshotBeforeHeal, ComesBeforeAMemberIsReplacedAndOnlyOnce) {
  const model::Plan plan = support::plan_of(emptied_with_spool());
  ASSERT_GE(plan.steps.size(), 3U);
  EXPECT_EQ(plan.steps.front().id, kSnapshot);
  EXPECT_TRUE(std::holds_alternative<model::Remove>(plan.steps[1].action));
  EXPECT_EQ(
      std::count_if(plan.steps.begin(), plan.steps.end(), [](const model::Step& step) { return step.id == kSnapshot; }),
      1);
}

TEST(SnapshotBeforeHeal, IsNotTakenWithoutASpoolNorWithoutAgents) {
  auto world = emptied_with_spool();
  world.desired.backup->spool.clear();
  EXPECT_NE(first_step(world), kSnapshot);
  world = emptied_with_spool();
  for (model::NodeFacts& node : world.observed.nodes) node.standing.reset();
  EXPECT_NE(first_step(world), kSnapshot);
}

TEST(SnapshotBeforeHeal, OfAMomentAgoWillDoAndSoDoesABackup) {
  auto world = emptied_with_spool();
  spooled(world, minutes{9}, "", "2026-09-24T08:20:30Z-r7-a");
  EXPECT_NE(first_step(world), kSnapshot);
  spooled(world, minutes{11}, "", "");
  EXPECT_EQ(first_step(world), kSnapshot);
  covered(world, minutes{1});
  EXPECT_NE(first_step(world), kSnapshot);
}

// Nobody takes another one for years, else.
TEST(SnapshotBeforeHeal, OfAClockThatIsFarAheadDoesNotCountAndHidesNoOther) {
  auto world = emptied_with_spool();
  spooled(world, -hours{100'000}, "", "");
  const model::Plan plan = support::plan_of(world);
  ASSERT_GE(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].id, kSnapshot);
  EXPECT_NE(plan.steps[1].id, kSnapshot);
}

TEST(SnapshotBeforeHeal, ThatFailedHoldsNothingUpAndIsTold) {
  auto world = emptied_with_spool();
  spooled(world, minutes{1}, "disk full: /var/spool has 3 MiB free", "");
  EXPECT_NE(first_step(world), kSnapshot);
  const Notice* told = notice(world, "SnapshotFailed");
  ASSERT_NE(told, nullptr);
  EXPECT_THAT(told->text, HasSubstr("disk full"));
  spooled(world, minutes{11}, "disk full: /var/spool has 3 MiB free", "");
  EXPECT_EQ(notice(world, "SnapshotFailed"), nullptr);
}

TEST(SnapshotBeforeHeal, ThatTheStoreStillHasToGetIsShownAndIsNoDrift) {
  auto world = emptied_with_spool();
  spooled(world, hours{3}, "", "2026-09-24T08:20:30Z-r7-a");
  const Notice* told = notice(world, "BackupInSpool");
  ASSERT_NE(told, nullptr);
  EXPECT_FALSE(told->drift);
  EXPECT_THAT(told->text, HasSubstr("2026-09-24T08:20:30Z-r7-a"));
}

TEST(BackupBeforeChange, ComesFirstAndOnlyOnce) {
  auto world = three(support::absent());
  const auto words = words_of(support::plan_of(world));
  ASSERT_FALSE(words.empty());
  EXPECT_EQ(words.front(), "backup prod");
  EXPECT_EQ(std::count(words.begin(), words.end(), "backup prod"), 1);
}

TEST(BackupBeforeChange, OfAMomentAgoWillDo) {
  auto world = three(support::absent());
  covered(world, minutes{9});
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "add-member c");
  covered(world, minutes{11});
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "backup prod");
}

TEST(BackupBeforeChange, OfTheFutureWillNotDo) {
  auto world = three(support::absent());
  covered(world, -hours{5});
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "backup prod");
}

TEST(BackupBeforeChange, IsNotWaitedForByWhatHealsTheCluster) {
  EXPECT_EQ(words_of(support::plan_of(three(support::with(Health::Emptied)))).front(), "remove c");
}

// A learner that stands there is no safer while it waits.
TEST(BackupBeforeChange, IsNotWaitedForByWhatEndsAChangeThatHasBegun) {
  support::Slot learner = support::up();
  learner.role = support::Role::Learner;
  EXPECT_EQ(words_of(support::plan_of(three(learner))).front(), "promote c");
}

TEST(BackupBeforeChange, IsNotMadeWithoutAStoreOrWhereTheFileSaysSo) {
  auto world = three(support::absent());
  world.wanted.store = false;
  EXPECT_EQ(words_of(support::plan_of(world)).front(), "add-member c");
}

TEST(BackupBeforeChange, IsNotMadeWhenNothingChanges) {
  EXPECT_THAT(support::plan_of(three(support::up())).steps, IsEmpty());
}

TEST(BackupBeforeChange, E05_ComesBeforeAnUpgrade) {
  auto world = three(support::up());
  world.desired.etcd.version = base::parse_version("3.5.33");
  const auto words = words_of(support::plan_of(world));
  ASSERT_GE(words.size(), 2U);
  EXPECT_EQ(words[0], "backup prod");
  EXPECT_EQ(words[1], "write-manifest b");
}

// As new TLS files are, which every member is started with anew.
TEST(BackupBeforeChange, E05_ComesBeforeAMemberIsConfiguredAnew) {
  auto world = three(support::unconfigured());
  const auto words = words_of(support::plan_of(world));
  ASSERT_GE(words.size(), 2U);
  EXPECT_EQ(words[0], "backup prod");
  EXPECT_EQ(words[1], "write-manifest c");
}

// Else one would be made every ten minutes while a person thinks.
TEST(BackupBeforeChange, WaitsWithTheStepThatItComesBefore) {
  auto world = three(support::in_file(support::InFile::Dropped));
  world.desired.protect.approve = {model::StepClass::Destructive};
  const auto gated = support::judged(world);
  ASSERT_GE(gated.verdicts.size(), 2U);
  EXPECT_EQ(model::name_of(gated.plan.steps[0].action), "backup");
  EXPECT_EQ(gated.verdicts[0].ruling, model::Ruling::Hold);
  EXPECT_EQ(gated.verdicts[0].rule, "P3");
  EXPECT_EQ(gated.verdicts[1].rule, "P3");
}

TEST(BackupBeforeChange, IsNoHealThatSelfHealCouldHoldBack) {
  auto world = three(support::absent());
  world.desired.reconcile.self_heal = model::SelfHeal::Off;
  const auto gated = support::judged(world);
  ASSERT_FALSE(gated.verdicts.empty());
  EXPECT_EQ(gated.verdicts[0].ruling, model::Ruling::Go);
}

// ---------------------------------------------------------------------------------------------------- by the schedule
TEST(StoreStep, IsABackupWhenOneIsDue) {
  auto world = three(support::up());
  covered(world, minutes{59});
  EXPECT_EQ(due(world), "");
  covered(world, minutes{60});
  EXPECT_EQ(due(world), "backup/prod: BackupDue");
  world.desired.backup->cron = base::parse_cron("0 9 * * *");  // it is 09:12
  covered(world, minutes{13});
  EXPECT_EQ(due(world), "backup/prod: BackupDue");
  covered(world, minutes{12});
  EXPECT_EQ(due(world), "");
}

TEST(StoreStep, IsTheFirstBackupAtOnce) {
  auto world = three(support::up());
  world.observed.backups = model::Fact<model::BackupsSeen>::known({}, world.observed.at);
  EXPECT_EQ(due(world), "backup/prod: BackupDue");
}

TEST(StoreStep, IsNoneBeforeSomebodyHasLooked) {
  auto world = three(support::up());
  EXPECT_EQ(due(world), "");
  covered(world, hours{2});
  world.desired.backup.reset();
  EXPECT_EQ(due(world), "");
}

TEST(StoreStep, RemovesWhatIsNotKeptAfterTheBackupAndNotWhilePaused) {
  auto world = three(support::up());
  covered(world, hours{2});
  seen(world).removable = 3;
  EXPECT_EQ(due(world), "backup/prod: BackupDue");
  covered(world, minutes{2});
  seen(world).removable = 3;
  EXPECT_EQ(due(world), "prune/prod: BackupsNotKept");
  world.desired.paused = model::Paused{"switch", world.observed.at + hours{1}, {}};
  EXPECT_EQ(due(world), "");
  covered(world, hours{2});
  EXPECT_EQ(due(world), "backup/prod: BackupDue") << "backups go on while changes are paused";
}

TEST(StoreStep, VerifiesTheNewestWhenTheLastTimeIsLongAgo) {
  auto world = three(support::up());
  covered(world, minutes{2});
  EXPECT_EQ(due(world), "");
  world.desired.backup->verify_every = hours{24};
  EXPECT_EQ(due(world), "verify/prod@2026-09-24T08:20:30Z-r7-a: VerificationDue");
  seen(world).verified = world.observed.at - hours{23};
  EXPECT_EQ(due(world), "");
  seen(world).verified = world.observed.at - hours{24};
  EXPECT_EQ(due(world), "verify/prod@2026-09-24T08:20:30Z-r7-a: VerificationDue");
}

TEST(StoreStep, IsABackupWhereTheNewestIsDatedInTheFuture) {
  auto world = three(support::up());
  covered(world, -hours{5});
  EXPECT_EQ(due(world), "backup/prod: BackupDue");
  covered(world, -minutes{5});
  EXPECT_EQ(due(world), "") << "clocks differ a little";
}

TEST(StoreStep, SaysWhenTheNextOneIsDue) {
  auto world = three(support::up());
  EXPECT_FALSE(plan::next_store_step(world.desired, world.observed));
  covered(world, minutes{20});
  EXPECT_EQ(plan::next_store_step(world.desired, world.observed), world.observed.at + minutes{40});
  world.desired.backup->verify_every = hours{1};
  seen(world).verified = world.observed.at - minutes{30};
  EXPECT_EQ(plan::next_store_step(world.desired, world.observed), world.observed.at + minutes{30});
}

// ------------------------------------------------------------------------------------------------------ what is told
TEST(BackupNotices, SayThatBackupsAreLateAndHowMuchThatMatters) {
  auto world = three(support::up());
  covered(world, hours{2});
  EXPECT_EQ(notice(world, "BackupLate"), nullptr);
  covered(world, hours{3});
  ASSERT_NE(notice(world, "BackupLate"), nullptr);
  EXPECT_EQ(notice(world, "BackupLate")->level, Notice::Level::Warning);
  EXPECT_EQ(notice(world, "BackupLate")->since, world.observed.at - hours{1});
  EXPECT_TRUE(notice(world, "BackupLate")->drift);
  covered(world, hours{7});
  EXPECT_EQ(notice(world, "BackupLate")->level, Notice::Level::Critical);
}

TEST(BackupNotices, CountFromTheFirstFailureWhereThereIsNoBackupAtAll) {
  auto world = three(support::up());
  world.observed.backup_trouble = model::BackupTrouble{"s3://acme/prod", world.observed.at - hours{3}, "no route"};
  ASSERT_NE(notice(world, "BackupFailed"), nullptr);
  EXPECT_THAT(notice(world, "BackupFailed")->text, HasSubstr("no route"));
  ASSERT_NE(notice(world, "BackupLate"), nullptr);
  EXPECT_THAT(notice(world, "BackupLate")->text, HasSubstr("none could be made for 3h"));
}

TEST(BackupNotices, CountFromWhenTheFirstOneWasAwaitedWhereNothingHasFailed) {
  auto world = three(support::up());
  covered(world, {});
  seen(world).newest.clear();
  world.observed.last_backup = model::Fact<base::Time>::unknown("there is no backup", world.observed.at);
  EXPECT_EQ(notice(world, "BackupLate"), nullptr);
  world.observed.backup_awaited = world.observed.at - hours{2};
  EXPECT_EQ(notice(world, "BackupLate"), nullptr);
  world.observed.backup_awaited = world.observed.at - hours{3};
  ASSERT_NE(notice(world, "BackupLate"), nullptr);
  EXPECT_EQ(notice(world, "BackupLate")->text, "there is no backup, and none was made for 3h00m");
  EXPECT_EQ(notice(world, "BackupLate")->level, Notice::Level::Warning);
  EXPECT_TRUE(notice(world, "BackupLate")->drift);
  EXPECT_EQ(notice(world, "BackupLate")->since, world.observed.at - hours{1});
  world.observed.backup_awaited = world.observed.at - hours{7};
  EXPECT_EQ(notice(world, "BackupLate")->level, Notice::Level::Critical);
  world.observed.backup_trouble = model::BackupTrouble{"s3://acme/prod", world.observed.at - hours{1}, "no route"};
  EXPECT_EQ(notice(world, "BackupLate")->text, "there is no backup, and none could be made for 7h00m");
}

TEST(BackupNotices, DoNotSayOfAStoreThatNobodyHasSeenThatItIsEmpty) {
  auto world = three(support::up());
  world.observed.backups = model::Fact<model::BackupsSeen>::unknown("nobody has looked", world.observed.at);
  world.observed.backup_awaited = world.observed.at - hours{1};
  EXPECT_EQ(notice(world, "BackupsUnseen"), nullptr);
  world.observed.backup_awaited = world.observed.at - hours{3};
  EXPECT_EQ(notice(world, "BackupLate"), nullptr);
  ASSERT_NE(notice(world, "BackupsUnseen"), nullptr);
  EXPECT_THAT(notice(world, "BackupsUnseen")->text, HasSubstr("from s3://acme/prod for 3h"));
  EXPECT_TRUE(notice(world, "BackupsUnseen")->drift);
}

TEST(BackupNotices, ForgetWhatWasAwaitedWhereThereIsOne) {
  auto world = three(support::up());
  covered(world, minutes{5});
  world.observed.backup_awaited = world.observed.at - hours{7};
  EXPECT_EQ(notice(world, "BackupLate"), nullptr);
}

// Every five minutes in office hours is no reason to wake anybody at night.
TEST(BackupNotices, GoByTheScheduleWhereTheFileSaysNothingElse) {
  auto world = three(support::up());
  world.desired.backup->warn_after.reset();
  world.desired.backup->page_after.reset();
  covered(world, minutes{124});
  EXPECT_EQ(notice(world, "BackupLate"), nullptr);
  covered(world, minutes{126});
  ASSERT_NE(notice(world, "BackupLate"), nullptr);
  EXPECT_EQ(notice(world, "BackupLate")->level, Notice::Level::Warning);
  covered(world, minutes{366});
  EXPECT_EQ(notice(world, "BackupLate")->level, Notice::Level::Critical);
  world.desired.backup->cron = base::parse_cron("*/5 8-18 * * *");
  const auto at = [&](const char* time) {  // the last one was at 18:55 of the day before
    world.observed.at = *base::parse_time(time);
    covered(world, world.observed.at - *base::parse_time("2026-09-23T18:55:00Z"));
    const Notice* late = notice(world, "BackupLate");
    return late == nullptr ? "" : late->level == Notice::Level::Critical ? "critical" : "warning";
  };
  EXPECT_STREQ(at("2026-09-24T07:59:00Z"), "");
  EXPECT_STREQ(at("2026-09-24T08:09:00Z"), "");
  EXPECT_STREQ(at("2026-09-24T08:11:00Z"), "warning");
  EXPECT_STREQ(at("2026-09-24T08:31:00Z"), "critical");
}

TEST(BackupNotices, SayThatOneIsDatedInTheFuture) {
  auto world = three(support::up());
  covered(world, minutes{1});
  EXPECT_EQ(notice(world, "BackupAhead"), nullptr);
  seen(world).ahead = "2031-01-01T00:00:00Z-r6-a";
  ASSERT_NE(notice(world, "BackupAhead"), nullptr);
  EXPECT_THAT(notice(world, "BackupAhead")->text, HasSubstr("2031-01-01T00:00:00Z-r6-a is dated in the future"));
  covered(world, -hours{1});
  EXPECT_THAT(notice(world, "BackupAhead")->text, HasSubstr("2026-09-24T08:20:30Z-r7-a is dated in the future"));
}

TEST(BackupNotices, NameTheOneThatIsNotWhole) {
  auto world = three(support::up());
  covered(world, minutes{1});
  EXPECT_EQ(notice(world, "BackupDamaged"), nullptr);
  seen(world).damaged = "2026-09-24T07:20:30Z-r6-a";
  ASSERT_NE(notice(world, "BackupDamaged"), nullptr);
  EXPECT_EQ(notice(world, "BackupDamaged")->level, Notice::Level::Critical);
}

TEST(BackupNotices, SayThatNobodyHasVerifiedOne) {
  auto world = three(support::up());
  world.desired.backup->verify_every = hours{1};
  covered(world, hours{2});
  EXPECT_EQ(notice(world, "BackupUnverified"), nullptr);
  covered(world, hours{3});
  ASSERT_NE(notice(world, "BackupUnverified"), nullptr);
  seen(world).verified = world.observed.at - minutes{90};
  EXPECT_EQ(notice(world, "BackupUnverified"), nullptr);
}

TEST(BackupNotices, SayWhatItIsThatFails) {
  auto world = three(support::up());
  const auto said = [&](model::StoreTask task) {
    world.observed.backup_trouble = model::BackupTrouble{"s3://acme/prod", world.observed.at - hours{1}, "why", task};
    const Notice* found = notice(world, "BackupFailed");
    return found == nullptr ? "" : found->text;
  };
  covered(world, minutes{1});
  EXPECT_EQ(said(model::StoreTask::Backup), "backups fail: why");
  EXPECT_EQ(said(model::StoreTask::Verify), "backups cannot be verified: why");
  world.desired.backup->verify_how = model::VerifiedHow::Restore;
  EXPECT_EQ(said(model::StoreTask::Verify), "test restores fail: why");
  EXPECT_EQ(said(model::StoreTask::Publish), "what the agents see cannot be published in the store: why");
}

TEST(BackupNotices, SayThatNobodyHasTestRestoredOne) {
  auto world = three(support::up());
  world.desired.backup->verify_every = hours{1};
  world.desired.backup->verify_how = model::VerifiedHow::Restore;
  covered(world, hours{3});
  ASSERT_NE(notice(world, "BackupUnverified"), nullptr);
  EXPECT_EQ(notice(world, "BackupUnverified")->text, "no backup has ever been test-restored");
}

TEST(BackupNotices, SayThatTheScheduleGoesByUtcWhereNobodyKnowsTheZone) {
  auto world = three(support::up());
  covered(world, minutes{1});
  EXPECT_EQ(notice(world, "BackupTimeZone"), nullptr);
  world.desired.backup->time_zone = "Europe/Amsterdam";
  world.desired.backup->no_zone = "there is no tz database";
  ASSERT_NE(notice(world, "BackupTimeZone"), nullptr);
  EXPECT_THAT(notice(world, "BackupTimeZone")->text, HasSubstr("not by Europe/Amsterdam: there is no tz database"));
}

TEST(StoreStep, GoesByTheClocksOfTheZone) {
  auto world = three(support::up());
  world.desired.backup->cron = base::parse_cron("30 11 * * *");  // it is 09:12 in UTC
  world.desired.backup->zone = *base::parse_time_zone(support::amsterdam());
  covered(world, minutes{13});
  EXPECT_EQ(plan::next_store_step(world.desired, world.observed), base::parse_time("2026-09-24T09:30:00Z"));
}

TEST(BackupNotices, AreNoneWhereTheFileNamesNoStore) {
  auto world = three(support::up());
  covered(world, hours{100});
  world.desired.backup.reset();
  EXPECT_THAT(plan::backup_notices(world.desired, world.observed), IsEmpty());
}

}  // namespace quorate
