// Names of backups and of what lies in them, as etcd-manager and its relatives lay stores out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reconciler/base/time.h"

namespace quorate::model {

// "2026-11-18T08:20:30Z-r48101220-etcd-a-7f3a" of ours, "2026-11-18T08:20:30Z-000001" of etcd-manager.
struct BackupName {
  base::Time at{};
  std::optional<std::int64_t> revision;  // of ours: at least this far
  friend bool operator==(const BackupName&, const BackupName&) = default;
};

// Nothing: it is no backup's name, and what bears it is left alone.
std::optional<BackupName> parse_backup_name(std::string_view name);

// One part of an object's name whatever the member is called. The mark is drawn for each backup: two writers of one
// second must not meet, since many stores let the later one write over the earlier one.
std::string backup_name(base::Time at, std::int64_t revision, std::string_view member, std::string_view mark);

inline constexpr std::string_view kBackupMeta = "_etcd_backup.meta";  // its presence makes the backup exist
inline constexpr std::string_view kBackupFacts = "quorate.json";
inline constexpr std::string_view kBackupVerified = "quorate.verified.json";
inline constexpr std::string_view kBackupPin = "quorate.pin.json";
inline constexpr std::string_view kPublished = "quorate/observed.json";  // below the base: what the agents see

enum class Packing { None, Gzip, Zstd };

enum class VerifiedHow { Checksum, Restore };
std::string_view name_of(VerifiedHow how);  // "checksum"

// "etcd.backup.gz", "etcd.backup.zst.enc".
struct BackupObject {
  Packing packing = Packing::Gzip;
  bool sealed = false;
  friend bool operator==(const BackupObject&, const BackupObject&) = default;
};
std::string file_name(const BackupObject& object);
std::optional<BackupObject> parse_backup_object(std::string_view file_name);

}  // namespace quorate::model
