// Choose a member, stream its snapshot through all stages, write the small files, or leave nothing.
#include "reconciler/backup/create.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "reconciler/backup/catalog.h"
#include "reconciler/backup/sources.h"
#include "reconciler/backup/stages.h"
#include "reconciler/codec/db_skim.h"
#include "reconciler/codec/sha256_aside.h"
#include "reconciler/codec/snapshot_check.h"
#include "reconciler/model/records.h"

namespace quorate::backup {
namespace {

using base::ErrorKind;
using model::BackupFacts;

constexpr int kMarkDigits = 4;
constexpr base::Duration kLongestHash = std::chrono::minutes{10};  // a backup without it is one, too

std::string salt(ports::Entropy& entropy) {
  std::string bytes;
  for (std::size_t at = 0; at < codec::kSealSaltBytes; ++at) bytes += static_cast<char>(entropy.below(256));
  return bytes;
}

// The newest backup of this cluster whose revision is exact.
const model::StoredBackup* newest_of(const model::StoreContents& contents, base::ClusterId cluster) {
  const auto newest =
      std::find_if(contents.backups.rbegin(), contents.backups.rend(), [&](const model::StoredBackup& each) {
        return each.problem.empty() && each.object && each.facts && each.facts->cluster == cluster &&
               each.facts->revision_exact;
      });
  return newest == contents.backups.rend() ? nullptr : &*newest;
}

// Every write, also of a lease's end or a deletion, raises the revision. What agents keep in etcd is worth no backup of
// its own: a restored cluster has new agents' books. A verified failure does not count as a backup.
bool nothing_changed(ports::EtcdAdmin& etcd, const CreateOrder& order, const model::StoredBackup& newest,
                     const Sources& sources) {
  if (newest.verified && !newest.verified->fine) return false;
  const auto changed =
      etcd.changed_since(sources.healthy.front().endpoint, newest.facts->revision, model::kReserved, order.within);
  return changed && !*changed;
}

// Where somebody else has made one of this name meanwhile, nothing is wrong with the store.
tl::unexpected<Failure> store_failed(base::Error error) {
  const bool taken = error.kind == ErrorKind::Conflict;
  return failed(taken ? Trouble::Refused : Trouble::Store, std::move(error));
}

class OneBackup {
 public:
  // All that was written until `asked` is in what the source sends.
  OneBackup(const CreatePorts& ports, const CreateOrder& order, const Sources& sources, const Source& source,
            base::Time asked)
      : ports_(ports), order_(order), sources_(sources), source_(source) {
    facts_.at = std::chrono::floor<std::chrono::seconds>(asked);
    facts_.cluster = sources.cluster;
    facts_.member = source.status.from.member;
    facts_.member_name = source.name;
    facts_.etcd_version = source.status.status.version;
    facts_.object = {order.packing, order.key.has_value()};
    if (order.key) facts_.sealed_with = codec::seal_key_name(*order.key);
    facts_.why = order.why;
    facts_.by = order.by;
    name_ = model::backup_name(facts_.at, source.status.from.revision, source.name, ports.entropy.hex(kMarkDigits));
  }

  Outcome<Created> run() {
    const auto taken = ports_.store.list(name_ + "/");
    if (!taken) return failed(Trouble::Store, taken.error());
    if (!taken->empty()) {
      return failed(Trouble::Refused, {ErrorKind::Conflict, "there is a backup " + name_ + " already",
                                       "somebody else makes backups here; try again in a second"});
    }
    // The hash is of the revision before the snapshot, so both are made at once.
    base::Result<ports::Hash> hash = base::invalid("it was not asked");
    Outcome<void> streamed;
    ports_.parallel.run({[&] { streamed = stream(); },
                         [&] {
                           const base::Duration within = std::min(order_.snapshot_within, kLongestHash);
                           hash = ports_.etcd.hash_kv(source_.endpoint, source_.status.from.revision, within);
                         }});
    if (!streamed) return tl::unexpected(std::move(streamed.error()));
    if (hash)
      facts_.hash = model::BackupHash{source_.status.from.revision, hash->hash,
                                      std::max<std::int64_t>(hash->compact_revision, 0)};
    // Of the snapshot's own revision; a compaction may have taken it away meanwhile.
    if (facts_.revision_exact) {
      const auto keys = ports_.etcd.count(source_.endpoint, facts_.revision, order_.within);
      if (keys) facts_.keys = *keys;
    }
    if (auto done = publish(); !done) return tl::unexpected(std::move(done.error()));
    return Created{false, name_, facts_};
  }

 private:
  std::string path(std::string_view file) const { return name_ + "/" + std::string(file); }

