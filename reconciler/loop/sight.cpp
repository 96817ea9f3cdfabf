// Only spans are told, measured by a clock that nobody sets.
#include "reconciler/loop/sight.h"

#include <algorithm>

namespace quorate::loop {

void Sights::look(base::Duration at, const std::vector<base::MemberId>& listed,
                  const std::vector<base::MemberId>& seen) {
  std::map<base::MemberId, base::Duration> now;
  seen_now_.clear();
  for (const base::MemberId id : listed) {
    const bool is_seen = std::find(seen.begin(), seen.end(), id) != seen.end();
    const auto before = last_seen_.find(id);
    now[id] = is_seen || before == last_seen_.end() ? at : before->second;
    seen_now_[id] = is_seen;
  }
  last_seen_ = std::move(now);
}

void Sights::blind() {
  last_seen_.clear();
  seen_now_.clear();
}

std::vector<model::Sight> Sights::at(base::Duration at) const {
  std::vector<model::Sight> sights;
  for (const auto& [id, last] : last_seen_) {
    const bool seen = seen_now_.at(id);
    // Not seen, if only for a moment, is not the same as seen.
    sights.push_back({id, seen ? base::Duration{0} : std::max(at - last, base::Duration{1})});
  }
  return sights;
}

}  // namespace quorate::loop
