// The one schedule that planner, agents and reports go by.
#include "reconciler/model/backup_policy.h"

namespace quorate::model {

base::Time next_backup(const BackupPolicy& policy, base::Time last) {
  return policy.cron ? base::next_after(*policy.cron, last, policy.zone) : last + policy.every;
}

Late late_after(const BackupPolicy& policy, base::Time last) {
  constexpr base::Duration kMoment = std::chrono::minutes{5};
  constexpr int kWarn = 2;
  constexpr int kPage = 6;
  Late late{last + policy.warn_after.value_or(base::Duration{}), last + policy.page_after.value_or(base::Duration{})};
  base::Time due = last;
  for (int missed = 1; missed <= kPage; ++missed) {
    due = next_backup(policy, due);
    if (missed == kWarn && !policy.warn_after) late.warn = due + kMoment;
  }
  if (!policy.page_after) late.page = due + kMoment;
  return late;
}

bool is_ahead(base::Time at, base::Time now) {
  return at - now > std::chrono::minutes{10};
}

}  // namespace quorate::model
