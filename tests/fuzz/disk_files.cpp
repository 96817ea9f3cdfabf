// Any bytes as a log and as a database: read to an end, twice the same, and never more than what is there.
#include "tests/fuzz/disk_files.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/base/check.h"
#include "reconciler/base/etcd_db.h"
#include "reconciler/base/raft_snapshot.h"
#include "reconciler/base/wal.h"
#include "reconciler/base/wal_edit.h"

namespace quorate::fuzz {
namespace {

const std::string kFirst = "0000000000000000-0000000000000000.wal";
const std::string kSecond = "0000000000000001-0000000000000001.wal";

base::WalLog read_log(std::string_view first, std::string_view second) {
  base::WalReader reader;
  QUORATE_CHECK(reader.read_segment(kFirst, base::TextBytes(first), second.empty()));
  if (!second.empty()) QUORATE_CHECK(reader.read_segment(kSecond, base::TextBytes(second), true));
  return reader.log();
}

bool same(const base::WalLog& a, const base::WalLog& b) {
  return a.cluster == b.cluster && a.member == b.member && a.term == b.term && a.commit == b.commit &&
         a.last == b.last && a.snapshot == b.snapshot && a.replay_from == b.replay_from && a.torn == b.torn &&
         a.broken == b.broken && a.end == b.end && a.records == b.records;
}

void check_log(const base::WalLog& log, std::size_t size) {
  QUORATE_CHECK(log.end <= size);
  QUORATE_CHECK(log.records <= size / 8);
  QUORATE_CHECK(log.snapshots.size() <= base::kWalSnapshotsKept);
  QUORATE_CHECK(log.last.index >= log.snapshot.index);
  QUORATE_CHECK(!(log.torn && log.broken));
  if (log.broken) QUORATE_CHECK(log.broken->offset <= size && !log.broken->why.empty());
}

// Made whole, it is whole, says the same and is committed to its end.
void check_edit(std::string_view first, std::string_view second) {
  const base::TextBytes front(first);
  const base::TextBytes back(second);
  std::vector<base::WalSegment> segments{{kFirst, front}};
  if (!second.empty()) segments.push_back({kSecond, back});
  const auto edit = base::commit_all(segments, {});
  if (!edit) {
    QUORATE_CHECK(!edit.error().message.empty());
    return;
  }
  std::string after_first(first);
  std::string after_second(second);
  for (const base::WalPatch& patch : edit->patches) {
    std::string& text = patch.segment == kFirst ? after_first : after_second;
    QUORATE_CHECK(patch.offset <= text.size());
    text.resize(static_cast<std::size_t>(patch.offset));
    text += patch.bytes;
  }
  const base::WalLog after = read_log(after_first, after_second);
  QUORATE_CHECK(!after.broken && !after.torn);
  QUORATE_CHECK(after.commit == edit->last.index + (edit->promoted ? 1 : 0));
  QUORATE_CHECK(after.last.index == after.commit && after.term >= after.last.term);
}

}  // namespace

void check_wal(std::string_view bytes) {
  const std::string_view half = bytes.substr(0, bytes.size() / 2);
  for (const auto& [first, second] :
       {std::pair(bytes, std::string_view()), std::pair(half, bytes.substr(half.size()))}) {
    const base::WalLog log = read_log(first, second);
    check_log(log, bytes.size());
    QUORATE_CHECK(same(log, read_log(first, second)));
    check_edit(first, second);
  }
  // What is added behind the log as space that was set aside changes nothing.
  const base::WalLog log = read_log(bytes, "");
  if (!log.torn && !log.broken) QUORATE_CHECK(same(log, read_log(std::string(bytes) + std::string(1024, '\0'), "")));
  if (const auto snapshot = base::read_raft_snapshot(bytes)) QUORATE_CHECK(snapshot->voters.size() <= bytes.size());
}

void check_database(std::string_view bytes) {
  const base::TextBytes source(bytes);
  const auto db = base::read_etcd_db(source);
  const auto again = base::read_etcd_db(source);
  QUORATE_CHECK(db.has_value() == again.has_value());
  if (!db) {
    QUORATE_CHECK(db.error().kind == base::ErrorKind::Invalid && db.error().message == again.error().message);
    return;
  }
  QUORATE_CHECK(db->revision >= 0 && db->revision == again->revision);
  QUORATE_CHECK(db->consistent_index == again->consistent_index);
  QUORATE_CHECK(db->members.size() == again->members.size());
}

}  // namespace quorate::fuzz
