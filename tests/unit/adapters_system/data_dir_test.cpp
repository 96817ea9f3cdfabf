// Data directories that a test lays out file by file; tests/integration has those of a real etcd.
#include "reconciler/adapters/system/data_dir.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/bolt_builder.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wal_builder.h"

namespace quorate::adapters::system {
namespace {

using model::DataDir;
using model::DataState;
using tests::wal_name;
using tests::WalBuilder;

class DataDirectory : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(data_ + name).parent_path());
    std::ofstream(data_ + name, std::ios::binary) << content;
  }
  void write_log(const WalBuilder& wal, std::uint64_t first = 0) {
    for (std::size_t at = 0; at < wal.segments.size(); ++at) {
      write("/member/wal/" + wal_name(first + at, at), wal.segments[at]);
    }
  }
  DataDir look(const std::string& wal = "") {
    const auto dir = read_data_dir(data_, wal);
    EXPECT_TRUE(dir) << dir.error().message;
    return dir.value_or(DataDir{});
  }

  // The database of small_etcd_db has applied entry 77.
  static WalBuilder log_of_eighty() {
    WalBuilder wal;
    wal.segment().snapshot(0, 0);
    for (std::uint64_t index = 1; index <= 80; ++index) wal.entry(5, index);
    wal.state(5, 0xA, 79);
    return wal;
  }

  tests::TempFolder folder_;
  std::string data_ = folder_ / "data";
};

}  // namespace

TEST_F(DataDirectory, IsFreshWhereItIsNotThere) {
  EXPECT_EQ(look().state, DataState::Fresh);
  data_ = folder_ / "not/there/either";
  EXPECT_EQ(look().state, DataState::Fresh);
}

TEST_F(DataDirectory, IsFreshWithoutALogSinceNobodyHereRemembersOne) {
  std::filesystem::create_directories(data_);
  EXPECT_EQ(look().state, DataState::Fresh);
  std::filesystem::create_directories(data_ + "/member/wal");
  write("/member/wal/0.tmp", "x");
  EXPECT_EQ(look().state, DataState::Fresh);
}

TEST_F(DataDirectory, IsForeignWhereAnotherEtcdHasItsOwnBelow) {
  write("/default/member/snap/db", "of somebody else");
  const DataDir dir = look();
  EXPECT_EQ(dir.state, DataState::Foreign);
  EXPECT_NE(dir.problem.find(data_ + "/default is the data directory of another etcd"), std::string::npos)
      << dir.problem;
}

TEST_F(DataDirectory, IsFreshBesideFoldersThatAreNoEtcds) {
  write("/notes.txt", "x");
  write("/member.bak/wal/0.wal", "x");  // what somebody moved there is no etcd's place
  std::filesystem::create_directories(data_ + "/lost+found");
  EXPECT_EQ(look().state, DataState::Fresh);
}

TEST_F(DataDirectory, IsUnknownWhereALinkLeadsNowhere) {
  std::filesystem::create_symlink(folder_ / "unmounted", data_);
  const auto dir = read_data_dir(data_, "");
  ASSERT_FALSE(dir);
  EXPECT_EQ(dir.error().message, data_ + " is a link to something that is not there");
  data_ += "/below/it";
  EXPECT_FALSE(read_data_dir(data_, ""));
}

TEST_F(DataDirectory, IsFollowedThroughALink) {
  write_log(log_of_eighty());
  write("/member/snap/db", tests::small_etcd_db());
  std::filesystem::rename(data_, folder_ / "elsewhere");
  std::filesystem::create_symlink(folder_ / "elsewhere", data_);
  EXPECT_EQ(look().state, DataState::Valid);
}

TEST_F(DataDirectory, IsUnknownWhereAFileStandsInItsPlace) {
  std::ofstream(data_) << "file";
  EXPECT_FALSE(read_data_dir(data_, ""));
  std::filesystem::remove(data_);
  write("/member", "file");
  EXPECT_FALSE(read_data_dir(data_, ""));
}

TEST_F(DataDirectory, IsUnknownWithoutTheRightToLook) {
  write_log(log_of_eighty());
  write("/member/snap/db", tests::small_etcd_db());
  const bool root = ::geteuid() == 0;
  for (const char* hidden : {"", "/member/wal", "/member/snap/db"}) {
    std::filesystem::permissions(data_ + hidden, std::filesystem::perms::none);
    ::chmod(folder_.path().c_str(), 0755);
    if (root) {
      ASSERT_EQ(::seteuid(65534), 0);
    }
    const auto dir = read_data_dir(data_, "");
    if (root) {
      ASSERT_EQ(::seteuid(0), 0);
    }
    std::filesystem::permissions(data_ + hidden, std::filesystem::perms(0755));
    ASSERT_FALSE(dir) << hidden;
    EXPECT_EQ(dir.error().kind, base::ErrorKind::Refused);
    EXPECT_NE(dir.error().message.find("Permission denied"), std::string::npos) << dir.error().message;
  }
}

