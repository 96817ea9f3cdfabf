// Records of the log: frames, the chain of checksums, what each record says, and where the log stops.
#include "reconciler/base/wal.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "reconciler/base/crc32c.h"
#include "reconciler/base/protobuf_wire.h"

namespace quorate::base {
namespace {

constexpr std::uint64_t kFrame = 8;
constexpr std::uint64_t kSector = 512;
constexpr std::uint64_t kWindow = 256 * 1024;
constexpr std::uint64_t kLargestRecord = 256 * 1024 * 1024;  // far above every --max-request-bytes
constexpr std::uint64_t kLongestHead = 32;  // of a record before its payload: three keys and three numbers

enum RecordType : std::uint64_t { kMetadata = 1, kEntry = 2, kState = 3, kCrc = 4, kSnapshot = 5 };

std::optional<std::uint64_t> sixteen_digits(std::string_view text) {
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 16 || end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

// The numbers of a message by field; nothing where it breaks. Later ones win, as in protobuf.
template <std::size_t Fields>
std::optional<std::array<std::uint64_t, Fields>> numbers(std::string_view message) {
  std::array<std::uint64_t, Fields> values{};
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->field >= Fields) continue;
    if (field->type == WireType::Number) values[field->field] = field->number;
  }
  if (reader.broken()) return std::nullopt;
  return values;
}

bool lower_index(const WalPosition& a, const WalPosition& b) {
  return a.index < b.index;
}

bool all_zero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; });
}

// Was a sector of this record never written? Sectors are counted from the start of the file.
bool has_empty_sector(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view sector = bytes.substr(0, static_cast<std::size_t>(kSector - offset % kSector));
    if (all_zero(sector)) return true;
    offset += sector.size();
    bytes.remove_prefix(sector.size());
  }
  return false;
}

// Do these bytes begin a record of that length? Its payload's own length has to agree.
bool begins_record(std::string_view bytes, std::uint64_t length) {
  std::string_view rest = bytes;
  for (const std::uint64_t key : {std::uint64_t{1} << 3, std::uint64_t{2} << 3, std::uint64_t{3} << 3 | 2}) {
    if (bytes.size() < kLongestHead && rest.size() < 2) return true;
    const auto found = take_varint(rest);
    if (found != key) return false;
    const auto value = take_varint(rest);
    if (!value) return bytes.size() < kLongestHead;
    if (key >> 3 == 3) return length == bytes.size() - rest.size() + *value;
    if (key >> 3 == 1 && (*value < kMetadata || *value > kSnapshot)) return false;
  }
  return false;
}

}  // namespace

std::optional<WalName> parse_wal_name(std::string_view file_name) {
  if (file_name.size() != 37 || file_name[16] != '-' || file_name.substr(33) != ".wal") return std::nullopt;
  const auto sequence = sixteen_digits(file_name.substr(0, 16));
  const auto index = sixteen_digits(file_name.substr(17, 16));
  if (!sequence || !index) return std::nullopt;
  return WalName{*sequence, *index};
}

Result<void> WalReader::read_segment(const std::string& file_name, const ByteSource& bytes, bool last) {
  if (log_.broken) return {};
  Segment segment{file_name, bytes, last, 0};
  buffer_.clear();
  buffer_at_ = 0;
  const auto name = parse_wal_name(file_name);
  if (!name) {
    break_off(segment, "is not the name of a segment");
    return {};
  }
  if (!check_order(segment, *name)) return {};
  if (auto read = read_records(segment); !read) return read;
  ++visited_.segment;
  return {};
}

Result<void> WalReader::read_on(const std::string& file_name, const ByteSource& bytes, bool last) {
  if (log_.broken) return {};
  Segment segment{file_name, bytes, last, log_.end};
  buffer_.clear();
  buffer_at_ = 0;
  log_.torn = false;
  return read_records(segment);
}

Result<void> WalReader::read_records(Segment& segment) {
  bool more = true;
  while (more) {
    const auto read = read_record(segment);
    if (!read) return tl::unexpected(read.error());
    more = *read;
  }
  log_.end = segment.offset;
  buffer_.clear();
  return {};
}

