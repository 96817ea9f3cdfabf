// Whether our etcd, which has joined by a snapshot, waits for what has come with it.
#pragma once

#include <optional>

#include "reconciler/base/ids.h"
#include "reconciler/base/units.h"
#include "reconciler/loop/agent_view.h"

namespace quorate::loop {

// A new member announces its name through the log, and serves nobody before it has read that there. Where the leader
// cuts the snapshot for it after the announcement, it is in the snapshot and never read: etcd asks again after seven
// seconds. Started anew it announces itself once more, and what comes then comes by the log.
class Announcement {
 public:
  // True once for each member ID, and only for one that we have seen in the list before it had a name.
  bool is_missed(const AgentView& view);

 private:
  base::MemberId joining_;
  std::optional<base::Duration> since_;  // on Clock::elapsed: everybody else knows its name
};

}  // namespace quorate::loop
