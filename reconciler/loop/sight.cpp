// Only spans are told, measured by a clock that nobody sets.
#include "reconciler/loop/sight.h"

#include <algorithm>

namespace quorate::loop {
namespace {

// Who looks away for longer has not watched: what was unseen before may have been there meanwhile.
constexpr base::Duration kLongestBlink{15000};

}  // namespace

void Sights::look(base::Duration at, const std::vector<base::MemberId>& listed,
                  const std::vector<base::MemberId>& seen) {
  std::map<base::MemberId, base::Duration> now;
  const bool watched = at - last_look_ <= kLongestBlink;
  last_look_ = at;
  seen_now_.clear();
  for (const base::MemberId id : listed) {
    const bool is_seen = std::find(seen.begin(), seen.end(), id) != seen.end();
    const auto before = last_seen_.find(id);
    now[id] = is_seen || !watched || before == last_seen_.end() ? at : before->second;
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
  if (at - last_look_ > kLongestBlink) return sights;
  for (const auto& [id, last] : last_seen_) {
    const bool seen = seen_now_.at(id);
    // Not seen, if only for a moment, is not the same as seen.
    sights.push_back({id, seen ? base::Duration{0} : std::max(last_look_ - last, base::Duration{1})});
  }
  return sights;
}

}  // namespace quorate::loop
