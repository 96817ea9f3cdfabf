// A member that is assumed to be up says what the leader says.
#include "reconciler/model/assume.h"

namespace quorate::model {

void assume_up(Observed& observed, base::MemberId id) {
  ObservedMember* member = member_of(observed, id);
  if (member == nullptr || is_up(*member)) return;
  const ObservedMember* leader = member_of(observed, leader_of(observed));
  if (leader != nullptr) member->status = leader->status;
  if (!member->status) member->status = Fact<MemberStatus>::known({}, observed.at);
  member->serves = Fact<base::Duration>::known({}, observed.at);
  member->silent_since = Fact<base::Time>::unknown("it is assumed to answer", observed.at);
}

}  // namespace quorate::model
