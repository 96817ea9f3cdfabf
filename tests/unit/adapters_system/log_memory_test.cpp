// A log that is looked at again and again: what is remembered of it never changes what is said of it.
#include "reconciler/adapters/system/log_memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"
#include "tests/support/wal_builder.h"

namespace quorate::adapters::system {
namespace {

namespace fs = std::filesystem;
using tests::wal_name;
using tests::WalBuilder;

constexpr std::size_t kSetAside = std::size_t{64} * 1024;

class Remembered : public testing::Test {
 protected:
  void SetUp() override {
    wal_.segment().snapshot(0, 0);
    grow(40);
  }
  void grow(int entries) {
    for (int i = 0; i < entries; ++i) wal_.entry(5, ++index_);
    wal_.state(5, 0xA, index_);
  }
  fs::path path_of(std::size_t segment) const { return folder_ / wal_name(segment, segment); }
  // In place, as etcd does: the last one has room that was set aside, and loses it when another one follows.
  void write() {
    for (std::size_t at = 0; at < wal_.segments.size(); ++at) {
      const bool last = at + 1 == wal_.segments.size();
      std::string content = wal_.segments[at];
      if (last) content.resize(std::max(content.size(), kSetAside));
      const bool there = fs::exists(path_of(at));
      if (there && !last && fs::file_size(path_of(at)) == content.size()) continue;
      std::fstream file(path_of(at),
                        there ? std::ios::in | std::ios::out | std::ios::binary : std::ios::out | std::ios::binary);
      file << content;
      file.close();
      fs::resize_file(path_of(at), content.size());
    }
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& each : fs::directory_iterator(folder_.path())) names.push_back(each.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  base::WalLog look(LogMemory& memory) const {
    const auto log = memory.look(folder_.path(), names());
    EXPECT_TRUE(log && *log);
    return log && *log ? **log : base::WalLog{};
  }
  void expect_the_same_as_at_the_first_look() {
    LogMemory nothing;
    EXPECT_EQ(look(memory_), look(nothing));
  }
  void flip(std::size_t segment, std::size_t offset) const {
    std::fstream file(path_of(segment), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
  }

  tests::TempFolder folder_;
  WalBuilder wal_;
  std::uint64_t index_ = 0;
  base::Duration now_{};
  LogMemory memory_{[this] { return now_; }};
};

}  // namespace

TEST_F(Remembered, GrowsWithTheLog) {
  write();
  look(memory_);
  for (int times = 0; times < 3; ++times) {
    expect_the_same_as_at_the_first_look();
    grow(30);
    write();
  }
  EXPECT_EQ(look(memory_).last.index, 130U);
}

TEST_F(Remembered, FollowsIntoTheNextSegments) {
  write();
  look(memory_);
  for (int times = 0; times < 3; ++times) {
    grow(5);
    wal_.segment();
    grow(7);
    write();
    expect_the_same_as_at_the_first_look();
  }
  EXPECT_EQ(look(memory_).last.index, 76U);
}

TEST_F(Remembered, IsReadAgainWhenTenSecondsHavePassed) {
  grow(400);
  write();
  const base::WalLog before = look(memory_);
  flip(0, 200);  // of a file that is only ever appended to
  now_ = std::chrono::seconds{9};
  EXPECT_EQ(look(memory_), before);
  now_ = std::chrono::seconds{10};
  EXPECT_TRUE(look(memory_).broken);
}

TEST_F(Remembered, IsForgottenWhenASegmentWithAnotherBehindItHasChanged) {
  grow(400);
  wal_.segment();
  grow(5);
  write();
  look(memory_);
  flip(0, 200);
  EXPECT_TRUE(look(memory_).broken);
}

TEST_F(Remembered, IsForgottenWhenItsEndIsAnotherOne) {
  grow(100);
  write();
  look(memory_);
  wal_ = WalBuilder();
  wal_.segment().snapshot(0, 0);
  index_ = 0;
  for (int i = 0; i < 200; ++i) wal_.entry(9, ++index_);
  wal_.state(9, 0xA, index_);
  write();
  expect_the_same_as_at_the_first_look();
  EXPECT_EQ(look(memory_).term, 9U);
}

TEST_F(Remembered, IsForgottenWhenAnotherFileHasItsName) {
  write();
  look(memory_);
  fs::copy_file(path_of(0), folder_ / "copy");
  fs::rename(folder_ / "copy", path_of(0));
  flip(0, 60);
  EXPECT_TRUE(look(memory_).broken);
}

TEST_F(Remembered, IsForgottenWhenItsBeginningWasPurged) {
  for (int segments = 0; segments < 3; ++segments) {
    wal_.segment();
    grow(10);
  }
  write();
  look(memory_);
  fs::remove(path_of(0));
  expect_the_same_as_at_the_first_look();
  EXPECT_EQ(look(memory_).replay_from, 41U);
}

TEST_F(Remembered, SeesARecordThatIsCutShortAndTheOneThatTakesItsPlace) {
  write();
  look(memory_);
  const std::size_t end = wal_.segments[0].size();
  grow(1);
  fs::resize_file(path_of(0), end);
  std::ofstream(path_of(0), std::ios::app | std::ios::binary) << wal_.segments[0].substr(end, 20);
  EXPECT_TRUE(look(memory_).torn);
  expect_the_same_as_at_the_first_look();
  write();
  EXPECT_FALSE(look(memory_).torn);
  expect_the_same_as_at_the_first_look();
}

TEST_F(Remembered, IsOfOneFolder) {
  write();
  look(memory_);
  const fs::path other = folder_ / "other";
  fs::create_directory(other);
  fs::copy_file(path_of(0), other / path_of(0).filename());
  const auto log = memory_.look(other, {path_of(0).filename()});
  ASSERT_TRUE(log && *log);
  EXPECT_EQ((*log)->last.index, 40U);
}

}  // namespace quorate::adapters::system
