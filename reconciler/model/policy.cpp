// When a pause counts, and what two of them mean together.
#include "reconciler/model/policy.h"

#include <algorithm>

namespace quorate::model {

namespace {
constexpr base::Duration kLongestPause = std::chrono::hours{24 * 7};
}  // namespace

bool is_in_force(const Paused& paused, base::Time now) {
  return now < paused.until && paused.until - now <= kLongestPause;
}

bool is_paused(const std::optional<Paused>& paused, std::string_view member, base::Time now) {
  if (!paused || !is_in_force(*paused, now)) return false;
  const auto& members = paused->members;
  return members.empty() || std::find(members.begin(), members.end(), member) != members.end();
}

std::optional<Paused> both(const std::optional<Paused>& a, const std::optional<Paused>& b, base::Time now) {
  const bool first = a && is_in_force(*a, now);
  const bool second = b && is_in_force(*b, now);
  if (!second || (first && *a == *b)) return a;
  if (!first) return b;
  Paused sum;
  sum.reason = a->reason + "; " + b->reason;
  sum.until = std::max(a->until, b->until);
  if (a->members.empty() || b->members.empty()) return sum;
  sum.members = a->members;
  sum.members.insert(sum.members.end(), b->members.begin(), b->members.end());
  return sum;
}

}  // namespace quorate::model
