// etcdutl restores into a folder beside the place, and only what is whole and on disk gets the place's name.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>

#include "reconciler/adapters/restorer/child.h"
#include "reconciler/adapters/restorer/descriptor.h"
#include "reconciler/adapters/restorer/files.h"
#include "reconciler/adapters/restorer/parts.h"
#include "reconciler/base/path.h"
#include "reconciler/codec/snapshot_check.h"

namespace quorate::adapters::restorer {
namespace {

constexpr std::uint64_t kDatabaseUnit = 512;
constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::uint64_t kStretch = std::uint64_t{4} << 20;
constexpr base::Duration kBetweenLooks{10};
constexpr std::uint64_t kLog = std::uint64_t{128} * 1024 * 1024;  // etcd sets aside two segments of its log

std::string beside(const std::string& path) {
  return path + ".seeding";
}

base::Result<void> check_place(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return {};
  if (error) return tl::unexpected<base::Error>(system_error("look at", path, error.value()));
  return tl::unexpected(
      base::Error{base::ErrorKind::Refused, "there already is something at " + path, "move away what stands there"});
}

base::Result<void> check(const Parts& parts, const ports::Seeding& seeding) {
  if (seeding.peer_urls.empty() || seeding.member.empty() || seeding.token.empty()) {
    return base::invalid("a member's name, its peer addresses and a token are needed to restore");
  }
  for (const std::string& place : {seeding.data_dir, seeding.wal_dir}) {
    if (place.empty()) continue;
    if (auto free = check_place(place); !free) return free;
  }
  const auto snapshot = open_file(seeding.snapshot);
  if (!snapshot) return tl::unexpected(snapshot.error());
  return check_space(parts, base::parent_path(seeding.data_dir), (*snapshot)->size() + kLog);
}

std::string joined(const std::vector<std::string>& texts, const std::string& before) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : ",") + before + text;
  return result;
}

std::vector<std::string> command_for(const ports::Seeding& seeding, const std::string& etcdutl) {
  std::vector<std::string> argv{etcdutl,
                                "snapshot",
                                "restore",
                                seeding.snapshot,
                                "--name=" + seeding.member,
                                "--initial-cluster=" + joined(seeding.peer_urls, seeding.member + "="),
                                "--initial-advertise-peer-urls=" + joined(seeding.peer_urls, ""),
                                "--initial-cluster-token=" + seeding.token,
                                "--skip-hash-check",  // it is ours to look at, meanwhile
                                "--data-dir=" + beside(seeding.data_dir)};
  if (!seeding.wal_dir.empty()) argv.push_back("--wal-dir=" + beside(seeding.wal_dir));
  if (seeding.bump_revision > 0) {
    argv.push_back("--bump-revision=" + std::to_string(seeding.bump_revision));
    argv.emplace_back("--mark-compacted");
  }
  return argv;
}

// Its last line without the word that all of them begin with.
std::string complaint_of(const Child& child) {
  const std::string words = child.last_words(1);
  return (words.rfind("Error: ", 0) == 0 ? words.substr(7) : words).substr(0, 400);
}

// The snapshot, of which etcdutl makes a copy. The cache need not hold both, and to find memory for both takes longer
// than the copy itself.
class Source {
 public:
  Source(std::unique_ptr<FileBytes> file, std::string path, std::string copy)
      : file_(std::move(file)), path_(std::move(path)), copy_(std::move(copy)) {}

  const FileBytes& file() const { return *file_; }
  const std::string& path() const { return path_; }
  // What etcdutl has copied, and we have read up to there.
  void let_go(std::uint64_t read) {
    std::error_code error;
    const std::uintmax_t copied = std::filesystem::file_size(copy_, error);
    if (error) return;
    write_down(copied);
    const std::uint64_t both = std::min<std::uint64_t>(read, copied);
    if (both < gone_ + kStretch) return;
    file_->let_go(both);
    gone_ = both;
  }

 private:
  // So that the fsync at the end finds little left to do.
  void write_down(std::uint64_t copied) {
    if (copied < written_ + kStretch) return;
    if (!written_to_) written_to_ = Descriptor(::open(copy_.c_str(), O_RDONLY | O_CLOEXEC));
    static_cast<void>(::sync_file_range(written_to_.number(), static_cast<off_t>(written_),
                                        static_cast<off_t>(copied - written_), SYNC_FILE_RANGE_WRITE));
    written_ = copied;
  }

  std::unique_ptr<FileBytes> file_;
  const std::string path_;
  const std::string copy_;
  Descriptor written_to_;
  std::uint64_t gone_ = 0;
  std::uint64_t written_ = 0;
};