bool WalReader::check_order(const Segment& segment, const WalName& name) {
  if (!previous_) {
    purged_ = name.sequence > 0;
  } else if (name.sequence != previous_->sequence + 1) {
    break_off(segment, "segment " + id_text(name.sequence) + " follows segment " + id_text(previous_->sequence));
    return false;
  }
  previous_ = name;
  return true;
}

// The bytes at the offset, fewer where the segment ends. They stay where they are until the next call.
Result<std::string_view> WalReader::window(const Segment& segment, std::uint64_t offset, std::uint64_t count) {
  const std::uint64_t size = segment.bytes.size();
  const std::uint64_t there = offset < size ? std::min(count, size - offset) : 0;
  if (offset < buffer_at_ || offset + there > buffer_at_ + buffer_.size()) {
    const auto want = static_cast<std::size_t>(std::min(std::max(there, kWindow), size - std::min(offset, size)));
    buffer_.resize(want);
    const auto got = segment.bytes.read(offset, buffer_.data(), want);
    if (!got) return tl::unexpected(got.error());
    buffer_.resize(*got);
    buffer_at_ = offset;
  }
  return std::string_view(buffer_).substr(static_cast<std::size_t>(offset - buffer_at_),
                                          static_cast<std::size_t>(there));
}

void WalReader::break_off(const Segment& segment, std::string why) {
  log_.broken = WalBreak{segment.name, segment.offset, std::move(why)};
}

void WalReader::judge_broken(const Segment& segment, std::string_view padded, std::string why) {
  if (segment.last && has_empty_sector(segment.offset + kFrame, padded)) {
    log_.torn = true;
  } else {
    break_off(segment, std::move(why));
  }
}

// The segment ends inside the record, or its length is wrong; etcd takes both for the first.
Result<bool> WalReader::judge_cut(const Segment& segment, std::uint64_t record, std::uint64_t left) {
  const auto there = window(segment, segment.offset + kFrame, std::min(left, kLongestHead));
  if (!there) return tl::unexpected(there.error());
  if (segment.last && begins_record(*there, record)) {
    log_.torn = true;
  } else {
    break_off(segment, "a record of " + std::to_string(record) + " bytes does not fit into the segment");
  }
  return false;
}

Result<bool> WalReader::read_record(Segment& segment) {
  const auto head = window(segment, segment.offset, kFrame);
  if (!head) return tl::unexpected(head.error());
  if (head->empty()) return false;
  if (head->size() < kFrame) {
    // Every etcd cuts such a rest off when it repairs the last segment.
    if (segment.last) {
      log_.torn = true;
    } else {
      break_off(segment, "the segment ends inside a record's length");
    }
    return false;
  }
  const auto length = little_endian<std::uint64_t>(head->data());
  if (length == 0) {
    // Space that was set aside and not written yet. The disk writes whole sectors, so this one holds nothing more.
    const auto rest = window(segment, segment.offset, kSector - segment.offset % kSector);
    if (!rest) return tl::unexpected(rest.error());
    if (!all_zero(*rest)) break_off(segment, "a record without a length");
    return false;
  }
  const Frame frame{length & 0x00FFFFFFFFFFFFFF, (length >> 63) != 0 ? (length >> 56 & 7) : 0};
  const std::uint64_t left = segment.bytes.size() - segment.offset - kFrame;
  if (frame.record > left || frame.padding > left - frame.record) return judge_cut(segment, frame.record, left);
  if (frame.record > kLargestRecord) {
    break_off(segment, "a record of " + std::to_string(frame.record) + " bytes is longer than any that etcd writes");
    return false;
  }
  const auto padded = window(segment, segment.offset + kFrame, frame.record + frame.padding);
  if (!padded) return tl::unexpected(padded.error());
  if (padded->size() < frame.record + frame.padding) {
    break_off(segment, "the segment became shorter while it was read");
    return false;
  }
  bool unreadable = false;
  visited_.offset = segment.offset;
  visited_.chain = crc_;
  std::string why = take_record(padded->substr(0, static_cast<std::size_t>(frame.record)), unreadable);
  if (!why.empty()) {
    if (unreadable) {
      judge_broken(segment, *padded, std::move(why));
    } else {
      break_off(segment, std::move(why));
    }
    return false;
  }
  ++log_.records;
  segment.offset += kFrame + frame.record + frame.padding;
  return true;
}

