// The proof that a snapshot can be restored: it is, into a scratch folder, and an etcd is asked what it holds.
#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "reconciler/adapters/restorer/files.h"
#include "reconciler/adapters/restorer/loopback_etcd.h"
#include "reconciler/adapters/restorer/parts.h"
#include "reconciler/base/etcd_db.h"

namespace quorate::adapters::restorer {
namespace {

constexpr std::string_view kAuthOn{"authEnabled\1", 12};
constexpr int kPlacesAtMost = 1000;
constexpr std::size_t kPiece = std::size_t{1} << 20;

base::Result<bool> has_auth(const std::string& database) {
  const auto file = open_file(database);
  if (!file) return tl::unexpected(file.error());
  const auto content = base::read_etcd_db(**file);
  if (!content) return tl::unexpected(content.error());
  return content->auth;
}

base::Result<void> set_byte(const std::string& path, std::uint64_t offset, char byte) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file && ::pwrite(file.number(), &byte, 1, static_cast<off_t>(offset)) == 1) return {};
  return tl::unexpected<base::Error>(system_error("change", path, errno));
}

// Where the words stand, from there on; nothing: nowhere.
base::Result<std::optional<std::uint64_t>> find_words(const FileBytes& file, std::uint64_t from) {
  std::string piece(kPiece, '\0');
  while (from < file.size()) {
    const auto got = file.read(from, piece.data(), piece.size());
    if (!got) return tl::unexpected(got.error());
    const std::size_t at = std::string_view(piece).substr(0, *got).find(kAuthOn);
    if (at != std::string_view::npos) return from + at;
    if (*got < piece.size()) break;
    from += *got - (kAuthOn.size() - 1);
  }
  return std::nullopt;
}

// With users and passwords that nobody here knows no question would be answered. Keys and values may hold the same
// words: only the place counts that etcd reads, and every other one is put back as it was.
base::Result<void> switch_off_auth(const std::string& database) {
  const auto on = has_auth(database);
  if (!on) return tl::unexpected(on.error());
  if (!*on) return {};
  std::uint64_t from = 0;
  for (int places = 0; places < kPlacesAtMost; ++places) {
    const auto file = open_file(database);
    if (!file) return tl::unexpected(file.error());
    const auto at = find_words(**file, from);
    if (!at) return tl::unexpected(at.error());
    if (!*at) break;
    const std::uint64_t byte = **at + kAuthOn.size() - 1;
    if (auto set = set_byte(database, byte, '\0'); !set) return set;
    const auto still = has_auth(database);
    if (still && !*still) return {};
    if (auto set = set_byte(database, byte, '\1'); !set) return set;
    from = byte;
  }
  return base::invalid("the users of " + database + " could not be put aside");
}

// A hash of a large database takes minutes: an etcd that is gone answers at once.
class Watch {
 public:
  Watch(const LoopbackEtcd& running, const Deadline& deadline) {
    try {
      thread_ = std::thread([this, &running, &deadline] { look(running, deadline); });
    } catch (const std::system_error&) {
      // no more threads to be had: then it takes its time
    }
  }
  ~Watch() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    over_.notify_one();
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  static constexpr base::Duration kBetweenLooks{100};

  void look(const LoopbackEtcd& running, const Deadline& deadline) {
    std::unique_lock lock(mutex_);
    while (!over_.wait_for(lock, kBetweenLooks, [this] { return ended_; })) {
      if (deadline.is_taken_back()) return running.strike();
    }
  }

  std::mutex mutex_;
  std::condition_variable over_;
  bool ended_ = false;
  std::thread thread_;
};

// Invalid would say that the snapshot is bad, Conflict that the agent ends: a question that was not answered says
// neither.
tl::unexpected<base::Error> no_answer(base::Error error) {
  const bool says_more = error.kind == base::ErrorKind::Invalid || error.kind == base::ErrorKind::Conflict;
  if (says_more) error.kind = base::ErrorKind::Transient;
  return tl::unexpected(std::move(error));
}

base::Result<ports::Tried> ask(ports::EtcdAdmin& etcd, const LoopbackEtcd& running, std::int64_t revision,
                               const Deadline& deadline) {
  ports::Tried tried;
  tried.version = running.status().status.version;
  tried.revision = running.status().from.revision;
  const auto keys = etcd.count(running.endpoint(), 0, deadline.left());
  if (!keys) return no_answer(keys.error());
  tried.keys = *keys;
  auto hash = etcd.hash_kv(running.endpoint(), revision, deadline.left());
  if (!hash && revision != 0) hash = etcd.hash_kv(running.endpoint(), 0, deadline.left());
  if (!hash) return no_answer(hash.error());
  tried.hash = hash->hash;
  tried.compact_revision = std::max<std::int64_t>(hash->compact_revision, 0);  // etcd says -1
  return tried;
}

}  // namespace

base::Result<ports::Tried> try_out(const Parts& parts, const ports::Trial& trial, const Deadline& deadline) {
  const auto program = path_of_program(trial.program.empty() ? "etcd" : trial.program);
  if (!program) return no_answer(program.error());
  const auto scratch = Scratch::make(parts.host, trial.work_dir + "/trial");
  if (!scratch) return tl::unexpected(scratch.error());
  const std::string data = *scratch / "data";
  ports::Seeding seeding;
  seeding.snapshot = trial.snapshot;
  seeding.data_dir = data;
  seeding.member = "quorate-copy";
  seeding.peer_urls = {"http://127.0.0.1:1"};  // nobody is told, and nobody listens there
  seeding.token = "quorate-copy of " + data;   // another trial's member has another ID
  if (auto seeded = seed(parts, seeding, deadline); !seeded) return tl::unexpected(std::move(seeded.error()));
  if (deadline.is_taken_back()) return deadline.missed("the trial of " + trial.snapshot);
  if (auto off = switch_off_auth(data + "/member/snap/db"); !off) return tl::unexpected(std::move(off.error()));
  const auto member = member_in(parts, data);
  if (!member) return tl::unexpected(member.error());
  const Copy copy{*program, data, *scratch / "etcd.log", *member, {}};
  const auto running = LoopbackEtcd::start(parts.etcd, copy, 0, deadline);
  if (!running) return tl::unexpected(running.error());
  const Watch watch(*running, deadline);
  auto tried = ask(parts.etcd, *running, trial.revision, deadline);
  if (!tried && deadline.is_taken_back()) return deadline.missed("the trial of " + trial.snapshot);
  return tried;
}

}  // namespace quorate::adapters::restorer
