// Names, small files and listings of backups: ours, etcd-manager's, and what is neither.
#include "reconciler/model/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

base::Time at(const char* text) {
  return base::parse_time(text).value_or(base::Time{});
}

BackupFacts some_facts() {
  BackupFacts facts;
  facts.at = at("2026-11-18T08:20:30Z");
  facts.cluster.value = 0xcdf818194e3a8c32;
  facts.member.value = 0xfd422379fda50e48;
  facts.member_name = "etcd-a";
  facts.etcd_version = "3.5.16";
  facts.revision = 48101220;
  facts.term = 7;
  facts.raft_index = 50000000;
  facts.keys = 212871;
  facts.hash = BackupHash{48101219, 4000000000U, 48000000};
  facts.object = {Packing::Zstd, true};
  facts.object_size = 1234;
  facts.object_sha256 = std::string(64, 'a');
  facts.snapshot_size = 99999;
  facts.sealed_with = "0011223344556677";
  facts.why = "before 5c1e90aa";
  facts.by = "quorate 0.1.0";
  return facts;
}

// Byte for byte what etcd-manager wrote.
constexpr const char* kTheirMeta =
    "{\n"
    "  \"etcdVersion\": \"3.4.23\",\n"
    "  \"timestamp\": \"1794988784\",\n"
    "  \"clusterSpec\": {\n"
    "    \"memberCount\": 3,\n"
    "    \"etcdVersion\": \"3.4.23\"\n"
    "  }\n"
    "}";

}  // namespace

TEST(BackupName, SortsByTimeAndCarriesTheRevision) {
  EXPECT_EQ(backup_name(at("2026-11-18T08:20:30.400Z"), 48101220, "etcd-a", "7f3a"),
            "2026-11-18T08:20:30Z-r48101220-etcd-a-7f3a");
  const auto name = parse_backup_name("2026-11-18T08:20:30Z-r48101220-etcd-a-7f3a");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->at, at("2026-11-18T08:20:30Z"));
  EXPECT_EQ(name->revision, 48101220);
}

TEST(BackupName, IsOnePartWhateverTheMemberIsCalled) {
  EXPECT_EQ(backup_name(at("2026-11-18T08:20:30Z"), 7, "../a b", "0f"), "2026-11-18T08:20:30Z-r7-.._a_b-0f");
  EXPECT_EQ(backup_name(at("2026-11-18T08:20:30Z"), 7, "", "0f"), "2026-11-18T08:20:30Z-r7-unnamed-0f");
  EXPECT_LT(backup_name(at("2026-11-18T08:20:30Z"), 7, std::string(1000, 'x'), "0f").size(), 255U);
}

TEST(BackupName, IsReadAsEtcdManagerReadsIt) {
  EXPECT_EQ(parse_backup_name("2018-01-30T01:02:03Z-000001")->at, at("2018-01-30T01:02:03Z"));
  EXPECT_EQ(parse_backup_name("2018-01-30T01:02:03Z-000001")->revision, std::nullopt);
  EXPECT_EQ(parse_backup_name("2018-01-30T01:02:03Z")->at, at("2018-01-30T01:02:03Z"));
  EXPECT_EQ(parse_backup_name("2018-01-30T01:02:03+01:00")->at, at("2018-01-30T00:02:03Z"));
  EXPECT_TRUE(parse_backup_name("2018-01-30T01:02:03Z-"));
  for (const char* foreign : {"", "control", "latest", "2018-01-30", "2018-13-30T01:02:03Z", "x2018-01-30T01:02:03Z-1",
                              "2018-01-30T01:02:03", "Z-", "2018-01-30T01:02:03+25:00"}) {
    EXPECT_FALSE(parse_backup_name(foreign)) << foreign;
  }
}

TEST(BackupName, OfAnObjectSaysHowItIsPacked) {
  EXPECT_EQ(file_name(BackupObject{Packing::Gzip, false}), "etcd.backup.gz");
  EXPECT_EQ(parse_backup_object("etcd.backup.zst.enc"), (BackupObject{Packing::Zstd, true}));
  EXPECT_EQ(parse_backup_object("etcd.backup"), (BackupObject{Packing::None, false}));
  EXPECT_EQ(parse_backup_object("etcd.backup.tar"), std::nullopt);
}

TEST(BackupMeta, IsWrittenByteForByteAsEtcdManagerDoes) {
  EXPECT_EQ(meta_text({"3.4.23", 1794988784, 3, "3.4.23"}), kTheirMeta);
}

TEST(BackupMeta, IsReadInEverySpelling) {
  const BackupMeta wanted{"3.4.23", 1794988784, 3, "3.4.23"};
  for (
      const char* text :
      {kTheirMeta,
       R"({"etcdVersion":  "3.4.23", "timestamp":1794988784,"clusterSpec":{"memberCount":"3","etcdVersion":"3.4.23"}})",
       R"({"etcd_version":"3.4.23","timestamp":"1794988784","cluster_spec":{"member_count":3,"etcd_version":"3.4.23"}})"}) {
    const auto meta = read_meta(text, "meta");
    ASSERT_TRUE(meta) << meta.error().message;
    EXPECT_EQ(*meta, wanted);
  }
  EXPECT_EQ(*read_meta("{}", "meta"), BackupMeta{});
}

