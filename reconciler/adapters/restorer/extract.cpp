// A survivor's log is made whole on a copy, its etcd applies it there once, and the database it leaves is the snapshot.
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "reconciler/adapters/restorer/files.h"
#include "reconciler/adapters/restorer/loopback_etcd.h"
#include "reconciler/adapters/restorer/parts.h"
#include "reconciler/base/etcd_db.h"
#include "reconciler/base/path.h"
#include "reconciler/base/wal_edit.h"
#include "reconciler/codec/sha256.h"

namespace quorate::adapters::restorer {
namespace {

constexpr std::uint64_t kLog = std::uint64_t{128} * 1024 * 1024;  // etcd sets aside two segments of its log
constexpr std::uint64_t kSnapshotFile = std::uint64_t{256} * 1024 * 1024;

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

struct Original {
  std::string wal;
  std::string snap;
  std::vector<std::string> segments;
  std::vector<std::string> snapshots;
  std::vector<std::string> databases;  // its own, and those that came with snapshots of other members
};

base::Result<Original> look_at(const ports::Survivor& survivor) {
  Original original{survivor.wal_dir.empty() ? survivor.data_dir + "/member/wal" : survivor.wal_dir,
                    survivor.data_dir + "/member/snap",
                    {},
                    {},
                    {}};
  auto logs = files_in(original.wal);
  if (!logs) return tl::unexpected(std::move(logs.error()));
  for (std::string& name : *logs) {
    if (base::parse_wal_name(name)) original.segments.push_back(std::move(name));
  }
  auto names = files_in(original.snap);
  if (!names) return tl::unexpected(std::move(names.error()));
  for (std::string& name : *names) {
    if (base::parse_snapshot_name(name)) {
      original.snapshots.push_back(std::move(name));
    } else if (name == "db" || ends_with(name, ".snap.db")) {
      original.databases.push_back(std::move(name));
    }
  }
  return original;
}

base::Result<void> copy_files(const std::string& from, const std::vector<std::string>& names, const std::string& to,
                              const Deadline& deadline) {
  for (const std::string& name : names) {
    if (auto copied = copy_file(from + "/" + name, to + "/" + name, deadline); !copied) return copied;
  }
  return {};
}

base::Result<std::uint64_t> size_of(const Original& original) {
  std::uint64_t size = 0;
  const auto add = [&size](const std::string& folder, const std::vector<std::string>& names) -> base::Result<void> {
    for (const std::string& name : names) {
      const auto file = open_file(folder + "/" + name);
      if (!file) return tl::unexpected(file.error());
      size += (*file)->size();
    }
    return {};
  };
  for (const auto& [folder, names] :
       {std::pair(&original.wal, &original.segments), std::pair(&original.snap, &original.snapshots),
        std::pair(&original.snap, &original.databases)}) {
    if (auto added = add(*folder, *names); !added) return tl::unexpected(std::move(added.error()));
  }
  return size;
}

base::Result<void> copy(const Original& original, const std::string& data, const Deadline& deadline) {
  const std::string wal = data + "/member/wal";
  const std::string snap = data + "/member/snap";
  for (const std::string& folder : {wal, snap}) {
    if (auto made = make_folders(folder); !made) return made;
  }
  if (auto copied = copy_files(original.wal, original.segments, wal, deadline); !copied) return copied;
  if (auto copied = copy_files(original.snap, original.snapshots, snap, deadline); !copied) return copied;
  return copy_files(original.snap, original.databases, snap, deadline);
}

// Those that are whole; etcd leaves the others aside, too.
base::Result<std::vector<base::RaftSnapshot>> read_snapshots(const std::string& folder,
                                                             const std::vector<std::string>& names) {
  std::vector<base::RaftSnapshot> snapshots;
  for (const std::string& name : names) {
    const auto file = open_file(folder + "/" + name);
    if (!file) return tl::unexpected(file.error());
    if ((*file)->size() > kSnapshotFile) continue;
    std::string content(static_cast<std::size_t>((*file)->size()), '\0');
    const auto got = (*file)->read(0, content.data(), content.size());
    if (!got) return tl::unexpected(got.error());
    content.resize(*got);
    if (auto snapshot = base::read_raft_snapshot(content)) snapshots.push_back(std::move(*snapshot));
  }
  return snapshots;
}

base::Result<base::WalEdit> commit_copy(const Original& original, const std::string& data) {
  const auto snapshots = read_snapshots(data + "/member/snap", original.snapshots);
  if (!snapshots) return tl::unexpected(snapshots.error());
  std::vector<std::unique_ptr<FileBytes>> files;
  std::vector<base::WalSegment> segments;
  for (const std::string& name : original.segments) {
    auto file = open_file(data + "/member/wal/" + name);
    if (!file) return tl::unexpected(std::move(file.error()));
    segments.push_back({name, **file});
    files.push_back(std::move(*file));
  }
  auto edit = base::commit_all(segments, *snapshots);
  if (!edit) return edit;
  for (const base::WalPatch& patch : edit->patches) {
    const std::string path = data + "/member/wal/" + patch.segment;
    if (auto patched = replace_end(path, patch.offset, patch.bytes); !patched) {
      return tl::unexpected(std::move(patched.error()));
    }
  }
  return edit;
}

// The hash of the whole file, with etcd's own of the database behind the database.
base::Result<void> seal(const std::string& path, ports::Extracted& extracted) {
  const auto file = open_file(path);
  if (!file) return tl::unexpected(file.error());
  codec::Sha256 sha256;
  std::string piece(std::size_t{1} << 20, '\0');
  for (std::uint64_t at = 0; at < (*file)->size();) {
    const auto got = (*file)->read(at, piece.data(), piece.size());
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) break;
    sha256.update(std::string_view(piece).substr(0, *got));
    at += *got;
  }
  const std::string trailer = sha256.digest();
  sha256.update(trailer);
  extracted.size = (*file)->size() + trailer.size();
  extracted.sha256 = codec::hex_of(sha256.digest());
  return append_and_sync(path, trailer);
}

base::Result<void> move_file(const std::string& from, const std::string& to, const Deadline& deadline) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (!error) return {};
  if (error.value() != EXDEV)
    return tl::unexpected<base::Error>(system_error("move " + from + " to", to, error.value()));
  return copy_file(from, to, deadline);
}

