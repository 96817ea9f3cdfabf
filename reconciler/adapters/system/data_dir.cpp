// Log first, then database: the database only grows, so it is never judged by a log that is newer than itself.
#include "reconciler/adapters/system/data_dir.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "reconciler/adapters/system/files.h"
#include "reconciler/base/etcd_db.h"
#include "reconciler/base/path.h"
#include "reconciler/base/raft_snapshot.h"
#include "reconciler/base/wal.h"

namespace quorate::adapters::system {
namespace {

using base::ErrorKind;
using model::DataDir;
using model::DataState;

// Beside a running etcd a look may fall between two of its writes. What is broken in two looks, at the same place,
// is broken.
constexpr int kLooks = 20;
constexpr std::chrono::milliseconds kBetweenLooks{25};
constexpr std::size_t kSnapshotFile = std::size_t{256} * 1024 * 1024;

void pause_between_looks() {
  std::this_thread::sleep_for(kBetweenLooks);
}

tl::unexpected<base::Error> busy(const std::string& what) {
  return tl::unexpected(
      base::Error{ErrorKind::Transient,
                  what + " changed in each of " + std::to_string(kLooks) + " looks at it, so it could not be judged",
                  "look again when less is written to it"});
}

base::Result<std::vector<std::string>> segments_of(const std::string& folder) {
  auto names = list_folder(folder);
  if (!names) return tl::unexpected(std::move(names.error()));
  std::vector<std::string> segments;
  for (std::string& name : names->value_or(std::vector<std::string>())) {
    if (base::parse_wal_name(name)) segments.push_back(std::move(name));
  }
  return segments;
}

// Nothing: there is no log.
base::Result<std::optional<base::WalLog>> read_log(const std::string& folder, LogMemory& memory) {
  std::optional<base::WalLog> before;
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) pause_between_looks();
    const auto segments = segments_of(folder);
    if (!segments) return tl::unexpected(segments.error());
    if (segments->empty()) return std::nullopt;
    auto log = memory.look(folder, *segments);
    if (!log) return tl::unexpected(std::move(log.error()));
    if (!*log) continue;
    const base::WalLog& now = **log;
    if (!now.broken && !now.torn) return log;
    if (before && now.broken == before->broken && now.torn == before->torn && now.end == before->end) return log;
    before = std::move(**log);
  }
  // A tail that moves is one that is being written.
  if (!before || before->broken) return busy("the log in " + folder);
  before->torn = false;
  return before;
}

struct Database {
  std::optional<base::EtcdDb> content;
  std::string problem;  // where there is no content
};

Database broken_database(std::string problem) {
  return {std::nullopt, std::move(problem)};
}

base::Result<Database> read_database(const std::string& path) {
  std::string before;
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) pause_between_looks();
    const auto file = open_file(path);
    if (!file) return tl::unexpected(file.error());
    if (*file == nullptr) return broken_database(path + " is not there");
    auto db = base::read_etcd_db(**file);
    if (db) return Database{std::move(*db), {}};
    if (db.error().kind == ErrorKind::Conflict) continue;
    if (db.error().kind != ErrorKind::Invalid) return tl::unexpected(std::move(db.error()));
    if (db.error().message == before) return broken_database(path + ": " + before);
    before = db.error().message;
  }
  return busy(path);
}

// Is there a whole snapshot file that the entries of the log continue? One that the log knows, as etcd asks for.
base::Result<bool> has_snapshot_to_start_from(const std::string& folder, const base::WalLog& log) {
  auto names = list_folder(folder);
  if (!names) return tl::unexpected(std::move(names.error()));
  for (const std::string& name : names->value_or(std::vector<std::string>())) {
    const auto parsed = base::parse_snapshot_name(name);
    if (!parsed) continue;
    const base::WalPosition position{parsed->term, parsed->index};
    const bool known = std::find(log.snapshots.begin(), log.snapshots.end(), position) != log.snapshots.end();
    const std::uint64_t next = position.index + 1;
    const bool reaches = log.replay_from == 0 ? position.index == log.last.index : next >= log.replay_from;
    if (!known || !reaches || position.index > log.commit) continue;
    const auto content = read_whole_file(folder + "/" + name, kSnapshotFile);
    if (!content) return tl::unexpected(content.error());
    if (!*content) continue;
    const auto snapshot = base::read_raft_snapshot(**content);
    if (snapshot && snapshot->term == position.term && snapshot->index == position.index) return true;
  }
  return false;
}

// The database that came with a snapshot of another member, until etcd puts it into the place of its own.
std::string received_database(const std::string& folder, std::uint64_t index) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(index));
  return folder + "/" + digits.data() + ".snap.db";
}

void copy_log(const base::WalLog& log, DataDir& dir) {
  dir.cluster = log.cluster;
  dir.member = log.member;
  dir.term = log.term;
  dir.commit = log.commit;
  dir.last_term = log.last.term;
  dir.last_index = log.last.index;
  dir.snapshot_index = log.snapshot.index;
  dir.torn = log.torn;
}

