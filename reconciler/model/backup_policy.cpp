// The one schedule that planner, agents and reports go by.
#include "reconciler/model/backup_policy.h"

namespace quorate::model {

base::Time next_backup(const BackupPolicy& policy, base::Time last) {
  return policy.cron ? base::next_after(*policy.cron, last) : last + policy.every;
}

base::Duration pause_between(const BackupPolicy& policy, base::Time now) {
  if (!policy.cron) return policy.every;
  const base::Time first = base::next_after(*policy.cron, now);
  return base::next_after(*policy.cron, first) - first;
}

}  // namespace quorate::model
