// etcd's write-ahead log, read whole and believed only as far as its chain of checksums holds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reconciler/base/byte_source.h"
#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"

namespace quorate::base {

// "0000000000000001-000000000000a3f0.wal": the number of the segment, and the index of the first entry in it.
struct WalName {
  std::uint64_t sequence = 0;
  std::uint64_t index = 0;
  friend auto operator<=>(const WalName&, const WalName&) = default;
};
std::optional<WalName> parse_wal_name(std::string_view file_name);  // nothing for the other files of the folder

struct WalPosition {
  std::uint64_t term = 0;
  std::uint64_t index = 0;
  friend auto operator<=>(const WalPosition&, const WalPosition&) = default;
};

struct WalBreak {
  std::string segment;
  std::uint64_t offset = 0;  // of the record that cannot be believed
  std::string why;
  friend bool operator==(const WalBreak&, const WalBreak&) = default;
};

struct WalLog {
  ClusterId cluster;  // 0: no metadata record was reached
  MemberId member;
  std::uint64_t term = 0;  // these three: of the last hard state
  MemberId vote;
  std::uint64_t commit = 0;
  WalPosition last;      // of the last entry, or of the snapshot where that is further
  WalPosition snapshot;  // the highest snapshot record that is committed; etcd does not believe the others
  std::vector<WalPosition> snapshots;  // the latest records, at most kWalSnapshotsKept, in the order of the log
  std::uint64_t replay_from = 0;       // entries from here to the end are all there; 0: there are none
  std::uint64_t records = 0;
  std::uint64_t end = 0;    // offset in the last segment behind the last whole record
  std::uint32_t chain = 0;  // the checksum there
  // The last record is cut short in a way that etcd itself repairs: a sector of it was never written, or the file ends
  // inside it.
  bool torn = false;
  std::optional<WalBreak> broken;  // everything else here is what stood before it
  friend bool operator==(const WalLog&, const WalLog&) = default;
};

inline constexpr std::size_t kWalSnapshotsKept = 64;

struct WalEntry {
  std::size_t segment = 0;   // counted from 0, in the order in which they were taken
  std::uint64_t offset = 0;  // of its record
  std::uint32_t chain = 0;   // the checksum before it
  std::string_view payload;  // a raftpb.Entry
  std::uint64_t kind = 0;    // 0: a request, anything else changes the members
  WalPosition at;
};

// Takes the segments in their order. Memory: one record, which is never longer than its segment.
class WalReader {
 public:
  using EntryVisitor = std::function<void(const WalEntry& entry)>;  // each one that is believed, as it comes
  explicit WalReader(EntryVisitor visit = {}) : visit_(std::move(visit)) {}

  // An error means that the bytes could not be read; what is wrong in them stands in log(). After a break the
  // segments that follow are not looked at.
  Result<void> read_segment(const std::string& file_name, const ByteSource& bytes, bool last);
  // The segment that was read last, from its last whole record on: it has grown, or has one after it now.
  Result<void> read_on(const std::string& file_name, const ByteSource& bytes, bool last);

  WalLog log() const;

 private:
  struct Segment {
    const std::string& name;
    const ByteSource& bytes;
    bool last = false;
    std::uint64_t offset = 0;
  };
  struct Frame {
    std::uint64_t record = 0;
    std::uint64_t padding = 0;
  };

  Result<void> read_records(Segment& segment);
  Result<std::string_view> window(const Segment& segment, std::uint64_t offset, std::uint64_t count);
  Result<bool> read_record(Segment& segment);  // false: the segment ends here
  Result<bool> judge_cut(const Segment& segment, std::uint64_t record, std::uint64_t left);
  void judge_broken(const Segment& segment, std::string_view padded, std::string why);
  void break_off(const Segment& segment, std::string why);
  bool check_order(const Segment& segment, const WalName& name);

  // Each returns what is wrong with the record, or an empty text.
  std::string take_record(std::string_view record, bool& unreadable);
  std::string take_payload(std::uint64_t type, std::string_view payload);
  std::string take_metadata(std::string_view payload);
  std::string take_entry(std::string_view payload);
  std::string take_hard_state(std::string_view payload);
  std::string take_snapshot(std::string_view payload);

  EntryVisitor visit_;
  WalEntry visited_;
  WalLog log_;
  std::uint32_t crc_ = 0;
  std::optional<WalName> previous_;
  std::optional<std::string> metadata_;
  WalPosition entry_;             // the last one
  WalPosition highest_snapshot_;  // committed or not
  bool purged_ = false;           // the log does not begin with its first segment
  bool seen_entry_ = false;
  std::string buffer_;  // bytes of the segment from buffer_at_ on
  std::uint64_t buffer_at_ = 0;
};

}  // namespace quorate::base
