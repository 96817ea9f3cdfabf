// One pass that finds what has to change, and a second one over the records from the first change on.
#include "reconciler/base/wal_edit.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "reconciler/base/crc32c.h"
#include "reconciler/base/protobuf_wire.h"

namespace quorate::base {
namespace {

constexpr std::uint64_t kFrame = 8;
constexpr std::uint64_t kEntry = 2;
constexpr std::uint64_t kState = 3;
constexpr std::uint64_t kCrc = 4;
constexpr std::uint64_t kChange = 1;  // raftpb.EntryConfChange
constexpr std::uint64_t kAdd = 0;     // raftpb.ConfChangeAddNode
constexpr std::uint64_t kRemove = 1;
constexpr std::uint64_t kAddLearner = 3;

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to.push_back(static_cast<char>((value & 127) | 128));
  to.push_back(static_cast<char>(value));
}

void put_number(std::string& to, std::uint64_t field, std::uint64_t value) {
  put_varint(to, field << 3);
  put_varint(to, value);
}

void put_bytes(std::string& to, std::uint64_t field, std::string_view bytes) {
  put_varint(to, field << 3 | 2);
  put_varint(to, bytes.size());
  to += bytes;
}

std::string entry_bytes(std::uint64_t kind, const WalPosition& at, std::string_view data) {
  std::string entry;
  put_number(entry, 1, kind);
  put_number(entry, 2, at.term);
  put_number(entry, 3, at.index);
  if (!data.empty()) put_bytes(entry, 4, data);
  return entry;
}

// As etcd's leader writes it for a learner that has caught up.
std::string promotion_of(MemberId member) {
  std::string change;
  put_number(change, 1, 1);
  put_number(change, 2, kAdd);
  put_number(change, 3, member.value);
  put_bytes(change, 4, "{\"id\":" + std::to_string(member.value) + ",\"peerURLs\":null,\"isPromote\":true}");
  return change;
}

// Records behind one another, chained by their checksums.
class Chain {
 public:
  explicit Chain(std::uint32_t before) : crc_(before) {}

  void add(std::uint64_t type, std::string_view payload) {
    crc_ = crc32c(crc_, payload);
    std::string record = head(type);
    if (!payload.empty()) put_bytes(record, 3, payload);
    frame(record);
  }
  void add_checksum() { frame(head(kCrc)); }
  std::string take() { return std::exchange(bytes_, std::string()); }  // what was added since

 private:
  std::string head(std::uint64_t type) const {
    std::string record;
    put_number(record, 1, type);
    put_number(record, 2, crc_);
    return record;
  }
  void frame(const std::string& record) {
    const std::size_t padding = (8 - record.size() % 8) % 8;
    std::uint64_t length = record.size();
    if (padding != 0) length |= std::uint64_t{0x80 | padding} << 56;
    for (unsigned shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<char>(length >> shift & 0xFF));
    bytes_ += record;
    bytes_.append(padding, '\0');
  }

