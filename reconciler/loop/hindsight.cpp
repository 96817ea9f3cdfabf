// Each look is compared with one before it, which is kept for a moment, since two that follow each other at once say
// nothing; where that saw nothing, nothing is claimed.
#include "reconciler/loop/hindsight.h"

namespace quorate::loop {
namespace {

constexpr base::Duration kMoment{1000};

}  // namespace

void Hindsight::add_to(model::Observed& observed, base::Duration at) {
  const model::ObservedMember* leader = model::member_of(observed, model::leader_of(observed));
  std::optional<std::uint64_t> leads_at;
  if (leader != nullptr && leader->status) leads_at = leader->status->raft_index;
  if (observed.membership) {
    for (model::ObservedMember& member : observed.membership.get()->members) {
      if (member.listed.learner) member.led_at = led_at_;
    }
  }
  if (!leads_at || !led_at_ || at - led_since_ >= kMoment) {
    led_at_ = leads_at;
    led_since_ = at;
  }
  if (!observed.announced) return;
  std::map<std::int64_t, base::Duration> since;
  for (model::Updating& updating : observed.announced.get()->updating) {
    const auto before = updating_since_.find(updating.mod_revision);
    const base::Duration first = before == updating_since_.end() ? at : before->second;
    since.emplace(updating.mod_revision, first);
    updating.in_flight = at - first < settled_;
  }
  updating_since_ = std::move(since);
}

}  // namespace quorate::loop