TEST(BackupMeta, RefusesWhatEtcdManagerRefuses) {
  EXPECT_THAT(read_meta(R"({"sha256":"x"})", "meta").error().message, HasSubstr("unknown field \"sha256\""));
  EXPECT_THAT(read_meta(R"({"clusterSpec":{"x":1}})", "meta").error().message, HasSubstr("unknown field \"x\""));
  for (const char* text : {"", "[]", "{", R"({"timestamp":"soon"})", R"({"timestamp":1e400})", R"({"etcdVersion":3})",
                           R"({"clusterSpec":[]})", R"({"clusterSpec":{"memberCount":99999999999}})"}) {
    EXPECT_FALSE(read_meta(text, "meta")) << text;
  }
}

TEST(BackupDocuments, AreReadAsTheyWereWritten) {
  EXPECT_EQ(*read_backup_facts(to_json(some_facts()), "facts"), some_facts());
  BackupFacts bare = some_facts();
  bare.keys.reset();
  bare.hash.reset();
  bare.sealed_with.clear();
  bare.revision_exact = false;
  EXPECT_EQ(*read_backup_facts(to_json(bare), "facts"), bare);
  const BackupVerified verified{at("2026-11-18T09:00:00Z"), VerifiedHow::Restore, false, "42 keys are missing"};
  EXPECT_EQ(*read_backup_verified(to_json(verified), "verified"), verified);
  const BackupPin pin{at("2026-11-18T09:00:00Z"), "before 3.5", "ops"};
  EXPECT_EQ(*read_backup_pin(to_json(pin), "pin"), pin);
}

TEST(BackupDocuments, OfAnotherKindOrBrokenAreRefused) {
  EXPECT_FALSE(read_backup_pin(to_json(some_facts()), "pin"));
  std::string text = to_json(some_facts());
  text.replace(text.find("etcd.backup.zst.enc"), 19, "../../etc/passwd   ");
  EXPECT_THAT(read_backup_facts(text, "facts").error().message, HasSubstr("/object/file"));
  text = to_json(some_facts());
  text.replace(text.find(std::string(64, 'a')), 64, "A");
  EXPECT_THAT(read_backup_facts(text, "facts").error().message, HasSubstr("/object/sha256"));
}

TEST(StoreContents, HoldOurBackupsTheirsAndWhatIsNeither) {
  const StoreContents contents = sort_out({{"2026-11-18T08:20:30Z-r7-a/_etcd_backup.meta", 100},
                                           {"2026-11-18T08:20:30Z-r7-a/etcd.backup.gz", 5000},
                                           {"2026-11-18T08:20:30Z-r7-a/quorate.json", 500},
                                           {"2018-01-30T01:02:03Z-000001/_etcd_backup.meta", 100},
                                           {"2018-01-30T01:02:03Z-000001/etcd.backup.gz", 6000},
                                           {"nested/2019-01-30T01:02:03Z-000001/_etcd_backup.meta", 100},
                                           {"nested/2019-01-30T01:02:03Z-000001/etcd.backup.gz", 1},
                                           {"2026-11-18T09:00:00Z-r9-a/etcd.backup.gz", 1},
                                           {"mine/_etcd_backup.meta", 1},
                                           {"control/etcd-cluster-created", 30},
                                           {"quorate/cluster.json", 30},
                                           {"photos/cat.jpg", 3000},
                                           {"readme.txt", 30}});
  ASSERT_EQ(contents.backups.size(), 4U);
  EXPECT_EQ(contents.backups[0].name, "mine");
  EXPECT_FALSE(contents.backups[0].parsed);
  EXPECT_FALSE(contents.backups[0].object);
  EXPECT_EQ(contents.backups[1].name, "2018-01-30T01:02:03Z-000001");
  EXPECT_EQ(contents.backups[2].folder, "nested/2019-01-30T01:02:03Z-000001");
  EXPECT_EQ(contents.backups[3].size, 5000U);
  EXPECT_EQ(contents.backups[3].revision(), 7);
  EXPECT_THAT(contents.unfinished, ElementsAre("2026-11-18T09:00:00Z-r9-a"));
  EXPECT_THAT(contents.others, ElementsAre("photos", "readme.txt"));
}

TEST(StoreContents, TwoDatabasesInOneBackupAreNone) {
  const StoreContents contents = sort_out({{"2026-11-18T08:20:30Z-r7-a/_etcd_backup.meta", 100},
                                           {"2026-11-18T08:20:30Z-r7-a/etcd.backup.gz", 5000},
                                           {"2026-11-18T08:20:30Z-r7-a/etcd.backup.zst", 5000}});
  ASSERT_EQ(contents.backups.size(), 1U);
  EXPECT_FALSE(contents.backups[0].object);
  EXPECT_NE(contents.backups[0].problem, "");
}

}  // namespace quorate::model
