// One listing, then the small files of all backups at once.
#include "reconciler/backup/catalog.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "reconciler/base/suggest.h"

namespace quorate::backup {
namespace {

constexpr std::uint64_t kMostOfSmallFile = 256 * 1024;

template <class Value>
using Reader = base::Result<Value> (*)(std::string_view text, const std::string& name);

// Reads one small file; a store that does not answer is an error, content that makes no sense a problem.
template <class Value>
base::Result<void> read_small(ports::ObjectStore& store, model::StoredBackup& backup, std::string_view file,
                              Reader<Value> read, std::optional<Value>& into) {
  if (!backup.has(file)) return {};
  const std::string path = backup.path_of(file);
  const auto note = [&](const std::string& problem) {
    if (backup.problem.empty()) backup.problem = problem;
  };
  auto text = store.get(path, kMostOfSmallFile);
  if (!text && text.error().kind != base::ErrorKind::Invalid) return tl::unexpected(std::move(text.error()));
  if (!text) {
    note(text.error().message);
    return {};
  }
  if (!*text) {  // removed since it was listed
    note(path + " has gone");
    return {};
  }
  auto value = read(**text, path);
  if (value) {
    into = *std::move(value);
  } else {
    note(value.error().message);
  }
  return {};
}

base::Result<void> read_backup(ports::ObjectStore& store, model::StoredBackup& backup) {
  if (auto done = read_small(store, backup, model::kBackupMeta, &model::read_meta, backup.meta); !done) return done;
  if (auto done = read_small(store, backup, model::kBackupFacts, &model::read_backup_facts, backup.facts); !done) {
    return done;
  }
  if (auto done = read_small(store, backup, model::kBackupVerified, &model::read_backup_verified, backup.verified);
      !done) {
    return done;
  }
  if (auto done = read_small(store, backup, model::kBackupPin, &model::read_backup_pin, backup.pin); !done) return done;
  const bool other = backup.facts && backup.object && backup.facts->object != *backup.object;
  if (other && backup.problem.empty()) backup.problem = "its database is not the file that was recorded";
  const bool cut = backup.facts && backup.object && backup.facts->object_size != backup.size;
  if (cut && backup.problem.empty()) {
    backup.problem = "its object has " + std::to_string(backup.size) + " bytes, and " +
                     std::to_string(backup.facts->object_size) + " were written";
  }
  return {};
}

bool begins_with(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

}  // namespace

Outcome<model::StoreContents> read_catalog(ports::ObjectStore& store, ports::Parallel& parallel) {
  const auto listed = store.list("");
  if (!listed) return failed(Trouble::Store, listed.error());
  std::vector<model::StoredFile> files;
  files.reserve(listed->size());
  for (const ports::ObjectInfo& each : *listed) files.push_back({each.name, each.size});
  model::StoreContents contents = model::sort_out(files);
  std::mutex mutex;
  std::optional<base::Error> first;
  std::vector<std::function<void()>> jobs;
  for (model::StoredBackup& backup : contents.backups) {
    jobs.push_back([&store, &backup, &mutex, &first] {
      {
        const std::lock_guard lock(mutex);
        if (first) return;
      }
      auto done = read_backup(store, backup);
      if (done) return;
      const std::lock_guard lock(mutex);
      if (!first) first = std::move(done.error());
    });
  }
  parallel.run(std::move(jobs));
  if (first) return failed(Trouble::Store, *std::move(first));
  return contents;
}

Outcome<model::StoredBackup> find_backup(const model::StoreContents& contents, const std::string& wanted,
                                         const std::string& address) {
  const auto& backups = contents.backups;
  if (wanted == "latest") {
    const auto newest = std::find_if(backups.rbegin(), backups.rend(), [](const model::StoredBackup& each) {
      return each.parsed && each.object && each.problem.empty();
    });
    if (newest != backups.rend()) return *newest;
    return failed(Trouble::NoBackup, {base::ErrorKind::Invalid, "there is no backup in " + address, ""});
  }
  std::vector<const model::StoredBackup*> found;
  std::vector<std::string> names;
  for (const model::StoredBackup& each : backups) {
    if (each.name == wanted || each.folder == wanted) return each;
    if (begins_with(each.name, wanted)) found.push_back(&each);
    names.push_back(each.name);
  }
  for (const model::StoredFile& each : contents.loose) {
    if (each.name == wanted) return model::raw_backup(each);
  }
  if (found.size() == 1) return *found.front();
  if (found.size() > 1) {
    return failed(Trouble::NoBackup,
                  {base::ErrorKind::Invalid, std::to_string(found.size()) + " backups begin with " + wanted,
                   "the first of them is " + found.front()->name});
  }
  const auto near = base::nearest(wanted, names, 1);
  return failed(Trouble::NoBackup,
                {base::ErrorKind::Invalid, "there is no backup " + wanted + " in " + address,
                 near.empty() ? "quorate backup list shows what is there" : "did you mean " + near[0] + "?"});
}

}  // namespace quorate::backup