TEST_F(DataDirectory, IsValidWhenLogAndDatabaseAgree) {
  write_log(log_of_eighty());
  write("/member/snap/db", tests::small_etcd_db());
  const DataDir dir = look();
  EXPECT_EQ(dir.state, DataState::Valid) << dir.problem;
  EXPECT_EQ(dir.path, data_);
  EXPECT_EQ(dir.cluster, base::ClusterId{0xC});
  EXPECT_EQ(dir.member, base::MemberId{0xA});
  EXPECT_EQ(dir.term, 5U);
  EXPECT_EQ(dir.commit, 79U);
  EXPECT_EQ(dir.last_index, 80U);
  EXPECT_EQ(dir.last_term, 5U);
  EXPECT_EQ(dir.consistent_index, 77U);
  EXPECT_EQ(dir.revision, 12);
}

TEST_F(DataDirectory, MayKeepItsLogElsewhere) {
  write_log(log_of_eighty());
  write("/member/snap/db", tests::small_etcd_db());
  std::filesystem::rename(data_ + "/member/wal", folder_ / "log");
  EXPECT_EQ(look(folder_ / "log").state, DataState::Valid);
  EXPECT_FALSE(look(folder_ / "log").wal_filesystem.empty());
  EXPECT_TRUE(look().wal_filesystem.empty()) << "it shares that of the data";
  EXPECT_NE(look("/proc/log").wal_filesystem, look().filesystem);
  EXPECT_EQ(look().state, DataState::Damaged) << "a database without its log is not fresh";
  std::filesystem::remove_all(data_);
  EXPECT_EQ(look(folder_ / "log").state, DataState::Damaged) << "a log without a database is not fresh";
}

TEST_F(DataDirectory, IsDamagedWhereTheLogBreaks) {
  WalBuilder wal = log_of_eighty();
  wal.segments[0][wal.offsets[40] + 20] ^= 1;
  write_log(wal);
  write("/member/snap/db", tests::small_etcd_db());
  const DataDir dir = look();
  EXPECT_EQ(dir.state, DataState::Damaged);
  EXPECT_EQ(dir.problem, data_ + "/member/wal/" + wal_name(0, 0) + " at offset " + std::to_string(wal.offsets[40]) +
                             ": the checksum of the record does not match");
}

TEST_F(DataDirectory, IsDamagedWithoutItsDatabase) {
  write_log(log_of_eighty());
  EXPECT_EQ(look().problem, data_ + "/member/snap/db is not there");
  write("/member/snap/db", tests::small_etcd_db().substr(0, 3000));
  EXPECT_EQ(look().problem, data_ + "/member/snap/db: the file ends after 2 pages of 8");
  EXPECT_EQ(look().state, DataState::Damaged);
}

TEST_F(DataDirectory, IsDamagedWhereTheDatabaseIsOlderThanTheSnapshot) {
  WalBuilder wal = log_of_eighty();
  wal.snapshot(5, 78);
  write_log(wal);
  write("/member/snap/db", tests::small_etcd_db());
  const DataDir dir = look();
  EXPECT_EQ(dir.state, DataState::Damaged);
  EXPECT_EQ(dir.problem, data_ + "/member/snap/db has applied entry 77, but the log has a snapshot of entry 78");
  EXPECT_EQ(dir.snapshot_index, 78U);
}

TEST_F(DataDirectory, IsDamagedWhereCommittedEntriesAreGone) {
  WalBuilder wal;
  wal.segment().snapshot(0, 0).entry(1, 1).state(1, 0xA, 5);
  write_log(wal);
  write("/member/snap/db", tests::small_etcd_db());
  EXPECT_EQ(look().problem, "the log in " + data_ + "/member/wal ends at entry 1, but entry 5 was committed");
}

TEST_F(DataDirectory, NeedsTheSnapshotThatItsLogContinues) {
  WalBuilder wal;
  wal.segment().snapshot(0, 0).snapshot(4, 60).entry(4, 61).state(4, 0xA, 61);
  write_log(wal);
  write("/member/snap/db", tests::small_etcd_db());
  EXPECT_EQ(look().problem, "the log in " + data_ + "/member/wal begins at entry 61, and no whole snapshot in " +
                                data_ + "/member/snap leads up to it");
  std::string metadata;
  tests::put_number(metadata, 2, 60);
  tests::put_number(metadata, 3, 4);
  std::string content;
  tests::put_bytes(content, 2, metadata);
  std::string file;
  tests::put_number(file, 1, base::crc32c(0, content));
  tests::put_bytes(file, 2, content);
  write("/member/snap/0000000000000004-000000000000003c.snap", file);
  EXPECT_EQ(look().problem, "");
  write("/member/snap/0000000000000004-000000000000003c.snap", file + "x");
  EXPECT_EQ(look().state, DataState::Damaged);
}

TEST_F(DataDirectory, IsTornWhereItsLogIsCutShort) {
  WalBuilder wal = log_of_eighty();
  wal.segments[0].resize(wal.segments[0].size() - 3);
  write_log(wal);
  write("/member/snap/db", tests::small_etcd_db());
  const DataDir dir = look();
  EXPECT_EQ(dir.state, DataState::Valid) << dir.problem;
  EXPECT_TRUE(dir.torn);
  EXPECT_EQ(dir.commit, 0U) << "the hard state was cut";
}

}  // namespace quorate::adapters::system
