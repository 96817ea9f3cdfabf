// Which backups stay: restic's words, and what no policy may take.
#include "reconciler/model/backup_keep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::model {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const base::ClusterId kOwn{0xA};
const BackupOwner kOwner{kOwn, *base::parse_time("2026-11-18T01:00:00Z"), {}};

StoredBackup backup_at(const std::string& time, base::ClusterId cluster = kOwn) {
  StoredBackup backup;
  backup.name = time + "-r7-a";
  backup.folder = backup.name;
  backup.parsed = parse_backup_name(backup.name);
  backup.facts = BackupFacts{};
  backup.facts->cluster = cluster;
  return backup;
}

// Names of those that stay, without what all names end in.
std::vector<std::string> kept(const std::vector<StoredBackup>& backups, const KeepPolicy& policy) {
  const auto all = fates(backups, policy, kOwner);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < backups.size(); ++at) {
    if (!all[at].removed) names.push_back(backups[at].name.substr(0, backups[at].name.find("Z")));
  }
  return names;
}

std::vector<StoredBackup> each_half_hour() {
  std::vector<StoredBackup> backups;
  for (const char* time : {"2026-11-16T23:30:00Z", "2026-11-17T00:00:00Z", "2026-11-17T00:30:00Z",
                           "2026-11-17T01:00:00Z", "2026-11-18T00:00:00Z", "2026-11-18T00:30:00Z"}) {
    backups.push_back(backup_at(time));
  }
  return backups;
}

KeepPolicy policy(int last, int hourly = 0, int daily = 0, int weekly = 0, int monthly = 0) {
  return {last, hourly, daily, weekly, monthly, base::Duration{}};
}

}  // namespace

TEST(Retention, KeepsTheNewest) {
  EXPECT_THAT(kept(each_half_hour(), policy(2)), ElementsAre("2026-11-18T00:00:00", "2026-11-18T00:30:00"));
}

TEST(Retention, TellsBackupsOfOneSecondByTheirRevision) {
  std::vector<StoredBackup> backups = {backup_at("2026-11-18T00:00:00Z"), backup_at("2026-11-18T00:00:00Z")};
  backups[0].facts->revision = 10;
  backups[1].facts->revision = 9;
  const auto all = fates(backups, policy(1), kOwner);
  EXPECT_FALSE(all[0].removed);
  EXPECT_TRUE(all[1].removed);
}

TEST(Retention, KeepsTheNewestOfEachHourAndDay) {
  EXPECT_THAT(kept(each_half_hour(), policy(0, 3)),
              ElementsAre("2026-11-17T00:30:00", "2026-11-17T01:00:00", "2026-11-18T00:30:00"));
  EXPECT_THAT(kept(each_half_hour(), policy(0, 0, 2)), ElementsAre("2026-11-17T01:00:00", "2026-11-18T00:30:00"));
}

TEST(Retention, WeeksBeginOnMondayAndMonthsOnTheirFirst) {
  std::vector<StoredBackup> backups;
  // 15 November 2026 is a Sunday.
  for (const char* time : {"2026-10-31T12:00:00Z", "2026-11-01T12:00:00Z", "2026-11-14T12:00:00Z",
                           "2026-11-15T12:00:00Z", "2026-11-16T00:00:00Z"}) {
    backups.push_back(backup_at(time));
  }
  EXPECT_THAT(kept(backups, policy(0, 0, 0, 2)), ElementsAre("2026-11-15T12:00:00", "2026-11-16T00:00:00"));
  EXPECT_THAT(kept(backups, policy(0, 0, 0, 0, 2)), ElementsAre("2026-10-31T12:00:00", "2026-11-16T00:00:00"));
}

TEST(Retention, WithinCountsFromTheNewest) {
  KeepPolicy within;
  within.within = std::chrono::hours{24};
  EXPECT_THAT(kept(each_half_hour(), within),
              ElementsAre("2026-11-17T00:30:00", "2026-11-17T01:00:00", "2026-11-18T00:00:00", "2026-11-18T00:30:00"));
}

TEST(Retention, AnEmptyPolicyRemovesNothing) {
  EXPECT_EQ(kept(each_half_hour(), KeepPolicy{}).size(), 6U);
}

