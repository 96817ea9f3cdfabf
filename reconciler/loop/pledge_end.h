// When a promise of this node has been kept, so that what it kept for it may go.
#pragma once

#include "reconciler/loop/agent_view.h"
#include "reconciler/model/memory.h"

namespace quorate::loop {

enum class PledgeEnd {
  NotYet,
  Begun,    // something else has started what was restored here: the decision goes on, as if our own agent had
  Settled,  // the cluster of the decision, or of one in its place, serves without what stood here before
};

PledgeEnd end_of_pledge(const AgentView& view, const model::Memory& memory);

}  // namespace quorate::loop
