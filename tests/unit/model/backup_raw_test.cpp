// Snapshots as other tools lay them down, one test for each layout of the table in the page of stores.
#include "reconciler/model/backup_raw.h"

#include <gtest/gtest.h>

#include "reconciler/model/backup.h"
#include "reconciler/model/backup_keep.h"

namespace quorate::model {
namespace {

std::string read(const std::string& object) {
  const auto name = parse_raw_name(object);
  if (!name) return "none";
  return name->of + (name->at ? " " + base::to_string(*name->at) : "") +
         (name->revision ? " r" + std::to_string(*name->revision) : "");
}

}  // namespace

TEST(RawNames, OfKubeEtcdControllerAreTheRevision) {
  EXPECT_EQ(read("000000000000002a.backup"), "kube-etcd-controller r42");
  EXPECT_EQ(read("home/backup/00000000000f4240.backup"), "kube-etcd-controller r1000000");
}

TEST(RawNames, OfEtcdOperatorAreVersionAndRevision) {
  EXPECT_EQ(read("v1/default/example/3.1.8_000000000000002a_etcd.backup"), "etcd-operator r42");
  EXPECT_EQ(read("3.2.13_00000000000f4240_etcd.backup"), "etcd-operator r1000000");
}

TEST(RawNames, OfEtcdOperatorsPeriodicBackupsAreRevisionAndTime) {
  EXPECT_EQ(read("etcd/nightly_v42_2018-03-01-04:05:06"), "etcd-operator 2018-03-01T04:05:06Z r42");
}

TEST(RawNames, OfEtcdWrapperAreTheTime) {
  EXPECT_EQ(read("test-backup/etcd-20260924-133000"), "etcd-wrapper 2026-09-24T13:30:00Z");
  EXPECT_EQ(read("20260924-133000"), "etcd-wrapper 2026-09-24T13:30:00Z");
}

TEST(RawNames, AreNothingElse) {
  for (const char* name : {"snapshot.db",
                           "a-note",
                           "2a.backup",
                           "000000000000002A.backup",
                           "g00000000000002a.backup",
                           "x_000000000000002a_etcd.backup",
                           "3.1.8_2a_etcd.backup",
                           "_v42_2018-03-01-04:05:06",
                           "nightly_v42_2018-03-01T04:05:06",
                           "nightly_v42_2018-13-01-04:05:06",
                           "nightly_vx_2018-03-01-04:05:06",
                           "etcd-20261324-133000",
                           "etcd-120260924-133000",
                           "etcd-20260924-253000",
                           "etcd-20260924_133000",
                           "00000000-000000",
                           "ffffffffffffffff.backup",
                           ".backup",
                           "",
                           "/"}) {
    EXPECT_EQ(read(name), "none") << name;
  }
}

TEST(RawNames, MakeBackupsThatAreShownAndNeverRemoved) {
  const StoreContents contents = sort_out({{"2026-09-24T08:20:30Z-r7-a/_etcd_backup.meta", 9},
                                           {"2026-09-24T08:20:30Z-r7-a/etcd.backup.gz", 9},
                                           {"v1/ns/prod/3.1.8_000000000000002a_etcd.backup", 20512},
                                           {"v1/ns/prod/notes", 3},
                                           {"key", 20512},
                                           {"quorate/000000000000002a.backup", 1}});
  ASSERT_EQ(contents.backups.size(), 2U);
  const StoredBackup& raw = contents.backups.front();
  EXPECT_EQ(raw.name, "v1/ns/prod/3.1.8_000000000000002a_etcd.backup");
  EXPECT_EQ(raw.object_path(), raw.name);
  EXPECT_EQ(raw.revision(), 42);
  EXPECT_EQ(raw.size, 20512U);
  EXPECT_EQ(contents.others, (std::vector<std::string>{"key", "v1/ns/prod"}));
  EXPECT_EQ(contents.loose.size(), 2U);
  KeepPolicy policy;
  policy.last = 1;
  const auto fate = fates(contents.backups, policy, {base::ClusterId{7}, {}, {}}).front();
  EXPECT_FALSE(fate.ours || fate.removed);
  EXPECT_EQ(raw_backup({"key", 20512}).raw->of, "another tool");
}

}  // namespace quorate::model