TEST(Retention, NeverTakesPinsOrTheNewestThatIsVerified) {
  auto backups = each_half_hour();
  backups[0].pin = BackupPin{{}, "before 3.5", "ops"};
  backups[1].verified = BackupVerified{{}, VerifiedHow::Checksum, true, ""};
  backups[2].verified = BackupVerified{{}, VerifiedHow::Restore, true, ""};
  backups[3].verified = BackupVerified{{}, VerifiedHow::Restore, false, "it has no keys"};
  EXPECT_THAT(kept(backups, policy(1)),
              ElementsAre("2026-11-16T23:30:00", "2026-11-17T00:30:00", "2026-11-18T00:30:00"));
  EXPECT_THAT(fates(backups, policy(1), kOwner)[0].why, Contains("pinned: before 3.5"));
}

TEST(Retention, CountsNothingFromWhatIsDatedInTheFuture) {
  auto backups = each_half_hour();
  backups.push_back(backup_at("2031-01-01T00:00:00Z"));
  KeepPolicy within;
  within.within = std::chrono::hours{24};
  EXPECT_THAT(kept(backups, within), ElementsAre("2026-11-17T00:30:00", "2026-11-17T01:00:00", "2026-11-18T00:00:00",
                                                 "2026-11-18T00:30:00", "2031-01-01T00:00:00"));
  EXPECT_THAT(kept(backups, policy(1)), ElementsAre("2026-11-18T00:30:00", "2031-01-01T00:00:00"));
}

TEST(Retention, KeepsNoDamagedOneInThePlaceOfAnother) {
  auto backups = each_half_hour();
  const BackupVerified bad{{}, VerifiedHow::Restore, false, "it has no keys"};
  backups[5].verified = backups[3].verified = backups[0].verified = bad;
  EXPECT_THAT(kept(backups, policy(2)),
              ElementsAre("2026-11-17T00:30:00", "2026-11-17T01:00:00", "2026-11-18T00:00:00", "2026-11-18T00:30:00"));
  EXPECT_THAT(kept(backups, policy(0, 0, 2)),
              ElementsAre("2026-11-17T00:30:00", "2026-11-18T00:00:00", "2026-11-18T00:30:00"));
  for (StoredBackup& each : backups) each.verified = bad;
  EXPECT_THAT(kept(backups, policy(0, 2)), ElementsAre("2026-11-18T00:30:00")) << "for whoever looks into it";
}

TEST(Retention, NeverTakesTheOneThatARestoreNames) {
  BackupOwner owner = kOwner;
  owner.needed = {"2026-11-17T00:30", "latest"};
  const auto all = fates(each_half_hour(), policy(1), owner);
  EXPECT_TRUE(all[1].removed);
  EXPECT_FALSE(all[2].removed);
  EXPECT_THAT(all[2].why, ElementsAre("a restore names it"));
}

TEST(Retention, LeavesAloneWhatIsNotOurs) {
  std::vector<StoredBackup> backups = {backup_at("2020-01-01T00:00:00Z", base::ClusterId{0xB}),
                                       backup_at("2020-01-02T00:00:00Z"), backup_at("2020-01-03T00:00:00Z"),
                                       backup_at("2020-01-04T00:00:00Z"), backup_at("2020-01-05T00:00:00Z")};
  backups[1].facts.reset();
  backups[2].parsed.reset();
  backups[3].problem = "its pin could not be read";
  const auto all = fates(backups, policy(1), kOwner);
  for (std::size_t at = 0; at < 4; ++at) {
    EXPECT_FALSE(all[at].removed) << at;
    EXPECT_FALSE(all[at].ours) << at;
  }
  EXPECT_THAT(all[0].why, ElementsAre("of cluster b"));
  EXPECT_THAT(all[4].why, Contains(HasSubstr("last 1/1")));
}

TEST(Retention, SaysAllReasons) {
  EXPECT_THAT(fates(each_half_hour(), policy(2, 1, 1), kOwner)[5].why,
              ElementsAre("last 1/2", "hour 1", "day 1", "the newest"));
}

}  // namespace quorate::model
