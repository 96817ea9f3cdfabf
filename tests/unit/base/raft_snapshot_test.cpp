// Snapshot files of etcd.
#include "reconciler/base/raft_snapshot.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/wal_builder.h"

namespace quorate::base {
namespace {

std::string snapshot_file(std::string_view members) {
  std::string metadata;
  tests::put_bytes(metadata, 1, members);
  tests::put_number(metadata, 2, 1000);
  tests::put_number(metadata, 3, 7);
  std::string content;
  tests::put_bytes(content, 1, "the store");
  tests::put_bytes(content, 2, metadata);
  std::string file;
  tests::put_number(file, 1, crc32c(0, content));
  tests::put_bytes(file, 2, content);
  return file;
}

std::string members_one_by_one() {
  std::string members;
  tests::put_number(members, 1, 0xA);
  tests::put_number(members, 1, 0xB);
  tests::put_number(members, 2, 0xC);
  return members;
}

}  // namespace

TEST(RaftSnapshot, SaysWhereItStandsAndWhoWasThere) {
  const auto snapshot = read_raft_snapshot(snapshot_file(members_one_by_one()));
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  EXPECT_EQ(snapshot->index, 1000U);
  EXPECT_EQ(snapshot->term, 7U);
  EXPECT_EQ(snapshot->voters, (std::vector{MemberId{0xA}, MemberId{0xB}}));
  EXPECT_EQ(snapshot->learners, (std::vector{MemberId{0xC}}));
}

TEST(RaftSnapshot, ReadsPackedMembersToo) {
  std::string members;
  tests::put_bytes(members, 1, "\x0A\x80\x01");
  const auto snapshot = read_raft_snapshot(snapshot_file(members));
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  EXPECT_EQ(snapshot->voters, (std::vector{MemberId{10}, MemberId{128}}));
}

TEST(RaftSnapshot, NoticesEveryFlippedBitAndEveryCut) {
  const std::string whole = snapshot_file(members_one_by_one());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] ^= 0x04;
    EXPECT_FALSE(read_raft_snapshot(flipped)) << at;
    EXPECT_FALSE(read_raft_snapshot(whole.substr(0, at))) << at;
  }
}

TEST(RaftSnapshot, KnowsItsFilesByName) {
  const auto name = parse_snapshot_name("0000000000000002-000000000000007e.snap");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->term, 2U);
  EXPECT_EQ(name->index, 0x7EU);
  EXPECT_FALSE(parse_snapshot_name("000000000000007e.snap.db"));
  EXPECT_FALSE(parse_snapshot_name("0000000000000002-000000000000007e.snap.broken"));
  EXPECT_FALSE(parse_snapshot_name("db"));
}

}  // namespace quorate::base