// `unreadable`: its bytes are not those that were written, as opposed to a record that must not stand here.
std::string WalReader::take_record(std::string_view record, bool& unreadable) {
  std::uint64_t type = 0;
  std::uint32_t crc = 0;
  std::string_view payload;
  WireReader reader(record);
  unreadable = true;
  while (const auto field = reader.next()) {
    const WireType wanted = field->field == 3 ? WireType::Bytes : WireType::Number;
    if (field->field <= 3 && field->type != wanted) return "the record cannot be decoded";
    if (field->field == 1) type = field->number;
    if (field->field == 2) crc = static_cast<std::uint32_t>(field->number);
    if (field->field == 3) payload = field->bytes;
  }
  if (reader.broken()) return "the record cannot be decoded";
  if (type == kCrc) {
    unreadable = false;
    // A log whose beginning was purged starts in the middle of the chain.
    if (crc_ != 0 && crc != crc_) return "the checksum of the segment does not continue that of the one before";
    crc_ = crc;
    return {};
  }
  const std::uint32_t chained = crc32c(crc_, payload);
  if (crc != chained) return "the checksum of the record does not match";
  unreadable = false;
  crc_ = chained;
  return take_payload(type, payload);
}

std::string WalReader::take_payload(std::uint64_t type, std::string_view payload) {
  switch (type) {
    case kMetadata:
      return take_metadata(payload);
    case kEntry:
      return take_entry(payload);
    case kState:
      return take_hard_state(payload);
    case kSnapshot:
      return take_snapshot(payload);
    default:
      return "a record of the unknown type " + std::to_string(type);
  }
}

std::string WalReader::take_metadata(std::string_view payload) {
  const auto values = numbers<3>(payload);
  if (!values) return "the metadata cannot be decoded";
  if (metadata_ && *metadata_ != payload) return "the metadata differs from that of the segment before";
  metadata_ = std::string(payload);
  log_.member = MemberId{(*values)[1]};
  log_.cluster = ClusterId{(*values)[2]};
  return {};
}

std::string WalReader::take_entry(std::string_view payload) {
  const auto values = numbers<4>(payload);
  if (!values) return "the entry cannot be decoded";
  const WalPosition entry{(*values)[2], (*values)[3]};
  if (entry.index == 0) return "an entry has no index";
  if (!seen_entry_ && purged_) {
    log_.replay_from = entry.index;
  } else if (entry.index > entry_.index + 1) {
    // Only a snapshot from another member lets the log jump.
    if (entry.index > highest_snapshot_.index + 1) {
      return "entry " + std::to_string(entry.index) + " follows entry " + std::to_string(entry_.index);
    }
    log_.replay_from = entry.index;
  } else if (log_.replay_from == 0 || entry.index < log_.replay_from) {
    log_.replay_from = entry.index;
  }
  seen_entry_ = true;
  entry_ = entry;  // an index that is written again replaces everything from there on
  if (visit_) {
    visited_.payload = payload;
    visited_.kind = (*values)[1];
    visited_.at = entry;
    visit_(visited_);
  }
  return {};
}

std::string WalReader::take_hard_state(std::string_view payload) {
  const auto values = numbers<4>(payload);
  if (!values) return "the hard state cannot be decoded";
  log_.term = (*values)[1];
  log_.vote = MemberId{(*values)[2]};
  log_.commit = (*values)[3];
  return {};
}

std::string WalReader::take_snapshot(std::string_view payload) {
  const auto values = numbers<3>(payload);
  if (!values) return "the snapshot record cannot be decoded";
  const WalPosition snapshot{(*values)[2], (*values)[1]};
  if (log_.snapshots.size() == kWalSnapshotsKept) log_.snapshots.erase(log_.snapshots.begin());
  log_.snapshots.push_back(snapshot);
  highest_snapshot_ = std::max(highest_snapshot_, snapshot, lower_index);
  return {};
}

WalLog WalReader::log() const {
  WalLog log = log_;
  log.chain = crc_;
  for (const WalPosition& snapshot : log.snapshots) {
    if (snapshot.index <= log.commit) log.snapshot = std::max(log.snapshot, snapshot, lower_index);
  }
  log.last = std::max(log.snapshot, entry_, lower_index);
  if (log.snapshot.index > entry_.index) log.replay_from = 0;
  return log;
}

}  // namespace quorate::base
