// What a desired file says about backups: where to, when, what is kept, and how they are made.
#pragma once

#include <optional>
#include <string>

#include "reconciler/base/cron.h"
#include "reconciler/base/time.h"
#include "reconciler/model/backup_name.h"

namespace quorate::model {

// Of each hour, day, week (Monday first) or month in UTC the newest backup stays, for as many of them as have one.
struct KeepPolicy {
  int last = 0;
  int hourly = 0;
  int daily = 0;
  int weekly = 0;
  int monthly = 0;
  base::Duration within{};  // of the newest
  friend bool operator==(const KeepPolicy&, const KeepPolicy&) = default;
  bool empty() const { return *this == KeepPolicy{}; }
};

// Where on the node a key is: a file, or a credential of systemd's; both empty: nowhere.
struct KeyPlace {
  std::string file;
  std::string credential;
  bool empty() const { return file.empty() && credential.empty(); }
};

// How buckets are reached. What is empty is left to the variables and profiles that the usual tools read.
struct BucketAccess {
  std::string region;
  std::string endpoint;
  std::optional<bool> path_style;
  std::string ca;
  std::string sse;
  std::string kms_key;
  std::string storage_class;
  std::string profile;
  KeyPlace access_key;
  KeyPlace secret_key;
  KeyPlace session_token;
};

struct BackupPolicy {
  std::string to;                  // "s3://bucket/folder", "file:///mnt/backups"
  base::Duration every{};          // 0: by cron
  std::optional<base::Cron> cron;  // on the clocks of `zone`
  std::string time_zone;           // its name; empty: UTC
  base::TimeZone zone;
  std::string no_zone;  // why its rules are not to be had here: until they are, `zone` is UTC
  KeepPolicy keep;      // empty: everything
  bool before_changes = true;
  std::string spool;              // a folder on each node; empty: what heals goes on without a backup
  base::Duration verify_every{};  // 0: only when somebody asks for it
  VerifiedHow verify_how = VerifiedHow::Checksum;
  std::optional<base::Duration> warn_after;  // since the newest backup; nothing: by the schedule
  std::optional<base::Duration> page_after;
  Packing packing = Packing::Gzip;
  KeyPlace key;  // empty: not encrypted
  BucketAccess s3;
};

// When the next backup is due after one of this time.
base::Time next_backup(const BackupPolicy& policy, base::Time last);

// Since when it has been too long since a backup of this time. Where the file does not say how long that may be, the
// second one that was due after it has been missing for a moment; the sixth one for whoever is to be woken.
struct Late {
  base::Time warn{};
  base::Time page{};
};
Late late_after(const BackupPolicy& policy, base::Time last);

// By so much that a clock is wrong: what is dated so says nothing of how old it is.
bool is_ahead(base::Time at, base::Time now);

}  // namespace quorate::model