base::Result<ports::Extracted> take_database(const Parts& parts, const std::string& database, const std::string& into,
                                             const base::WalEdit& edit, const Deadline& deadline) {
  ports::Extracted extracted;
  extracted.term = edit.last.term;
  extracted.index = edit.last.index;
  {
    const auto file = open_file(database);
    if (!file) return tl::unexpected(file.error());
    const auto content = base::read_etcd_db(**file);
    if (!content) return tl::unexpected(content.error());
    extracted.revision = content->revision;
  }
  const std::string partial = into + ".partial";
  if (auto gone = parts.host.remove_file(partial); !gone) return tl::unexpected(std::move(gone.error()));
  if (auto made = make_folders(base::parent_path(into)); !made) return tl::unexpected(std::move(made.error()));
  auto done = move_file(database, partial, deadline);
  if (done) done = seal(partial, extracted);
  if (done) done = parts.host.rename(partial, into);
  if (done) return extracted;
  static_cast<void>(parts.host.remove_file(partial));
  return tl::unexpected(std::move(done.error()));
}

}  // namespace

base::Result<ports::Extracted> extract(const Parts& parts, const ports::Survivor& survivor, const Deadline& deadline) {
  std::error_code error;
  if (std::filesystem::exists(survivor.into, error)) {
    return tl::unexpected(base::Error{base::ErrorKind::Refused, "there already is something at " + survivor.into,
                                      "move away what stands there"});
  }
  const auto program = path_of_program(survivor.program);
  if (!program) return tl::unexpected(program.error());
  const auto original = look_at(survivor);
  if (!original) return tl::unexpected(original.error());
  const auto size = size_of(*original);
  if (!size) return tl::unexpected(size.error());
  if (auto space = check_space(parts, survivor.work_dir, *size + kLog); !space) {
    return tl::unexpected(std::move(space.error()));
  }
  const auto scratch = Scratch::make(parts.host, survivor.work_dir + "/survivor");
  if (!scratch) return tl::unexpected(scratch.error());
  const std::string data = *scratch / "data";
  if (auto copied = copy(*original, data, deadline); !copied) return tl::unexpected(std::move(copied.error()));
  const auto edit = commit_copy(*original, data);
  if (!edit) return tl::unexpected(edit.error());

  const auto member = member_in(parts, data);
  if (!member) return tl::unexpected(member.error());
  const Copy job{*program, data, *scratch / "etcd.log", *member, {"--force-new-cluster"}};
  auto running = LoopbackEtcd::start(parts.etcd, job, edit->last.index + (edit->promoted ? 1 : 0), deadline);
  if (!running) return tl::unexpected(std::move(running.error()));
  if (auto stopped = running->stop(deadline); !stopped) return tl::unexpected(std::move(stopped.error()));
  return take_database(parts, data + "/member/snap/db", survivor.into, *edit, deadline);
}

}  // namespace quorate::adapters::restorer
