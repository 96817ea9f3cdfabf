// The log of a survivor: what is raised, what is emptied, what is refused, and that the chain holds afterwards.
#include "reconciler/base/wal_edit.h"

#include <algorithm>
#include <list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/wal_builder.h"

namespace quorate::base {
namespace {

using tests::put_bytes;
using tests::put_number;
using tests::wal_name;
using tests::WalBuilder;

constexpr std::uint64_t kSelf = 0xA;
constexpr std::uint64_t kAdd = 0;
constexpr std::uint64_t kRemove = 1;
constexpr std::uint64_t kAddLearner = 3;

std::string change_entry(std::uint64_t term, std::uint64_t index, std::uint64_t type, std::uint64_t member) {
  std::string change;
  put_number(change, 1, 7);
  put_number(change, 2, type);
  put_number(change, 3, member);
  put_bytes(change, 4, "{}");
  std::string entry;
  put_number(entry, 1, 1);
  put_number(entry, 2, term);
  put_number(entry, 3, index);
  put_bytes(entry, 4, change);
  return entry;
}

// Three members, all committed, and twenty more entries of which the last ten are not known to be.
WalBuilder three_members() {
  WalBuilder wal;
  wal.segment().snapshot(0, 0);
  for (std::uint64_t member = 0; member < 3; ++member) wal.add(2, change_entry(1, member + 1, kAdd, kSelf + member));
  wal.state(1, 0, 3);
  for (std::uint64_t index = 4; index <= 23; ++index) wal.entry(2, index, "entry " + std::to_string(index));
  wal.state(2, 0xB, 13);
  return wal;
}

struct Log {
  explicit Log(const std::vector<std::string>& texts, std::uint64_t first = 0) {
    for (std::size_t at = 0; at < texts.size(); ++at) {
      segments.push_back({wal_name(first + at, at == 0 ? first : 1), bytes.emplace_back(texts[at])});
    }
  }
  std::list<TextBytes> bytes;
  std::vector<WalSegment> segments;
};

struct Entry {
  std::uint64_t kind = 0;
  WalPosition at;
  std::string payload;
};
struct Reread {
  WalLog log;
  std::vector<Entry> entries;
};

Reread read(const std::vector<std::string>& texts, std::uint64_t first = 0) {
  Reread result;
  WalReader reader([&result](const WalEntry& entry) {
    result.entries.push_back({entry.kind, entry.at, std::string(entry.payload)});
  });
  const Log log(texts, first);
  for (const WalSegment& segment : log.segments) {
    EXPECT_TRUE(reader.read_segment(segment.name, segment.bytes, &segment == &log.segments.back()));
  }
  result.log = reader.log();
  return result;
}

Result<WalEdit> edit(const std::vector<std::string>& texts, const std::vector<RaftSnapshot>& snapshots = {},
                     std::uint64_t first = 0) {
  const Log log(texts, first);
  return commit_all(log.segments, snapshots);
}

// The segments after the edit, read again: whole, and all of it committed.
Reread edited(std::vector<std::string> texts, const std::vector<RaftSnapshot>& snapshots = {},
              std::uint64_t first = 0) {
  const auto done = edit(texts, snapshots, first);
  EXPECT_TRUE(done) << done.error().message;
  if (!done) return {};
  for (const WalPatch& patch : done->patches) {
    for (std::size_t at = 0; at < texts.size(); ++at) {
      if (wal_name(first + at, at == 0 ? first : 1) != patch.segment) continue;
      texts[at].resize(static_cast<std::size_t>(patch.offset));
      texts[at] += patch.bytes;
    }
  }
  Reread result = read(texts, first);
  EXPECT_FALSE(result.log.broken) << result.log.broken->why;
  EXPECT_FALSE(result.log.torn);
  EXPECT_EQ(result.log.commit, result.log.last.index);
  EXPECT_GE(result.log.term, result.log.last.term);
  return result;
}

std::string why(const Result<WalEdit>& done) {
  return done ? "" : done.error().message;
}

RaftSnapshot snapshot_of(std::uint64_t term, std::uint64_t index, std::vector<MemberId> voters,
                         std::vector<MemberId> learners = {}) {
  return {term, index, std::move(voters), std::move(learners)};
}

}  // namespace

TEST(WalEdit, RaisesTheCommitIndexToTheLastEntryAndTouchesNothingElse) {
  const WalBuilder wal = three_members();
  const auto done = edit(wal.segments);
  ASSERT_TRUE(done) << why(done);
  EXPECT_EQ(done->last, (WalPosition{2, 23}));
  EXPECT_EQ(done->before.commit, 13U);
  EXPECT_EQ(done->emptied, 0U);
  EXPECT_FALSE(done->promoted);
  ASSERT_EQ(done->patches.size(), 1U);
  EXPECT_EQ(done->patches[0].offset, wal.segments[0].size());

  const Reread after = edited(wal.segments);
  EXPECT_EQ(after.log.commit, 23U);
  EXPECT_EQ(after.log.term, 2U);
  EXPECT_EQ(after.log.vote, MemberId{0xB});
  EXPECT_EQ(after.entries.size(), 23U);
}

TEST(WalEdit, CutsOffTheSpaceThatWasSetAside) {
  WalBuilder wal = three_members();
  const std::size_t end = wal.segments[0].size();
  wal.segments[0].resize(end + 4096);
  const auto done = edit(wal.segments);
  ASSERT_TRUE(done) << why(done);
  EXPECT_EQ(done->patches[0].offset, end);
  EXPECT_EQ(edited(wal.segments).log.commit, 23U);
}

TEST(WalEdit, EmptiesChangesOfTheMembersThatNobodyKnowsToBeCommitted) {
  WalBuilder wal = three_members();
  wal.add(2, change_entry(2, 24, kRemove, kSelf + 1))
      .entry(2, 25, "behind it")
      .add(2, change_entry(2, 26, kRemove, kSelf));
  const auto done = edit(wal.segments);
  ASSERT_TRUE(done) << why(done);
  EXPECT_EQ(done->emptied, 2U);

  const Reread after = edited(wal.segments);
  ASSERT_EQ(after.entries.size(), 26U);
  EXPECT_EQ(after.entries[2].kind, 1U);  // committed ones stay
  EXPECT_EQ(after.entries[23].kind, 0U);
  EXPECT_EQ(after.entries[23].at, (WalPosition{2, 24}));
  EXPECT_EQ(after.entries[24].payload.find("behind it") == std::string::npos, false);
  EXPECT_EQ(after.entries[25].kind, 0U);
  EXPECT_EQ(after.log.commit, 26U);
}

TEST(WalEdit, CarriesTheChainThroughAllSegmentsBehindTheFirstChange) {
  WalBuilder wal = three_members();
  wal.add(2, change_entry(2, 24, kRemove, kSelf)).segment();
  for (std::uint64_t index = 25; index <= 30; ++index) wal.entry(2, index);
  wal.segment();
  for (std::uint64_t index = 31; index <= 40; ++index) wal.entry(2, index);
  const auto done = edit(wal.segments);
  ASSERT_TRUE(done) << why(done);
  EXPECT_EQ(done->patches.size(), 3U);
  const Reread after = edited(wal.segments);
  EXPECT_EQ(after.log.commit, 40U);
  EXPECT_EQ(after.entries.size(), 40U);
}

TEST(WalEdit, LeavesOutWhatWasWrittenOver) {
  WalBuilder wal = three_members();
  // A leader's change that the next leader replaced.
  wal.add(2, change_entry(2, 24, kRemove, kSelf)).entry(3, 24, "instead").state(3, 0, 20);
  const auto done = edit(wal.segments);
  ASSERT_TRUE(done) << why(done);
  EXPECT_EQ(done->emptied, 0U);
  EXPECT_EQ(done->last, (WalPosition{3, 24}));
}

TEST(WalEdit, PromotesASurvivorThatWasALearner) {
  WalBuilder wal;
  wal.segment().snapshot(0, 0).add(2, change_entry(1, 1, kAdd, 0xB)).add(2, change_entry(1, 2, kAddLearner, kSelf));
  wal.entry(1, 3).state(1, 0, 2);
  const auto done = edit(wal.segments);
  ASSERT_TRUE(done) << why(done);
  EXPECT_TRUE(done->promoted);
  EXPECT_EQ(done->last, (WalPosition{1, 3}));  // what there was

  const Reread after = edited(wal.segments);
  ASSERT_EQ(after.entries.size(), 4U);
  EXPECT_EQ(after.entries[3].kind, 1U);
  EXPECT_EQ(after.entries[3].at, (WalPosition{1, 4}));
  EXPECT_NE(after.entries[3].payload.find("{\"id\":10,\"peerURLs\":null,\"isPromote\":true}"), std::string::npos);
  EXPECT_EQ(after.log.commit, 4U);
}

TEST(WalEdit, PromotesALearnerWhosePromotionIsNotKnownToBeCommitted) {
  WalBuilder wal;
  wal.segment().snapshot(0, 0).add(2, change_entry(1, 1, kAdd, 0xB)).add(2, change_entry(1, 2, kAddLearner, kSelf));
  wal.add(2, change_entry(1, 3, kAdd, kSelf)).state(1, 0, 2);
  const auto done = edit(wal.segments);
  ASSERT_TRUE(done) << why(done);
  EXPECT_TRUE(done->promoted);
  EXPECT_EQ(done->emptied, 1U);
  wal.state(1, 0, 3);
  const auto committed = edit(wal.segments);
  ASSERT_TRUE(committed) << why(committed);
  EXPECT_FALSE(committed->promoted);
  EXPECT_EQ(committed->emptied, 0U);
}

TEST(WalEdit, KnowsALearnerByTheSnapshotThatItBeganWith) {
  WalBuilder wal;
  wal.segment().snapshot(0, 0).snapshot(4, 100).state(4, 0, 100).entry(4, 101);
  const auto learner = edit(wal.segments, {snapshot_of(4, 100, {MemberId{0xB}}, {MemberId{kSelf}})});
  ASSERT_TRUE(learner) << why(learner);
  EXPECT_TRUE(learner->promoted);
  const auto voter = edit(wal.segments, {snapshot_of(4, 100, {MemberId{kSelf}})});
  ASSERT_TRUE(voter) << why(voter);
  EXPECT_FALSE(voter->promoted);
}

TEST(WalEdit, TakesALogThatBeginsRightAfterAReceivedSnapshot) {
  WalBuilder wal;
  wal.segment().snapshot(0, 0).entry(1, 1).snapshot(4, 100).state(4, 0, 100);
  const std::vector<RaftSnapshot> snapshots{snapshot_of(4, 100, {MemberId{kSelf}, MemberId{0xB}})};
  const auto at_it = edit(wal.segments, snapshots);
  ASSERT_TRUE(at_it) << why(at_it);
  EXPECT_EQ(at_it->last, (WalPosition{4, 100}));
  wal.entry(4, 101).entry(4, 102);
  const auto behind_it = edit(wal.segments, snapshots);
  ASSERT_TRUE(behind_it) << why(behind_it);
  EXPECT_EQ(behind_it->last, (WalPosition{4, 102}));
  EXPECT_EQ(edited(wal.segments, snapshots).log.commit, 102U);

  EXPECT_EQ(why(edit(wal.segments)), "the log begins at entry 101, and no whole snapshot leads up to it");
  EXPECT_EQ(edit(wal.segments).error().kind, ErrorKind::Invalid);
}

TEST(WalEdit, TakesALogWhoseBeginningWasPurged) {
  WalBuilder wal = three_members();
  wal.segment().state(2, 0xB, 13).snapshot(2, 20);
  for (std::uint64_t index = 24; index <= 30; ++index) wal.entry(2, index);
  wal.snapshot(2, 25);
  const std::vector<std::string> rest{wal.segments[1]};
  const auto done = edit(rest, {snapshot_of(2, 25, {MemberId{kSelf}})}, 1);
  ASSERT_TRUE(done) << why(done);
  EXPECT_EQ(done->last, (WalPosition{2, 30}));
  EXPECT_EQ(edited(rest, {snapshot_of(2, 25, {MemberId{kSelf}})}, 1).log.commit, 30U);
  // A snapshot file that the log does not know is none that etcd would take.
  EXPECT_EQ(edit(rest, {snapshot_of(2, 24, {MemberId{kSelf}})}, 1).error().kind, ErrorKind::Invalid);
}

TEST(WalEdit, CutsATornTailOff) {
  WalBuilder wal = three_members();
  wal.entry(2, 24, std::string(3000, 'x'));
  std::string& text = wal.segments[0];
  const std::size_t record = wal.offsets.back();
  const std::size_t sector = (record + 8 + 600 + 511) / 512 * 512;
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(sector),
            text.begin() + static_cast<std::ptrdiff_t>(sector + 512), '\0');
  const auto done = edit(wal.segments);
  ASSERT_TRUE(done) << why(done);
  EXPECT_TRUE(done->before.torn);
  EXPECT_EQ(done->last, (WalPosition{2, 23}));
  EXPECT_EQ(edited(wal.segments).log.commit, 23U);
  text.resize(sector - 100);
  EXPECT_EQ(edited(wal.segments).log.commit, 23U);
}

