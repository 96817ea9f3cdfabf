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

// One for each backup, in their order. `own`: backups of other clusters, like those without facts, are left alone. An
// empty policy removes nothing.
std::vector<Fate> fates(const std::vector<StoredBackup>& backups, const KeepPolicy& policy, base::ClusterId own);

}  // namespace quorate::model
