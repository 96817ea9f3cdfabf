// Small files beside a backup, and the order in which it goes.
#include "reconciler/backup/upkeep.h"

#include <algorithm>
#include <utility>

namespace quorate::backup {
namespace {

using base::ErrorKind;

constexpr std::uint64_t kMostOfPin = 256 * 1024;

// What the object says, against what was recorded when it was made.
std::string contradiction(const model::StoredBackup& backup, const Fetched& fetched) {
  if (!backup.facts) return {};
  const model::BackupFacts& facts = *backup.facts;
  if (fetched.size != facts.snapshot_size) {
    return "the snapshot has " + std::to_string(fetched.size) + " bytes, and " + std::to_string(facts.snapshot_size) +
           " were recorded";
  }
  if (!facts.revision_exact) return {};
  if (!fetched.db) return fetched.db.error().message;
  if (fetched.db->revision != facts.revision) {
    return "the database is at revision " + std::to_string(fetched.db->revision) + ", and " +
           std::to_string(facts.revision) + " was recorded";
  }
  return {};
}

tl::unexpected<Failure> no_pins(const model::StoredBackup& backup) {
  return failed(Trouble::Refused, {ErrorKind::Refused, backup.name + " is a raw snapshot of another tool",
                                   "nothing of ours removes it, so it needs no pin"});
}

}  // namespace

Outcome<Verified> verify(ports::ObjectStore& store, ports::Clock& clock, const model::StoredBackup& backup,
                         const codec::SealKey* key, const Progress& progress, const MayGoOn& may_go_on) {
  const auto fetched = fetch(store, backup, key, nullptr, progress, {}, may_go_on);
  if (!fetched && fetched.error().trouble != Trouble::BadBackup) return tl::unexpected(fetched.error());
  Verified verified;
  verified.result.at = clock.now();
  verified.result.why = fetched ? contradiction(backup, *fetched) : fetched.error().error.message;
  verified.result.fine = verified.result.why.empty();
  const bool tested = backup.verified && backup.verified->how == model::VerifiedHow::Restore;
  if (tested && verified.result.fine) {  // says more than a checksum, for better or worse
    verified.why_not = std::string("a test restore of ") + base::to_string(backup.verified->at) + " stands there" +
                       (backup.verified->fine ? "" : ", and it failed");
    return verified;
  }
  if (auto may = go_on(may_go_on); !may) return tl::unexpected(std::move(may.error()));
  record(store, backup, verified);
  return verified;
}

void record(ports::ObjectStore& store, const model::StoredBackup& backup, Verified& verified) {
  if (!backup.facts || !backup.parsed) {
    verified.why_not = "it was made by another tool";
    return;
  }
  const auto done =
      store.put(backup.path_of(model::kBackupVerified), to_json(verified.result), ports::Overwrite::Allowed);
  verified.recorded = done.has_value();
  if (!done) verified.why_not = done.error().message;
}

Outcome<void> pin(ports::ObjectStore& store, const model::StoredBackup& backup, const model::BackupPin& pin) {
  if (backup.raw) return no_pins(backup);
  auto done = store.put(backup.path_of(model::kBackupPin), to_json(pin), ports::Overwrite::Allowed);
  if (!done) return failed(Trouble::Store, std::move(done.error()));
  return {};
}

Outcome<void> unpin(ports::ObjectStore& store, const model::StoredBackup& backup) {
  if (backup.raw) return no_pins(backup);
  auto done = store.remove(backup.path_of(model::kBackupPin));
  if (!done) return failed(Trouble::Store, std::move(done.error()));
  return {};
}

Outcome<void> remove(ports::ObjectStore& store, const model::StoredBackup& backup) {
  if (!backup.parsed || !backup.facts || backup.pin) {
    return failed(Trouble::Refused, {ErrorKind::Refused, backup.name + " is not ours to remove", ""});
  }
  // Somebody may have pinned it since it was listed.
  const auto pin = store.get(backup.path_of(model::kBackupPin), kMostOfPin);
  if (!pin && pin.error().kind != ErrorKind::Invalid) return failed(Trouble::Store, pin.error());
  if (!pin || *pin) {
    return failed(Trouble::Refused, {ErrorKind::Refused, backup.name + " was pinned a moment ago", ""});
  }
  const auto remove_file = [&](std::string_view file) { return store.remove(backup.path_of(file)); };
  auto done = remove_file(model::kBackupMeta);
  for (const model::StoredFile& file : backup.files) {
    if (!done) break;
    if (file.name != model::kBackupMeta) done = remove_file(file.name);
  }
  if (done) return {};
  return failed(Trouble::Store, {done.error().kind, backup.name + ": " + done.error().message, done.error().help});
}

Outcome<void> remove_unfinished(ports::ObjectStore& store, const model::StoreContents& contents, base::Time before,
                                const MayGoOn& may_go_on) {
  for (const std::string& folder : contents.unfinished) {
    const auto name = model::parse_backup_name(folder);  // right below the base: in a folder it is another store's
    if (!name || !name->revision || name->at >= before) continue;
    const auto files = store.list(folder + "/");
    if (!files) return failed(Trouble::Store, files.error());
    const bool is_old = std::all_of(files->begin(), files->end(), [&](const ports::ObjectInfo& each) {
      return each.modified < before && each.name != folder + "/" + std::string(model::kBackupMeta);
    });
    if (!is_old) continue;
    if (auto may = go_on(may_go_on); !may) return may;
    for (const ports::ObjectInfo& each : *files) {
      if (auto done = store.remove(each.name); !done) return failed(Trouble::Store, std::move(done.error()));
    }
  }
  return {};
}

}  // namespace quorate::backup