TEST(WalEdit, Attack12_RefusesALogWithAZeroedRecordInTheMiddle) {
  WalBuilder whole;
  whole.segment().snapshot(0, 0).add(2, change_entry(1, 1, kAdd, kSelf)).state(1, kSelf, 1);
  for (std::uint64_t index = 2; index <= 60; ++index) {
    whole.entry(1, index, std::string(index * 17 % 600, 'x')).state(1, kSelf, index);
  }
  const std::size_t end = whole.segments[0].size();
  whole.segments[0].resize(end + 8192);
  // All but the last two batches: a hole there may be of the crash itself.
  for (std::size_t number = 5; number + 3 < whole.offsets.size(); ++number) {
    // A place of zeros, as a disk gives back that lost it: the record's length stays, or goes too.
    for (const std::size_t kept : {std::size_t{8}, std::size_t{0}}) {
      std::vector<std::string> segments = whole.segments;
      std::fill(segments[0].begin() + static_cast<std::ptrdiff_t>(whole.offsets[number] + kept),
                segments[0].begin() + static_cast<std::ptrdiff_t>(whole.offsets[number + 1]), '\0');
      const auto done = edit(segments);
      ASSERT_FALSE(done) << number << " " << kept;
      EXPECT_EQ(done.error().kind, ErrorKind::Invalid);
      EXPECT_EQ(done.error().message.substr(0, 18), "the log is damaged") << done.error().message;
    }
  }
}