  std::uint32_t crc_;
  std::string bytes_;
};

struct Change {  // of the members
  std::size_t segment = 0;
  std::uint64_t offset = 0;
  std::uint32_t chain = 0;
  WalPosition at;
  std::uint64_t type = 0;
  MemberId member;
  bool decoded = false;
};

Change change_in(const WalEntry& entry) {
  Change change{entry.segment, entry.offset, entry.chain, entry.at, 0, {}, false};
  WireReader outer(entry.payload);
  std::string_view data;
  while (const auto field = outer.next()) {
    if (field->field == 4 && field->type == WireType::Bytes) data = field->bytes;
  }
  WireReader inner(data);
  while (const auto field = inner.next()) {
    if (field->type != WireType::Number) continue;
    if (field->field == 2) change.type = field->number;
    if (field->field == 3) change.member = MemberId{field->number};
  }
  change.decoded = entry.kind == kChange && !outer.broken() && !inner.broken();
  return change;
}

// What the log says about the members, without what was written over later.
struct Scan {
  WalLog log;
  std::vector<Change> changes;
};

Result<Scan> scan(const std::vector<WalSegment>& segments) {
  Scan scan;
  WalReader reader([&scan](const WalEntry& entry) {
    while (!scan.changes.empty() && scan.changes.back().at.index >= entry.at.index) scan.changes.pop_back();
    if (entry.kind != 0) scan.changes.push_back(change_in(entry));
  });
  for (const WalSegment& segment : segments) {
    const bool last = &segment == &segments.back();
    if (auto read = reader.read_segment(segment.name, segment.bytes, last); !read) {
      return tl::unexpected(std::move(read.error()));
    }
  }
  scan.log = reader.log();
  return scan;
}

Result<void> check_whole(const WalLog& log) {
  const std::string help = "choose another directory, or a backup";
  if (log.broken) {
    return invalid("the log is damaged: " + log.broken->segment + " at offset " + std::to_string(log.broken->offset) +
                       ": " + log.broken->why,
                   help);
  }
  if (log.member.value == 0 || log.cluster.value == 0) {
    return invalid("the log does not say which member it belongs to", help);
  }
  if (log.last.index == 0) return invalid("the log holds no entry", help);
  if (log.commit > log.last.index) {
    return invalid("the log is damaged: it ends at entry " + std::to_string(log.last.index) + ", but entry " +
                       std::to_string(log.commit) + " was committed",
                   help);
  }
  return {};
}

// The snapshot that etcd starts from when everything in the log is committed; nothing: from the first entry.
Result<std::optional<RaftSnapshot>> start_of(const WalLog& log, const std::vector<RaftSnapshot>& snapshots) {
  std::optional<RaftSnapshot> best;
  for (const RaftSnapshot& snapshot : snapshots) {
    const WalPosition at{snapshot.term, snapshot.index};
    const bool known = std::find(log.snapshots.begin(), log.snapshots.end(), at) != log.snapshots.end();
    if (!known || snapshot.index == 0 || snapshot.index > log.last.index) continue;
    if (!best || best->index < snapshot.index) best = snapshot;
  }
  const std::uint64_t start = best ? best->index : 0;
  const bool whole = log.replay_from == 0 ? start == log.last.index : start + 1 >= log.replay_from;
  if (whole) return best;
  return invalid("the log begins at entry " + std::to_string(log.replay_from == 0 ? log.last.index : log.replay_from) +
                     ", and no whole snapshot leads up to it",
                 "choose another directory, or a backup");
}

enum class Standing { Unknown, Learner, Voter, Removed };

// As etcd applies what is committed: it refuses to make a voter a learner, and to take back one that was removed.
Result<Standing> standing_of(MemberId member, const Scan& scan, const std::optional<RaftSnapshot>& start) {
  const auto among = [member](const std::vector<MemberId>& members) {
    return std::find(members.begin(), members.end(), member) != members.end();
  };
  Standing standing = Standing::Unknown;
  if (start && among(start->voters)) standing = Standing::Voter;
  if (start && among(start->learners)) standing = Standing::Learner;
  for (const Change& change : scan.changes) {
    if (change.at.index > scan.log.commit || (start && change.at.index <= start->index)) continue;
    if (!change.decoded) {
      return tl::unexpected(Error{ErrorKind::Refused,
                                  "entry " + std::to_string(change.at.index) +
                                      " of the log changes the members in a way that no known etcd writes",
                                  "choose another directory, or a backup"});
    }
    if (change.member != member || standing == Standing::Removed) continue;
    if (change.type == kAdd) standing = Standing::Voter;
    if (change.type == kAddLearner && standing == Standing::Unknown) standing = Standing::Learner;
    if (change.type == kRemove) standing = Standing::Removed;
  }
  return standing;
}

struct Record {
  std::uint64_t type = 0;
  std::uint64_t crc = 0;
  std::string_view payload;
};

// Takes the next one off the bytes, whether or not its checksum is right; nothing where there is none.
std::optional<Record> take_record(std::string_view& bytes) {
  if (bytes.size() < kFrame) return std::nullopt;
  const auto length = little_endian<std::uint64_t>(bytes.data());
  const std::uint64_t size = length & 0x00FFFFFFFFFFFFFF;
  const std::uint64_t padding = (length >> 63) != 0 ? (length >> 56 & 7) : 0;
  if (length == 0 || size > bytes.size() - kFrame || padding > bytes.size() - kFrame - size) return std::nullopt;
  Record record;
  WireReader reader(bytes.substr(kFrame, static_cast<std::size_t>(size)));
  while (const auto field = reader.next()) {
    if (field->field == 1) record.type = field->number;
    if (field->field == 2) record.crc = field->number;
    if (field->field == 3) record.payload = field->bytes;
  }
  if (reader.broken()) return std::nullopt;
  bytes.remove_prefix(static_cast<std::size_t>(kFrame + size + padding));
  return record;
}

WalPosition position_of(std::string_view entry, std::uint64_t& kind) {
  WalPosition at;
  WireReader reader(entry);
  kind = 0;
  while (const auto field = reader.next()) {
    if (field->type != WireType::Number) continue;
    if (field->field == 1) kind = field->number;
    if (field->field == 2) at.term = field->number;
    if (field->field == 3) at.index = field->number;
  }
  return at;
}

void copy_records(std::string_view bytes, std::uint64_t commit, Chain& chain) {
  while (const auto record = take_record(bytes)) {
    if (record->type == kCrc) {
      chain.add_checksum();
      continue;
    }
    std::uint64_t kind = 0;
    const WalPosition at = record->type == kEntry ? position_of(record->payload, kind) : WalPosition{};
    if (kind != 0 && at.index > commit) {
      chain.add(kEntry, entry_bytes(0, at, {}));
    } else {
      chain.add(record->type, record->payload);
    }
  }
}

Result<std::string> read_bytes(const WalSegment& segment, std::uint64_t from, std::uint64_t to) {
  std::string bytes(static_cast<std::size_t>(to - from), '\0');
  const auto got = segment.bytes.read(from, bytes.data(), bytes.size());
  if (!got) return tl::unexpected(got.error());
  if (*got == bytes.size()) return bytes;
  return tl::unexpected(
      Error{ErrorKind::Transient, segment.name + " became shorter while it was read", "see what writes to it"});
}

// The log ends at a hole, and etcd would cut off what is behind it. A crash leaves holes only in the batch that was
// being written, and a batch ends with a hard state or without one: where an entry follows a hard state behind the
// hole, the batch of the hole had been written down, and with it what is missing now.
class BehindTheEnd {
 public:
  explicit BehindTheEnd(std::string_view bytes) : bytes_(bytes), budget_(4 * bytes.size()) {}

