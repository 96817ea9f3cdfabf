// etcd's log: what is read out of it, and how far it is believed when a byte of it is wrong.
#include "reconciler/base/wal.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/wal_builder.h"

namespace quorate::base {
namespace {

using tests::wal_name;
using tests::WalBuilder;

WalLog read(const std::vector<std::string>& segments, std::uint64_t first = 0, std::uint64_t index = 0) {
  WalReader reader;
  for (std::size_t at = 0; at < segments.size(); ++at) {
    const TextBytes bytes(segments[at]);
    EXPECT_TRUE(reader.read_segment(wal_name(first + at, at == 0 ? index : 1), bytes, at + 1 == segments.size()));
  }
  return reader.log();
}

std::string why(const WalLog& log) {
  return log.broken ? log.broken->why : "";
}

// Ten entries in two segments, the first snapshot, two hard states.
WalBuilder small_log() {
  WalBuilder wal;
  wal.segment().snapshot(0, 0);
  for (std::uint64_t index = 1; index <= 5; ++index) wal.entry(2, index);
  wal.state(2, 0xA, 4).segment();
  for (std::uint64_t index = 6; index <= 10; ++index) wal.entry(3, index);
  wal.state(3, 0xB, 9);
  return wal;
}

}  // namespace

TEST(Wal, ReadsWhoseItIsAndHowFarItGoes) {
  const WalLog log = read(small_log().segments);
  EXPECT_FALSE(log.broken) << why(log);
  EXPECT_FALSE(log.torn);
  EXPECT_EQ(log.member, MemberId{0xA});
  EXPECT_EQ(log.cluster, ClusterId{0xC});
  EXPECT_EQ(log.term, 3U);
  EXPECT_EQ(log.vote, MemberId{0xB});
  EXPECT_EQ(log.commit, 9U);
  EXPECT_EQ(log.last, (WalPosition{3, 10}));
  EXPECT_EQ(log.snapshot, (WalPosition{0, 0}));
  EXPECT_EQ(log.replay_from, 1U);
  EXPECT_EQ(log.records, 17U);
}

TEST(Wal, EndsWhereTheSpaceThatWasSetAsideBegins) {
  WalBuilder wal = small_log();
  const std::size_t end = wal.segments.back().size();
  wal.segments.back() += std::string(100'000, '\0');
  wal.segments.front() += std::string(64, '\0');
  const WalLog log = read(wal.segments);
  EXPECT_FALSE(log.broken || log.torn);
  EXPECT_EQ(log.last.index, 10U);
  EXPECT_EQ(log.end, end);
}

TEST(Wal, TakesAnIndexThatIsWrittenAgainForTheEndOfEverythingBehindIt) {
  WalBuilder wal = small_log();
  wal.entry(4, 10).entry(4, 11).entry(5, 10);
  EXPECT_EQ(read(wal.segments).last, (WalPosition{5, 10}));
}

TEST(Wal, NamesTheRecordWhereTheChainBreaks) {
  WalBuilder wal = small_log();
  wal.segments[1][wal.offsets[12] + 20] ^= 1;  // the second entry of the second segment, counted from both CRC records
  const WalLog log = read(wal.segments);
  ASSERT_TRUE(log.broken);
  EXPECT_EQ(log.broken->segment, wal_name(1, 1));
  EXPECT_EQ(log.broken->offset, wal.offsets[12]);
  EXPECT_EQ(log.broken->why, "the checksum of the record does not match");
  EXPECT_LT(log.last.index, 10U);
}

TEST(Wal, NoticesEveryFlippedBitOfEveryRecord) {
  const WalBuilder wal = small_log();
  const WalLog whole = read(wal.segments);
  for (std::size_t segment = 0; segment < wal.segments.size(); ++segment) {
    for (std::size_t at = 0; at < wal.segments[segment].size(); ++at) {
      auto copy = wal.segments;
      copy[segment][at] ^= 0x10;
      const WalLog log = read(copy);
      const bool noticed = log.broken || log.torn;
      const bool unharmed = log.last == whole.last && log.commit == whole.commit && log.member == whole.member;
      EXPECT_TRUE(noticed || unharmed) << segment << " " << at;  // padding may be anything
    }
  }
}

TEST(Wal, NoticesASegmentThatDoesNotContinueTheOneBefore) {
  WalBuilder other;
  other.segment().snapshot(0, 0).entry(2, 1, "other").segment().entry(3, 6);
  const WalLog log = read({small_log().segments[0], other.segments[1]});
  EXPECT_EQ(why(log), "the checksum of the segment does not continue that of the one before");
  EXPECT_EQ(log.broken->offset, 0U);
}

TEST(Wal, NoticesASegmentThatIsMissing) {
  const WalBuilder wal = small_log();
  WalReader reader;
  const TextBytes first(wal.segments[0]);
  const TextBytes second(wal.segments[1]);
  EXPECT_TRUE(reader.read_segment(wal_name(0, 0), first, false));
  EXPECT_TRUE(reader.read_segment(wal_name(2, 9), second, true));
  EXPECT_EQ(why(reader.log()), "segment 2 follows segment 0");
}

TEST(Wal, NoticesEntriesThatAreMissing) {
  WalBuilder wal;
  wal.segment().snapshot(0, 0).entry(1, 1).entry(1, 3);
  EXPECT_EQ(why(read(wal.segments)), "entry 3 follows entry 1");
  WalBuilder late;
  late.segment().snapshot(0, 0).entry(1, 2);
  EXPECT_EQ(why(read(late.segments)), "entry 2 follows entry 0");
}

TEST(Wal, NoticesMetadataOfAnotherMember) {
  WalBuilder wal;
  wal.segment(0xA, 0xC).entry(1, 1).segment(0xB, 0xC);
  EXPECT_EQ(why(read(wal.segments)), "the metadata differs from that of the segment before");
}

TEST(Wal, NoticesRecordsThatNoEtcdWrites) {
  WalBuilder unknown;
  unknown.segment().add(7, "");
  EXPECT_EQ(why(read(unknown.segments)), "a record of the unknown type 7");
  WalBuilder bad_entry;
  bad_entry.segment().add(2, "\xFF\xFF");
  EXPECT_EQ(why(read(bad_entry.segments)), "the entry cannot be decoded");
  WalBuilder no_index;
  no_index.segment().entry(1, 0);
  EXPECT_EQ(why(read(no_index.segments)), "an entry has no index");
}

TEST(Wal, JumpsOnlyOverASnapshotFromAnotherMember) {
  WalBuilder wal;
  wal.segment().snapshot(0, 0).entry(1, 1).snapshot(4, 100).state(4, 0, 100);
  const WalLog at_snapshot = read(wal.segments);
  EXPECT_EQ(at_snapshot.last, (WalPosition{4, 100}));
  EXPECT_EQ(at_snapshot.snapshot, (WalPosition{4, 100}));
  EXPECT_EQ(at_snapshot.replay_from, 0U);
  wal.entry(4, 101).state(4, 0, 101);
  const WalLog log = read(wal.segments);
  EXPECT_FALSE(log.broken) << why(log);
  EXPECT_EQ(log.last, (WalPosition{4, 101}));
  EXPECT_EQ(log.replay_from, 101U);
}

TEST(Wal, DoesNotCountASnapshotThatIsNotCommitted) {
  WalBuilder wal;
  wal.segment().snapshot(0, 0).entry(1, 1).entry(1, 2).state(1, 0, 2).snapshot(4, 100);
  const WalLog log = read(wal.segments);
  EXPECT_EQ(log.last, (WalPosition{1, 2}));
  EXPECT_EQ(log.snapshot.index, 0U);
  wal.entry(1, 3);
  EXPECT_EQ(read(wal.segments).replay_from, 1U);
}

TEST(Wal, ReadsALogWhoseBeginningWasPurged) {
  WalBuilder wal = small_log();
  wal.snapshot(3, 8);
  const WalLog log = read({wal.segments[1]}, 1, 6);
  EXPECT_FALSE(log.broken) << why(log);
  EXPECT_EQ(log.member, MemberId{0xA});
  EXPECT_EQ(log.last, (WalPosition{3, 10}));
  EXPECT_EQ(log.replay_from, 6U);
  EXPECT_EQ(log.snapshot, (WalPosition{3, 8}));
}

TEST(Wal, CallsARecordTornWhenASectorOfItWasNeverWritten) {
  WalBuilder wal = small_log();
  wal.entry(3, 11, std::string(2000, 'x')).state(3, 0xB, 11);
  std::string& last = wal.segments.back();
  const std::size_t record = wal.offsets[wal.offsets.size() - 2];
  const std::size_t sector = (record + 8 + 600 + 511) / 512 * 512;
  std::fill(last.begin() + static_cast<std::ptrdiff_t>(sector),
            last.begin() + static_cast<std::ptrdiff_t>(sector + 512), '\0');
  const WalLog log = read(wal.segments);
  EXPECT_FALSE(log.broken) << why(log);
  EXPECT_TRUE(log.torn);
  EXPECT_EQ(log.last.index, 10U);
  EXPECT_EQ(log.end, record);

  // The same in a segment that is not the last is no crash but damage.
  const WalLog inner = read({wal.segments[0], last, std::string()});
  ASSERT_TRUE(inner.broken);
  EXPECT_EQ(inner.broken->offset, record);
}

TEST(Wal, DoesNotCallARecordTornWhenLessThanASectorIsEmpty) {
  WalBuilder wal = small_log();
  wal.entry(3, 11, std::string(2000, 'x'));
  std::string& last = wal.segments.back();
  const std::size_t sector = (wal.offsets.back() + 8 + 600 + 511) / 512 * 512;
  std::fill(last.begin() + static_cast<std::ptrdiff_t>(sector),
            last.begin() + static_cast<std::ptrdiff_t>(sector + 511), '\0');
  const WalLog log = read(wal.segments);
  EXPECT_FALSE(log.torn);
  EXPECT_EQ(why(log), "the checksum of the record does not match");
}

TEST(Wal, CallsARecordTornAtEveryPlaceWhereTheFileCanEnd) {
  WalBuilder wal = small_log();
  wal.entry(3, 11, std::string(100, 'x'));
  const std::size_t record = wal.offsets.back();
  const std::string whole = wal.segments.back();
  for (std::size_t size = record + 1; size < whole.size(); ++size) {
    const WalLog log = read({wal.segments[0], whole.substr(0, size)});
    EXPECT_FALSE(log.broken) << size << " " << why(log);
    EXPECT_TRUE(log.torn) << size;
    EXPECT_EQ(log.last.index, 10U) << size;
    EXPECT_TRUE(read({wal.segments[0], whole.substr(0, size), std::string()}).broken) << size;
  }
}

TEST(Wal, DoesNotTakeAWrongLengthForATornRecord) {
  WalBuilder wal = small_log();
  const std::size_t third = wal.offsets[12];
  wal.segments[1][third + 2] = 1;  // 65 KiB longer: etcd would cut everything off from here on
  const WalLog log = read(wal.segments);
  EXPECT_FALSE(log.torn);
  ASSERT_TRUE(log.broken);
  EXPECT_EQ(log.broken->offset, third);
  EXPECT_NE(why(log).find("does not fit into the segment"), std::string::npos) << why(log);
}

TEST(Wal, SurvivesLengthsOfEverySize) {
  for (int shift = 0; shift < 64; ++shift) {
    WalBuilder wal = small_log();
    std::string length;
    tests::put_fixed(length, std::uint64_t{1} << shift | 1, 8);
    wal.segments[1].replace(wal.offsets[12], 8, length);
    EXPECT_TRUE(read(wal.segments).broken || read(wal.segments).torn) << shift;
  }
}

TEST(Wal, DoesNotTakeALengthThatBecameZeroForTheEnd) {
  WalBuilder wal = small_log();
  wal.segments[1].replace(wal.offsets[12], 8, std::string(8, '\0'));
  wal.segments[1].resize(4096);
  EXPECT_EQ(why(read(wal.segments)), "a record without a length");
}

TEST(Wal, KnowsItsFilesByName) {
  EXPECT_EQ(parse_wal_name("0000000000000001-000000000000a3f0.wal"), (WalName{1, 0xa3f0}));
  for (const char* name : {"0.tmp", "", "0000000000000001-000000000000a3f0.wal.broken", "0000000000000001-a3f0.wal",
                           "000000000000000g-000000000000a3f0.wal", "00000000000000+1-000000000000a3f0.wal"}) {
    EXPECT_FALSE(parse_wal_name(name)) << name;
  }
}

TEST(Wal, PassesOnThatItCouldNotRead) {
  class Broken final : public ByteSource {
   public:
    std::uint64_t size() const override { return 1000; }
    Result<std::size_t> read(std::uint64_t, char*, std::size_t) const override {
      return tl::unexpected(Error{ErrorKind::Transient, "input/output error", ""});
    }
  };
  WalReader reader;
  const auto done = reader.read_segment(wal_name(0, 0), Broken(), true);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Transient);
  EXPECT_FALSE(reader.log().broken);
}

}  // namespace quorate::base
