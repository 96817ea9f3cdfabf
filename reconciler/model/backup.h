// What is known of one backup: what its object is, what was recorded when it was made, and what was found out since.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"
#include "reconciler/base/time.h"
#include "reconciler/model/backup_meta.h"
#include "reconciler/model/backup_name.h"
#include "reconciler/model/backup_raw.h"

namespace quorate::model {

struct BackupHash {  // of all keys at this revision, as every member has it
  std::int64_t revision = 0;
  std::uint32_t hash = 0;
  std::int64_t compact_revision = 0;  // 0: never compacted (etcd says -1)
  friend bool operator==(const BackupHash&, const BackupHash&) = default;
};

// quorate.json: written once, before the backup becomes visible.
struct BackupFacts {
  base::Time at{};  // when the snapshot was asked for
  base::ClusterId cluster;
  base::MemberId member;
  std::string member_name;
  std::string etcd_version;
  std::int64_t revision = 0;
  bool revision_exact = true;    // false: at least this far; the database itself could not be read on its way
  std::uint64_t term = 0;        // of the last entry in the database; 0: it does not say
  std::uint64_t raft_index = 0;  // of that entry
  std::optional<std::int64_t> keys;
  std::optional<BackupHash> hash;
  std::optional<bool> auth;  // clients have to say who they are; nothing: the database was not read, or not asked
  BackupObject object;
  std::uint64_t object_size = 0;
  std::string object_sha256;        // of the object as it lies in the store
  std::uint64_t snapshot_size = 0;  // of what comes out of it
  std::string sealed_with;          // name of the key; empty: not encrypted
  std::string why;                  // "manual", "schedule", "before 5c1e90aa"
  std::string by;                   // the tool and its version
  friend bool operator==(const BackupFacts&, const BackupFacts&) = default;
};

struct BackupVerified {
  base::Time at{};
  VerifiedHow how = VerifiedHow::Checksum;
  bool fine = false;
  std::string why;  // it is not
  friend bool operator==(const BackupVerified&, const BackupVerified&) = default;
};

struct BackupPin {
  base::Time at{};
  std::string reason;
  std::string by;
  friend bool operator==(const BackupPin&, const BackupPin&) = default;
};

std::string to_json(const BackupFacts& facts);
std::string to_json(const BackupVerified& verified);
std::string to_json(const BackupPin& pin);
base::Result<BackupFacts> read_backup_facts(std::string_view text, const std::string& name);
base::Result<BackupVerified> read_backup_verified(std::string_view text, const std::string& name);
base::Result<BackupPin> read_backup_pin(std::string_view text, const std::string& name);

struct StoredFile {
  std::string name;  // in the folder of its backup, or below the base of the store
  std::uint64_t size = 0;
  friend bool operator==(const StoredFile&, const StoredFile&) = default;
};

struct StoredBackup {
  std::string name;                  // of its folder
  std::string folder;                // the same below the base of the store
  std::optional<BackupName> parsed;  // nothing: it is shown, and left alone
  std::optional<RawName> raw;        // it is one object of another tool's; name and folder are that object's
  std::vector<StoredFile> files;
  std::optional<BackupObject> object;  // nothing: no file in it is a database, or two are
  std::uint64_t size = 0;              // of the object
  // What the small files say; nothing where there is none, or where `problem` says that it could not be read.
  std::optional<BackupMeta> meta;
  std::optional<BackupFacts> facts;
  std::optional<BackupVerified> verified;
  std::optional<BackupPin> pin;
  std::string problem;

  bool has(std::string_view file) const;
  std::string path_of(std::string_view file) const { return folder + "/" + std::string(file); }
  std::string object_path() const { return raw ? folder : path_of(object ? file_name(*object) : ""); }
  std::optional<base::Time> at() const;  // as its name says it
  std::optional<std::int64_t> revision() const;
};

bool is_older(const StoredBackup& a, const StoredBackup& b);

// What all names of a store mean together.
struct StoreContents {
  std::vector<StoredBackup> backups;    // visible ones, oldest first; those without a time come before
  std::vector<std::string> unfinished;  // folders with a database and without a meta: on its way, or given up
  std::vector<std::string> others;      // folders and files that are no backups
  std::vector<StoredFile> loose;        // all files in those; one of them may be a snapshot under a name of its own
};
StoreContents sort_out(const std::vector<StoredFile>& files);

// A snapshot that is one object, under a name of another tool's or any other one.
StoredBackup raw_backup(const StoredFile& file);

}  // namespace quorate::model