  Outcome<void> stream() {
    auto writer = ports_.store.create(path(file_name(facts_.object)), ports::Overwrite::Never);
    if (!writer) return store_failed(std::move(writer.error()));
    IntoStore end(**writer);
    codec::Hashing object(end, &ports_.workers);
    const bool as_it_comes = order_.packing == model::Packing::None && !order_.key;
    const auto seal = order_.key ? codec::make_sealer(*order_.key, salt(ports_.entropy), object) : nullptr;
    codec::Sink& behind = seal ? *seal : static_cast<codec::Sink&>(object);
    const auto pack =
        as_it_comes ? nullptr : codec::make_compressor(compression_of(order_.packing), ports_.workers, behind);
    codec::SnapshotCheck check(codec::TrailingHash::Required, pack ? *pack : static_cast<codec::Sink&>(end),
                               &ports_.workers);
    codec::DbSkim skim;
    std::optional<base::Error> stopped;
    Trouble whose = Trouble::Store;
    const auto take = [&](std::string_view piece) {
      skim.take(piece);
      if (auto may = go_on(order_.may_go_on); !may) {
        whose = Trouble::Refused;
        stopped = std::move(may.error().error);
        return false;
      }
      auto done = check.write(piece);
      if (!done) stopped = std::move(done.error());
      if (order_.progress) {
        order_.progress(check.size(),
                        static_cast<std::uint64_t>(std::max<std::int64_t>(source_.status.status.db_size, 0)));
      }
      return done.has_value();
    };
    const auto from = ports_.etcd.snapshot(source_.endpoint, take, order_.snapshot_within);
    if (stopped && whose == Trouble::Store) return store_failed(*std::move(stopped));
    if (stopped) return failed(whose, *std::move(stopped));
    if (!from) return failed(Trouble::Etcd, from.error());
    if (from->member != facts_.member || from->cluster != facts_.cluster) {
      return failed(Trouble::Etcd, {ErrorKind::Conflict, source_.endpoint + " is another member than before", ""});
    }
    if (auto may = go_on(order_.may_go_on); !may) return may;
    if (auto done = check.finish(); !done) {
      // The check itself says so before anything behind it is finished.
      return check.has_hash() ? store_failed(std::move(done.error()))
                              : failed(Trouble::BadBackup, std::move(done.error()));
    }
    facts_.object_size = as_it_comes ? check.size() : object.size();
    facts_.object_sha256 = as_it_comes ? check.sha256_hex() : object.sha256_hex();
    facts_.snapshot_size = check.size();
    record(skim.facts());
    return {};
  }

  void record(const base::Result<base::EtcdDb>& db) {
    const std::int64_t at_least = source_.status.from.revision;
    facts_.revision_exact = db && db->revision >= at_least;
    facts_.revision = facts_.revision_exact ? db->revision : at_least;
    if (!db) return;
    facts_.auth = db->auth;
    facts_.term = db->term;
    facts_.raft_index = db->consistent_index;
  }

  // The meta comes last: with it the backup is there. What it took to get here may have taken longer than we may.
  Outcome<void> publish() {
    model::BackupMeta meta;
    meta.etcd_version = facts_.etcd_version;
    meta.timestamp = std::chrono::duration_cast<std::chrono::seconds>(facts_.at.time_since_epoch()).count();
    meta.member_count = sources_.members;
    meta.cluster_version = facts_.etcd_version;
    if (auto may = go_on(order_.may_go_on); !may) return withdrawn(std::move(may));
    auto done = ports_.store.put(path(model::kBackupFacts), to_json(facts_), ports::Overwrite::Never);
    if (done) {
      if (auto may = go_on(order_.may_go_on); !may) return withdrawn(std::move(may));
      done = ports_.store.put(path(model::kBackupMeta), meta_text(meta), ports::Overwrite::Never);
    }
    if (done) return {};
    if (done.error().kind == ErrorKind::Ambiguous) {
      return failed(Trouble::Store, {ErrorKind::Ambiguous, done.error().message + "; the backup may be there",
                                     "quorate backup list shows whether it is"});
    }
    const bool is_ours = done.error().kind != ErrorKind::Conflict;
    Outcome<void> failure = store_failed(std::move(done.error()));
    return is_ours ? withdrawn(std::move(failure)) : failure;
  }

  // Nobody has seen it yet.
  Outcome<void> withdrawn(Outcome<void> failure) {
    (void)ports_.store.remove(path(model::kBackupFacts));
    (void)ports_.store.remove(path(file_name(facts_.object)));
    return failure;
  }

  const CreatePorts& ports_;
  const CreateOrder& order_;
  const Sources& sources_;
  const Source& source_;
  BackupFacts facts_;
  std::string name_;
};

}  // namespace

Outcome<Created> create(const CreatePorts& ports, const CreateOrder& order) {
  const auto sources = find_sources(ports.etcd, ports.parallel, order.endpoints, order.within);
  if (!sources) return tl::unexpected(sources.error());
  if (order.may_be_first) {
    if (auto marked = ports.store.mark(); !marked) return failed(Trouble::Store, std::move(marked.error()));
  }
  if (!order.force) {
    const auto contents = read_catalog(ports.store, ports.parallel);
    if (!contents) return tl::unexpected(contents.error());
    const model::StoredBackup* newest = newest_of(*contents, sources->cluster);
    if (newest != nullptr && nothing_changed(ports.etcd, order, *newest, *sources))
      return Created{true, newest->name, *newest->facts};
  }
  Outcome<Created> last = failed(Trouble::Etcd, {ErrorKind::Transient, "no member was asked", ""});
  for (const Source& each : sources->healthy) {
    const base::Time asked = ports.clock.now();
    const auto source = caught_up(ports.etcd, each, order.within);
    if (!source) {
      last = failed(Trouble::Etcd, source.error());
      continue;
    }
    last = OneBackup(ports, order, *sources, *source, asked).run();
    const bool next = !last && (last.error().trouble == Trouble::Etcd || last.error().trouble == Trouble::BadBackup);
    if (!next) break;
  }
  // What writers that were killed left behind. Who may not look for it makes backups all the same.
  constexpr base::Duration kOld = std::chrono::hours{24};
  if (last) (void)ports.store.sweep(ports.clock.now() - kOld);
  return last;
}

}  // namespace quorate::backup