// Etcd's own, behind the database.
base::Result<void> check_hash(Source& source, const Deadline& deadline) {
  const std::uint64_t size = source.file().size();
  if (size % kDatabaseUnit != codec::kSha256Bytes) {  // etcdutl would take it for a database without a hash
    return base::invalid("its size is not that of a snapshot (" + std::to_string(size) + " bytes)");
  }
  codec::Nowhere nowhere;
  codec::SnapshotCheck check(codec::TrailingHash::Required, nowhere);
  std::string piece(kPiece, '\0');
  while (true) {
    const auto got = source.file().read(check.size(), piece.data(), piece.size());
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return check.finish();
    if (auto taken = check.write(std::string_view(piece).substr(0, *got)); !taken) return taken;
    source.let_go(check.size());
    if (deadline.over()) return deadline.missed("the restore of " + source.path());
  }
}

std::optional<int> wait_for(Child& child, Source& source, const Deadline& deadline) {
  while (true) {
    const auto status = child.wait(deadline.left(kBetweenLooks));
    if (status || deadline.over()) return status;
    source.let_go(source.file().size());
  }
}

base::Result<void> run_etcdutl(const ports::Seeding& seeding, const std::string& etcdutl, const std::string& log,
                               const Deadline& deadline) {
  auto file = open_file(seeding.snapshot);
  if (!file) return tl::unexpected(std::move(file.error()));
  auto child = Child::start(command_for(seeding, etcdutl), log);
  if (!child) return tl::unexpected(child.error());
  Source source(*std::move(file), seeding.snapshot, beside(seeding.data_dir) + "/member/snap/db");
  if (auto whole = check_hash(source, deadline); !whole) {
    if (whole.error().kind != base::ErrorKind::Invalid) return whole;
    return base::invalid(seeding.snapshot + " cannot be restored: " + whole.error().message, "use another backup");
  }
  const auto status = wait_for(*child, source, deadline);
  if (!status) return deadline.missed("the restore of " + seeding.snapshot);
  if (*status == 0) return {};
  if (auto killed = was_killed(*child, *status, "the restore of " + seeding.snapshot)) {
    return tl::unexpected(*std::move(killed));
  }
  const std::string why = complaint_of(*child);
  if (why.find("no space left on device") != std::string::npos) {
    return tl::unexpected(base::Error{
        base::ErrorKind::Transient, "disk full: " + seeding.snapshot + " could not be restored to " + seeding.data_dir,
        "free space on its file system"});
  }
  return base::invalid(seeding.snapshot + " cannot be restored: " + why, "use another backup");
}

// The log first: a data directory without its log would let etcd begin anew, a log without its data does not.
base::Result<void> into_place(const Parts& parts, const ports::Seeding& seeding) {
  if (!seeding.wal_dir.empty()) {
    if (auto named = parts.host.rename(beside(seeding.wal_dir), seeding.wal_dir); !named) return named;
  }
  auto named = parts.host.rename(beside(seeding.data_dir), seeding.data_dir);
  if (named || seeding.wal_dir.empty() || named.error().kind == base::ErrorKind::Ambiguous) return named;
  if (const auto back = parts.host.rename(seeding.wal_dir, beside(seeding.wal_dir)); !back) {
    named.error().kind = base::ErrorKind::Ambiguous;
    named.error().message += "; " + seeding.wal_dir + " is in its place already";
  }
  return named;
}

}  // namespace

base::Result<void> seed(const Parts& parts, const ports::Seeding& seeding, const Deadline& deadline) {
  const auto etcdutl = find_etcdutl(parts);
  if (!etcdutl) return tl::unexpected(etcdutl.error());
  if (auto fine = check(parts, seeding); !fine) return fine;
  if (auto made = make_folders(base::parent_path(seeding.data_dir)); !made) return made;
  const std::string log = beside(seeding.data_dir) + ".log";
  // The working folders are gone at the end, unless they became what they were made for.
  auto data = Scratch::clear(parts.host, beside(seeding.data_dir));
  if (!data) return tl::unexpected(std::move(data.error()));
  std::vector<Scratch> more;
  if (!seeding.wal_dir.empty()) {
    auto wal = Scratch::clear(parts.host, beside(seeding.wal_dir));
    if (!wal) return tl::unexpected(std::move(wal.error()));
    more.push_back(std::move(*wal));
  }
  auto restored = run_etcdutl(seeding, *etcdutl, log, deadline);
  static_cast<void>(parts.host.remove_file(log));
  if (!restored) return restored;
  for (const std::string& place : {seeding.data_dir, seeding.wal_dir}) {
    if (place.empty()) continue;
    if (deadline.is_taken_back()) return deadline.missed("the restore of " + seeding.snapshot);
    if (auto synced = sync_tree(beside(place)); !synced) return synced;
  }
  const auto dir =
      parts.node.data_dir(beside(seeding.data_dir), seeding.wal_dir.empty() ? "" : beside(seeding.wal_dir));
  if (!dir) return tl::unexpected(dir.error());
  if (dir->state != model::DataState::Valid) {
    return base::invalid("what was restored from " + seeding.snapshot + " is no data directory: " + dir->problem,
                         "use another backup");
  }
  return into_place(parts, seeding);
}

}  // namespace quorate::adapters::restorer