  bool holds_a_later_batch() {
    bool after_state = false;
    for (std::size_t at = kFrame; at + kFrame <= bytes_.size(); at += kFrame) {
      if (little_endian<std::uint64_t>(bytes_.data() + at) == 0) continue;
      std::string_view rest = bytes_.substr(at);
      auto record = take_record(rest);
      if (!record || !is_continued(*record, rest)) continue;
      // From here on one record vouches for the next.
      do {
        if (record->type == kEntry && after_state) return true;
        after_state = after_state || record->type == kState;
        at = bytes_.size() - rest.size() - kFrame;
        const std::uint64_t before = record->crc;
        record = take_record(rest);
        if (record && !follows(before, *record)) record.reset();
      } while (record);
      if (budget_ == 0) return true;  // too much to look through is no torn end
    }
    return false;
  }

 private:
  bool follows(std::uint64_t before, const Record& record) {
    budget_ -= std::min<std::uint64_t>(budget_, record.payload.size());
    return crc32c(static_cast<std::uint32_t>(before), record.payload) == record.crc;
  }
  bool is_continued(const Record& record, std::string_view rest) {
    if (record.type == 0 || record.type > 5 || record.crc == 0 || budget_ == 0) return false;
    const auto next = take_record(rest);
    return next && next->type != 0 && next->type <= 5 && follows(record.crc, *next);
  }