// What makes etcd refuse a log whose chain is whole; empty: nothing.
base::Result<std::string> problem_of_log(const std::string& wal_folder, const std::string& snap_folder,
                                         const base::WalLog& log) {
  if (log.broken) {
    return wal_folder + "/" + log.broken->segment + " at offset " + std::to_string(log.broken->offset) + ": " +
           log.broken->why;
  }
  if (log.member.value == 0 || log.cluster.value == 0) {
    return "the log in " + wal_folder + " does not say which member it belongs to";
  }
  if (log.commit > log.last.index) {
    return "the log in " + wal_folder + " ends at entry " + std::to_string(log.last.index) + ", but entry " +
           std::to_string(log.commit) + " was committed";
  }
  const bool from_the_start = log.replay_from == 1 || log.last.index == 0;
  if (from_the_start) return std::string();
  const auto start = has_snapshot_to_start_from(snap_folder, log);
  if (!start) return tl::unexpected(start.error());
  if (*start) return std::string();
  return "the log in " + wal_folder + " begins at entry " +
         std::to_string(log.replay_from == 0 ? log.last.index : log.replay_from) + ", and no whole snapshot in " +
         snap_folder + " leads up to it";
}

base::Result<void> add_database(const std::string& snap_folder, DataDir& dir, std::string& problem) {
  auto db = read_database(snap_folder + "/db");
  if (!db) return tl::unexpected(std::move(db.error()));
  if (db->content && db->content->consistent_index < dir.snapshot_index) {
    const std::string path = received_database(snap_folder, dir.snapshot_index);
    const auto received = read_database(path);
    if (!received) return tl::unexpected(received.error());
    if (received->content && received->content->consistent_index >= db->content->consistent_index) *db = *received;
  }
  if (!db->content) {
    problem = db->problem;
    return {};
  }
  dir.consistent_index = db->content->consistent_index;
  dir.revision = db->content->revision;
  if (dir.consistent_index < dir.snapshot_index) {
    problem = snap_folder + "/db has applied entry " + std::to_string(dir.consistent_index) +
              ", but the log has a snapshot of entry " + std::to_string(dir.snapshot_index);
  }
  return {};
}

// Of the directory or, where that is gone, of the folder that it stood in. Empty: cannot be told.
std::string filesystem_of(const std::string& data) {
  std::string there = data;
  struct statvfs about {};
  while (::statvfs(there.c_str(), &about) != 0) {
    const std::string parent = base::parent_path(there);
    if (errno != ENOENT || parent == there) return "";
    there = parent;
  }
  return std::to_string(about.f_fsid);
}

// A place whose folders are other etcds' data directories, as /var/lib/etcd is where one runs in /var/lib/etcd/default:
// whoever moves it away moves them. Empty: there is none.
base::Result<std::string> other_etcd_in(const std::string& data) {
  const auto names = list_folder(data);
  if (!names) return tl::unexpected(names.error());
  for (const std::string& name : names->value_or(std::vector<std::string>())) {
    std::string folder = data + "/" + name;
    struct stat about {};
    if (name == "member" || name == "lost+found") continue;
    for (const char* part : {"/member/wal", "/member/snap"}) {
      if (::stat((folder + part).c_str(), &about) == 0) return folder;
      if (errno != ENOENT && errno != ENOTDIR) {
        return tl::unexpected<base::Error>(system_error("look at", folder + part, errno));
      }
    }
  }
  return std::string();
}

// An etcd that refuses to start on an empty directory has made its database before it looked.
bool is_unused(const base::EtcdDb& db) {
  return db.consistent_index == 0 && db.revision <= 1 && db.members.empty();
}

}  // namespace

base::Result<DataDir> read_data_dir(const std::string& data, const std::string& wal) {
  LogMemory nothing;
  return read_data_dir(data, wal, nothing);
}

base::Result<DataDir> read_data_dir(const std::string& data, const std::string& wal, LogMemory& memory) {
  const std::string wal_folder = wal.empty() ? data + "/member/wal" : wal;
  const std::string snap_folder = data + "/member/snap";
  DataDir dir;
  dir.path = data;
  dir.filesystem = filesystem_of(data);
  if (!wal.empty()) dir.wal_filesystem = filesystem_of(wal);
  const auto log = read_log(wal_folder, memory);
  if (!log) return tl::unexpected(log.error());
  if (!*log) {
    const auto snapshots = list_folder(snap_folder);
    if (!snapshots) return tl::unexpected(snapshots.error());
    const bool database =
        *snapshots && std::find((*snapshots)->begin(), (*snapshots)->end(), "db") != (*snapshots)->end();
    if (database) {
      const auto content = read_database(snap_folder + "/db");
      if (!content) return tl::unexpected(content.error());
      if (!content->content || !is_unused(*content->content)) {
        dir.state = DataState::Damaged;
        dir.problem = snap_folder + "/db stands there without a write-ahead log in " + wal_folder;
        return dir;
      }
    }
    const auto other = other_etcd_in(data);
    if (!other) return tl::unexpected(other.error());
    dir.state = other->empty() ? DataState::Fresh : DataState::Foreign;
    if (!other->empty()) {
      dir.problem = *other + " is the data directory of another etcd: give this member one of its own, see storage.dir";
    }
    return dir;
  }
  copy_log(**log, dir);
  auto problem = problem_of_log(wal_folder, snap_folder, **log);
  if (!problem) return tl::unexpected(std::move(problem.error()));
  std::string problem_of_db;
  if (auto added = add_database(snap_folder, dir, problem_of_db); !added) return tl::unexpected(added.error());
  dir.problem = problem->empty() ? problem_of_db : *problem;
  dir.state = dir.problem.empty() ? DataState::Valid : DataState::Damaged;
  return dir;
}

}  // namespace quorate::adapters::system