TEST(WalEdit, Attack18_TakesAHoleInTheBatchThatWasBeingWrittenForItsEnd) {
  WalBuilder wal = three_members();
  for (std::uint64_t index = 24; index <= 40; ++index) wal.entry(2, index, std::string(200, 'x'));
  wal.state(2, 0xB, 30);
  const std::size_t hole = wal.offsets[wal.offsets.size() - 12];
  std::string& text = wal.segments[0];
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(hole),
            text.begin() + static_cast<std::ptrdiff_t>((hole + 511) / 512 * 512), '\0');
  text.resize(text.size() + 4096);
  const auto done = edit(wal.segments);
  ASSERT_TRUE(done) << why(done);
  EXPECT_EQ(done->last, (WalPosition{2, 29}));
  EXPECT_EQ(edited(wal.segments).log.commit, 29U);
}

TEST(WalEdit, RefusesALogThatEndsBelowWhatWasCommitted) {
  WalBuilder wal = three_members();
  wal.state(2, 0xB, 24);
  EXPECT_EQ(why(edit(wal.segments)), "the log is damaged: it ends at entry 23, but entry 24 was committed");
}

TEST(WalEdit, RefusesAMemberThatWasRemovedForGood) {
  WalBuilder wal = three_members();
  wal.add(2, change_entry(2, 24, kRemove, kSelf)).state(2, 0xB, 24);
  const auto done = edit(wal.segments);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Refused);
  EXPECT_EQ(done.error().message, "member a was removed from its cluster: its log says so");
}

