// What an agent that has looked at the store tells the others: how far the backups of its cluster reach, and what went
// wrong with them. It stands as a record in etcd, so that one look is enough for all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reconciler/base/time.h"
#include "reconciler/model/backup_name.h"

namespace quorate::model {

struct BackupsSeen {
  std::string store;   // its address, as the desired file says it
  int count = 0;       // of this cluster
  std::string newest;  // name; empty: there is none
  std::int64_t revision = 0;
  std::uint64_t size = 0;              // of its object
  base::Time taken{};                  // when it was begun
  base::Time covers{};                 // until when nothing was written that is not in it
  base::Time oldest{};                 // of the oldest one
  std::optional<base::Time> verified;  // when one was last found to be whole
  std::string verified_name;           // that one
  VerifiedHow verified_how = VerifiedHow::Checksum;
  std::string damaged;  // the newest one that was found not to be; empty: there is none
  std::string ahead;    // one that is dated in the future, and so counts for nothing yet; empty: there is none
  int removable = 0;    // that the retention does not keep
  friend bool operator==(const BackupsSeen&, const BackupsSeen&) = default;
};

enum class StoreTask { Backup, Verify, Prune, Look, Publish };
std::string_view name_of(StoreTask task);  // "backup"

// What is tried again and again, and has not succeeded since.
struct BackupTrouble {
  std::string store;
  base::Time since{};
  std::string text;
  StoreTask task = StoreTask::Backup;
  friend bool operator==(const BackupTrouble&, const BackupTrouble&) = default;
};

// No backup is known in this store since then, and the file asks for some.
struct BackupAwaited {
  std::string store;
  base::Time since{};
  friend bool operator==(const BackupAwaited&, const BackupAwaited&) = default;
};

struct StoreRecord {
  std::optional<BackupsSeen> seen;  // nothing: nobody has been able to look yet
  std::optional<BackupTrouble> trouble;
  std::optional<BackupAwaited> awaited{};  // nothing: one is known
  friend bool operator==(const StoreRecord&, const StoreRecord&) = default;
};

}  // namespace quorate::model
