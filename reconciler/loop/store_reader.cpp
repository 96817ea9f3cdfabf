// One piece of work at a time: a look, or a fetch that goes before it.
#include "reconciler/loop/store_reader.h"

#include <algorithm>
#include <utility>

#include "reconciler/backup/catalog.h"
#include "reconciler/backup/census.h"
#include "reconciler/backup/fetch.h"
#include "reconciler/backup/upkeep.h"
#include "reconciler/model/standing_json.h"

namespace quorate::loop {
namespace {

constexpr base::Duration kLookAgain{30000};
constexpr base::Duration kAfterFailure{5000};
constexpr base::Duration kUnderWay{1000};
// The snapshot, the database that comes out of it, and the first two segments of a log.
constexpr std::uint64_t kMostOfRecord = std::uint64_t{64} << 10;
constexpr std::uint64_t kLog = std::uint64_t{128} << 20;

}  // namespace

struct StoreReader::Work {
  explicit Work(const ReaderPorts& behind) : ports(behind) {}
  ReaderPorts ports;
  SourceStore store;
  std::optional<model::Decision> decision;  // nothing: a look
  std::string path;
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> of{0};
  bool outdated = false;           // of a look: somebody wants to know what is there now
  std::atomic<bool> ended{false};  // what follows is there
  model::Fact<std::vector<model::Restorable>> seen;
  std::optional<model::RecordedVoters> voters;
  std::optional<backup::Failure> failure;
};

StoreReader::StoreReader(const ReaderPorts& ports, std::string member) : ports_(ports), member_(std::move(member)) {}

namespace {

base::Result<std::optional<model::RecordedVoters>> recorded_voters(ports::ObjectStore& store) {
  const auto text = store.get(model::kClusterObject, kMostOfRecord);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return std::nullopt;
  return model::read_recorded_voters(**text, model::kClusterObject);
}

}  // namespace

void StoreReader::look_at(Work& work) {
  const base::Time now = work.ports.clock.now();
  using Seen = model::Fact<std::vector<model::Restorable>>;
  const auto opened = work.ports.stores.open(work.store.policy);
  if (!opened) {
    work.seen = Seen::unknown(opened.error().message, now);
    return;
  }
  const auto contents = backup::read_catalog(*opened->objects, work.ports.parallel);
  if (!contents) {
    work.seen = Seen::unknown(contents.error().error.message, now);
    return;
  }
  if (!work.store.elsewhere) {
    auto voters = recorded_voters(*opened->objects);
    if (!voters) {  // it says that there was a cluster, and nobody knows whose word is needed
      work.seen = Seen::unknown(voters.error().message, now);
      return;
    }
    work.voters = *std::move(voters);
  }
  work.seen = Seen::known(backup::restorable(*contents), now);
}

namespace {

backup::Outcome<void> bring_one(const ReaderPorts& ports, const ports::OpenedStore& store,
                                const model::ChosenBackup& chosen, const std::string& path, bool may_tell,
                                const backup::Progress& progress) {
  const auto contents = backup::read_catalog(*store.objects, ports.parallel);
  if (!contents) return tl::unexpected(contents.error());
  const auto found = backup::find_backup(*contents, chosen.name, store.objects->address());
  if (!found) return tl::unexpected(found.error());
  const bool same = found->facts ? found->facts->object_sha256 == chosen.sha256 : chosen.sha256.empty();
  if (!same) {
    return backup::failed(backup::Trouble::BadBackup,
                          {base::ErrorKind::Invalid, chosen.name + " is not the one that was chosen any more", ""});
  }
  const std::uint64_t size = found->facts ? found->facts->snapshot_size : found->size;
  auto file = ports.spool.begin(path, 2 * size + kLog);
  if (!file) return backup::failed(backup::Trouble::Local, std::move(file.error()));
  const codec::SealKey* key = store.key ? &*store.key : nullptr;
  const auto fetched =
      backup::fetch(*store.objects, *found, key, file->get(), progress, {&ports.stores.workers(), true});
  if (fetched) return {};
  if (may_tell && fetched.error().trouble == backup::Trouble::BadBackup) {  // for all to see
    backup::Verified verified{
        {ports.clock.now(), model::VerifiedHow::Checksum, false, fetched.error().error.message}, false, ""};
    backup::record(*store.objects, *found, verified);
  }
  return tl::unexpected(fetched.error());
}

}  // namespace

void StoreReader::bring(Work& work) {
  const auto opened = work.ports.stores.open(work.store.policy);
  if (!opened) {
    work.failure = backup::Failure{backup::Trouble::Store, opened.error()};
    return;
  }
  auto brought = bring_one(work.ports, *opened, *work.decision->backup, work.path, !work.store.elsewhere,
                           [&work](std::uint64_t done, std::uint64_t of) {
                             work.done = done;
                             work.of = of;
                           });
  if (!brought) work.failure = std::move(brought.error());
}

void StoreReader::begin(std::shared_ptr<Work> work) {
  const bool begun = ports_.stores.begin([work] {
    work->decision ? bring(*work) : look_at(*work);
    work->ended = true;
  });
  if (begun) work_ = std::move(work);
}

void StoreReader::learn() {
  if (!work_ || !work_->ended) return;
  const std::shared_ptr<Work> work = std::exchange(work_, nullptr);
  if (work->decision) {
    brought_ = work;
    return;
  }
  if (work->outdated) return;
  looked_ = Looked{work->store.policy.to, ports_.clock.elapsed(), std::move(work->seen), std::move(work->voters)};
}

void StoreReader::forget() {
  looked_.reset();
  if (work_ && !work_->decision) work_->outdated = true;
}

model::Fact<std::vector<model::Restorable>> StoreReader::restorable(const SourceStore& store) const {
  using Seen = model::Fact<std::vector<model::Restorable>>;
  if (!looked_ || looked_->store != store.policy.to) return Seen::unknown("nobody has looked into it yet");
  return looked_->seen;
}

std::optional<model::Voters> StoreReader::voters(const SourceStore& store, const std::string& cluster) const {
  const bool of_it =
      looked_ && looked_->store == store.policy.to && looked_->voters && looked_->voters->name == cluster;
  return of_it ? std::optional(looked_->voters->voters) : std::nullopt;
}

base::Duration StoreReader::look(const SourceStore& store) {
  learn();
  const base::Duration now = ports_.clock.elapsed();
  if (work_) return kUnderWay;
  if (looked_ && looked_->store == store.policy.to) {
    const base::Duration pause = looked_->seen ? kLookAgain : kAfterFailure;
    if (now < looked_->at + pause) return looked_->at + pause - now;
  }
  auto work = std::make_shared<Work>(ports_);
  work->store = store;
  begin(std::move(work));
  return kUnderWay;
}

std::optional<StoreReader::Brought> StoreReader::fetch(const SourceStore& store, const model::Decision& decision,
                                                       const std::string& path) {
  learn();
  const auto is_asked_for = [&](const Work& work) {
    return work.decision->source == decision.source && work.decision->backup->sha256 == decision.backup->sha256;
  };
  if (brought_ && !is_asked_for(*brought_)) brought_ = nullptr;
  if (brought_) return told(*std::exchange(brought_, nullptr));
  if (work_ || ports_.clock.elapsed() < not_before_) return std::nullopt;
  auto work = std::make_shared<Work>(ports_);
  work->store = store;
  work->decision = decision;
  work->path = path;
  begin(std::move(work));
  return std::nullopt;
}

std::optional<StoreReader::Brought> StoreReader::told(const Work& work) {
  const model::Decision& brought = *work.decision;
  if (!work.failure) {
    ports_.events.say(ports::EventLevel::Info, member_ + ": " + brought.backup->name + " is here, whole and checked");
    return Brought{brought.source, ""};
  }
  const base::Error& error = work.failure->error;
  ports_.events.say(ports::EventLevel::Warning, member_ + ": could not fetch " + brought.backup->name + ": " +
                                                    error.message + (error.help.empty() ? "" : "; " + error.help));
  rest();
  // A store that does not answer is asked again; what is wrong with the backup, or here, is said to all.
  if (work.failure->trouble == backup::Trouble::Store) return std::nullopt;
  looked_.reset();
  return Brought{brought.source, error.message};
}

void StoreReader::rest() {
  not_before_ = ports_.clock.elapsed() + kAfterFailure;
}

std::string StoreReader::progress() const {
  if (!work_ || !work_->decision) return {};
  const std::uint64_t of = work_->of;
  return "fetching " + work_->decision->backup->name +
         (of == 0 ? "" : ", " + std::to_string(std::min<std::uint64_t>(work_->done, of) * 100 / of) + "%");
}

}  // namespace quorate::loop
