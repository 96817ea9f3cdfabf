// The one schedule that planner, agents and reports go by.
#include "reconciler/model/backup_policy.h"

namespace quorate::model {

base::Time next_backup(const BackupPolicy& policy, base::Time last) {
  return policy.cron ? base::next_after(*policy.cron, last, policy.zone) : last + policy.every;
}

base::Duration pause_between(const BackupPolicy& policy, base::Time now) {
  if (!policy.cron) return policy.every;
  const base::Time first = base::next_after(*policy.cron, now, policy.zone);
  return base::next_after(*policy.cron, first, policy.zone) - first;
}

}  // namespace quorate::model
