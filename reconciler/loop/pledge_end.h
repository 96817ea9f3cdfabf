// When a promise of this node has been kept, so that what it kept for it may go.
#pragma once

#include "reconciler/loop/agent_view.h"
#include "reconciler/model/memory.h"

namespace quorate::loop {

enum class PledgeEnd {
  NotYet,
  Begun,    // something else has started what was restored here: the decision goes on, as if our own agent had
  Settled,  // a cluster serves without what stood here before, and nobody will ask for that any more
};

PledgeEnd end_of_pledge(const AgentView& view, const model::Memory& memory);

}  // namespace quorate::loop