  std::string_view bytes_;
  std::uint64_t budget_;
};

Result<void> check_end(const WalSegment& last, const WalLog& log) {
  const auto bytes = read_bytes(last, log.end, last.bytes.size());
  if (!bytes) return tl::unexpected(bytes.error());
  if (!BehindTheEnd(*bytes).holds_a_later_batch()) return {};
  return invalid("the log is damaged: " + last.name + " has a hole at offset " + std::to_string(log.end) +
                     ", and behind it entries that were written later",
                 "choose another directory, or a backup");
}

// Every record from the first change on, with changes of the members above the commit index emptied.
Result<Chain> rewrite(const std::vector<WalSegment>& segments, const Scan& scan, WalEdit& edit) {
  const WalLog& log = scan.log;
  const auto is_open = [&log](const Change& change) { return change.at.index > log.commit; };
  const auto first = std::find_if(scan.changes.begin(), scan.changes.end(), is_open);
  edit.emptied = static_cast<std::uint64_t>(scan.changes.end() - first);
  const bool append_only = first == scan.changes.end();
  Chain chain(append_only ? log.chain : first->chain);
  std::uint64_t offset = append_only ? log.end : first->offset;
  for (std::size_t number = append_only ? segments.size() - 1 : first->segment; number < segments.size(); ++number) {
    const WalSegment& segment = segments[number];
    const bool last = number + 1 == segments.size();
    const auto bytes = read_bytes(segment, offset, last ? log.end : segment.bytes.size());
    if (!bytes) return tl::unexpected(bytes.error());
    copy_records(*bytes, log.commit, chain);
    edit.patches.push_back({segment.name, offset, chain.take()});
    offset = 0;
  }
  return chain;
}

}  // namespace

Result<WalEdit> commit_all(const std::vector<WalSegment>& segments, const std::vector<RaftSnapshot>& snapshots) {
  if (segments.empty()) return invalid("there is no log", "choose another directory, or a backup");
  const auto found = scan(segments);
  if (!found) return tl::unexpected(found.error());
  const WalLog& log = found->log;
  if (auto whole = check_whole(log); !whole) return tl::unexpected(std::move(whole.error()));
  if (auto whole = check_end(segments.back(), log); !whole) return tl::unexpected(std::move(whole.error()));
  const auto start = start_of(log, snapshots);
  if (!start) return tl::unexpected(start.error());
  const auto standing = standing_of(log.member, *found, *start);
  if (!standing) return tl::unexpected(standing.error());
  if (*standing == Standing::Removed) {
    return tl::unexpected(Error{ErrorKind::Refused,
                                "member " + to_string(log.member) + " was removed from its cluster: its log says so",
                                "choose another directory, or a backup"});
  }

  WalEdit edit;
  edit.before = log;
  edit.last = log.last;
  auto chain = rewrite(segments, *found, edit);
  if (!chain) return tl::unexpected(std::move(chain.error()));
  // A hard state of the newest entries' term may not have reached the disk, and with it whom the member voted for.
  WalPosition end{std::max(log.term, log.last.term), log.last.index};
  for (const WalPosition& snapshot : log.snapshots) {
    if (snapshot.index <= end.index) end.term = std::max(end.term, snapshot.term);
  }
  const bool behind = log.term < end.term;
  if (*standing == Standing::Learner) {
    ++end.index;
    chain->add(kEntry, entry_bytes(kChange, end, promotion_of(log.member)));
    edit.promoted = true;
  }
  std::string state;
  put_number(state, 1, end.term);
  put_number(state, 2, behind ? 0 : log.vote.value);
  put_number(state, 3, end.index);
  chain->add(kState, state);
  edit.patches.back().bytes += chain->take();
  return edit;
}

}  // namespace quorate::base
