// Files of a store put together: a folder is a backup when its meta is there.
#include "reconciler/model/backup.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace quorate::model {
namespace {

// Folders of ours and of etcd-manager's that stand beside backups.
constexpr std::string_view kNoBackups[] = {"quorate", "control"};

std::string_view first_part(std::string_view name) {
  return name.substr(0, name.find('/'));
}

std::optional<BackupObject> only_object(const std::vector<StoredFile>& files, std::uint64_t& size) {
  std::optional<BackupObject> found;
  int objects = 0;
  for (const StoredFile& file : files) {
    const auto object = parse_backup_object(file.name);
    if (!object) continue;
    ++objects;
    found = object;
    size = file.size;
  }
  if (objects == 1) return found;
  size = 0;
  return std::nullopt;
}

// True: it is nothing that anybody knows.
bool take_loose(const StoredFile& file, StoreContents& contents) {
  if (parse_raw_name(file.name)) {
    contents.backups.push_back(raw_backup(file));
    return false;
  }
  contents.loose.push_back(file);
  return true;
}

using Folders = std::map<std::string, std::vector<StoredFile>>;

void take_folder(const std::string& folder, std::vector<StoredFile> inside, StoreContents& contents) {
  StoredBackup backup;
  backup.folder = folder;
  const std::size_t slash = folder.rfind('/');
  backup.name = slash == std::string::npos ? folder : folder.substr(slash + 1);
  backup.parsed = parse_backup_name(backup.name);
  backup.object = only_object(inside, backup.size);
  backup.files = std::move(inside);
  if (backup.has(kBackupMeta)) {
    if (!backup.object) backup.problem = "there is no database in it that could be told";
    contents.backups.push_back(std::move(backup));
    return;
  }
  if (backup.object) {
    contents.unfinished.push_back(folder);
    return;
  }
  bool unknown = false;
  for (const StoredFile& file : backup.files) unknown |= take_loose({backup.path_of(file.name), file.size}, contents);
  if (unknown) contents.others.push_back(folder);
}

}  // namespace

bool StoredBackup::has(std::string_view file) const {
  return std::any_of(files.begin(), files.end(), [&](const StoredFile& each) { return each.name == file; });
}

std::optional<std::int64_t> StoredBackup::revision() const {
  if (facts) return facts->revision;
  if (raw) return raw->revision;
  return parsed ? parsed->revision : std::nullopt;
}

std::optional<base::Time> StoredBackup::at() const {
  if (raw) return raw->at;
  return parsed ? std::optional(parsed->at) : std::nullopt;
}

// Of those of one second the one with the lower revision; the name only where nothing else tells.
bool is_older(const StoredBackup& a, const StoredBackup& b) {
  const auto rank = [](const StoredBackup& each) {
    return std::tuple(each.at().value_or(base::Time{}), each.revision().value_or(0));
  };
  return std::tuple(rank(a), std::string_view(a.name), std::string_view(a.folder)) <
         std::tuple(rank(b), std::string_view(b.name), std::string_view(b.folder));
}

StoredBackup raw_backup(const StoredFile& file) {
  StoredBackup backup;
  backup.name = file.name;
  backup.folder = file.name;
  backup.raw = parse_raw_name(file.name).value_or(RawName{"another tool", std::nullopt, std::nullopt});
  backup.files = {file};
  backup.object = BackupObject{Packing::None, false};
  backup.size = file.size;
  return backup;
}

StoreContents sort_out(const std::vector<StoredFile>& files) {
  StoreContents contents;
  Folders folders;
  for (const StoredFile& file : files) {
    const std::size_t slash = file.name.rfind('/');
    const std::string_view top = first_part(file.name);
    const bool is_beside = slash != std::string::npos &&
                           std::find(std::begin(kNoBackups), std::end(kNoBackups), top) != std::end(kNoBackups);
    if (is_beside) continue;
    if (slash != std::string::npos) {
      folders[file.name.substr(0, slash)].push_back({file.name.substr(slash + 1), file.size});
    } else if (take_loose(file, contents)) {
      contents.others.push_back(file.name);
    }
  }
  for (auto& [folder, inside] : folders) take_folder(folder, std::move(inside), contents);
  std::stable_sort(contents.backups.begin(), contents.backups.end(),
                   [](const StoredBackup& a, const StoredBackup& b) { return is_older(a, b); });
  std::sort(contents.others.begin(), contents.others.end());
  return contents;
}

}  // namespace quorate::model
