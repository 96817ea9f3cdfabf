// Which backups stay: restic's words, over what is known of a store. Pure, so that it can be tried before it is done.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reconciler/model/backup.h"
#include "reconciler/model/backup_policy.h"

namespace quorate::model {

struct Fate {
  bool removed = false;
  bool ours = false;             // false: left alone, whatever the policy says
  std::vector<std::string> why;  // it stays: "last 1/24", "day 3", "pinned: before 3.5"
};

// For whom it is decided.
struct BackupOwner {
  base::ClusterId cluster;          // backups of others, like those without facts, are left alone
  base::Time now{};                 // what is dated in the future stays, and nothing is counted from it
  std::vector<std::string> needed;  // names, or how they begin, that a plan or a person refers to
};

// One for each backup, in their order. An empty policy removes nothing. One that was found to be damaged stays as long
// as its place says so, and never takes the place of another.
std::vector<Fate> fates(const std::vector<StoredBackup>& backups, const KeepPolicy& policy, const BackupOwner& owner);

}  // namespace quorate::model