TEST(WalEdit, RefusesALogThatSaysNothing) {
  EXPECT_EQ(why(edit({})), "there is no log");
  WalBuilder empty;
  empty.segment().snapshot(0, 0);
  EXPECT_EQ(why(edit(empty.segments)), "the log holds no entry");
  WalBuilder nobody;
  nobody.segment(0, 0).entry(1, 1);
  EXPECT_EQ(why(edit(nobody.segments)), "the log does not say which member it belongs to");
}

TEST(WalEdit, RaisesTheTermOfAHardStateThatDidNotReachTheDisk) {
  WalBuilder wal = three_members();
  wal.entry(5, 24);
  const Reread after = edited(wal.segments);
  EXPECT_EQ(after.log.term, 5U);
  EXPECT_EQ(after.log.vote, MemberId{});  // of that term nothing is known
  // A snapshot that was received counts, too, as soon as everything is committed.
  wal.snapshot(7, 24);
  EXPECT_EQ(edited(wal.segments).log.term, 7U);
}

TEST(WalEdit, ChangesNothingMoreWhenItIsDoneTwice) {
  WalBuilder wal = three_members();
  wal.add(2, change_entry(2, 24, kRemove, kSelf));
  std::vector<std::string> texts = wal.segments;
  const auto first = edit(texts);
  ASSERT_TRUE(first) << why(first);
  texts[0] = texts[0].substr(0, static_cast<std::size_t>(first->patches[0].offset)) + first->patches[0].bytes;
  const auto second = edit(texts);
  ASSERT_TRUE(second) << why(second);
  EXPECT_EQ(second->emptied, 0U);
  EXPECT_EQ(second->last, first->last);
}

TEST(WalEdit, PassesOnThatItCouldNotRead) {
  class Unreadable final : public ByteSource {
   public:
    std::uint64_t size() const override { return 4096; }
    Result<std::size_t> read(std::uint64_t, char*, std::size_t) const override {
      return tl::unexpected(Error{ErrorKind::Transient, "the disk does not answer", ""});
    }
  };
  const Unreadable bytes;
  const auto done = commit_all({{wal_name(0, 0), bytes}}, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Transient);
}

}  // namespace quorate::base
