// Reader, hash of the object, decryption, decompression, etcd's hash, a look at the database, and whatever comes then.
#include "reconciler/backup/fetch.h"

#include <memory>
#include <string>
#include <utility>

#include "reconciler/backup/stages.h"
#include "reconciler/codec/db_skim.h"
#include "reconciler/codec/decompress.h"
#include "reconciler/codec/sha256_aside.h"
#include "reconciler/codec/snapshot_check.h"

namespace quorate::backup {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;

// The end of the stages: skims, and hands on to where it goes; what fails there is remembered as not being the backup's
// fault.
class End final : public codec::Sink {
 public:
  explicit End(codec::Sink* next) : next_(next) {}

  base::Result<void> write(std::string_view bytes) override {
    skim.take(bytes);
    return next_ == nullptr ? base::Result<void>{} : noted(next_->write(bytes));
  }
  base::Result<void> finish() override { return next_ == nullptr ? base::Result<void>{} : noted(next_->finish()); }

  codec::DbSkim skim;
  bool local_failed = false;

 private:
  base::Result<void> noted(base::Result<void> result) {
    local_failed = local_failed || !result;
    return result;
  }

  codec::Sink* next_;
};

tl::unexpected<Failure> bad(const model::StoredBackup& backup, std::string what, std::string help = {}) {
  return failed(Trouble::BadBackup, {base::ErrorKind::Invalid, backup.name + ": " + std::move(what), std::move(help)});
}

// What a stage said, by whose fault it is.
tl::unexpected<Failure> stage_failed(const model::StoredBackup& backup, const base::Error& error, bool local) {
  if (local) return failed(Trouble::Local, error);
  if (error.kind == base::ErrorKind::Refused) {
    return failed(Trouble::Key, {error.kind, backup.name + ": " + error.message, error.help});
  }
  return bad(backup, error.message, error.help);
}

}  // namespace

Outcome<Fetched> fetch(ports::ObjectStore& store, const model::StoredBackup& backup, const codec::SealKey* key,
                       codec::Sink* into, const Progress& progress, const Haste& haste, const MayGoOn& may_go_on) {
  if (!backup.object) return bad(backup, "there is no database in it that could be told");
  if (backup.object->sealed && key == nullptr) {
    return failed(Trouble::Key, {base::ErrorKind::Refused,
                                 backup.name + " is encrypted" +
                                     (backup.facts ? " with key " + backup.facts->sealed_with : std::string()),
                                 "name the file of the key with --key-file"});
  }
  const std::string path = backup.object_path();
  auto reader = store.open(path);
  if (!reader) return failed(Trouble::Store, std::move(reader.error()));
  if (*reader == nullptr) return failed(Trouble::NoBackup, {base::ErrorKind::Invalid, path + " has gone", ""});

  End end(into);
  const bool ours = backup.facts.has_value();
  // Nothing else says that a raw one is whole.
  const bool hashed = ours || backup.raw;
  const auto hash = ours && haste.hash_later ? codec::TrailingHash::Later
                    : hashed                 ? codec::TrailingHash::Required
                                             : codec::TrailingHash::Optional;
  codec::SnapshotCheck check(hash, end, haste.workers);
  const auto unpack = codec::make_decompressor(compression_of(backup.object->packing), check);
  const auto open = backup.object->sealed ? codec::make_opener(*key, *unpack) : nullptr;
  codec::Hashing hashing(open ? *open : *unpack, haste.workers);
  std::string piece(kPiece, '\0');
  while (true) {
    const auto got = (*reader)->read(piece.data(), piece.size());
    if (!got) return failed(Trouble::Store, got.error());
    if (*got == 0) break;
    if (auto may = go_on(may_go_on); !may) return tl::unexpected(std::move(may.error()));
    if (auto done = hashing.write(std::string_view(piece).substr(0, *got)); !done) {
      return stage_failed(backup, done.error(), end.local_failed);
    }
    if (progress) progress(hashing.size(), (*reader)->size());
  }
  if (ours && hashing.size() != backup.facts->object_size) {
    return bad(backup, "its object has " + std::to_string(hashing.size()) + " bytes, and " +
                           std::to_string(backup.facts->object_size) + " were written");
  }
  if (ours && hashing.sha256_hex() != backup.facts->object_sha256) {
    return bad(backup, "its object is not what was written: its SHA-256 is another one");
  }
  if (auto done = hashing.finish(); !done) return stage_failed(backup, done.error(), end.local_failed);
  return Fetched{check.size(), check.has_hash(), ours, end.skim.facts()};
}

}  // namespace quorate::backup
