// What the agents' own reports and their records in etcd add to an observation, and what they prove together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/model/agent_report.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/records.h"
#include "reconciler/ports/peers.h"

namespace quorate::observe {

struct AgentsView {
  model::AgentReport own;                  // of the agent that looks
  std::vector<ports::PeerAnswer> answers;  // of the others
  base::Result<model::Records> records = base::invalid("nobody asked");
  std::string store;  // of backups, as the file names it; empty: it names none
};

// What is known of another store than the one that the file names says nothing of this one.
void add_store(model::Observed& observed, const model::StoreRecord& record, const std::string& store);

void add_agents(model::Observed& observed, const AgentsView& view);

}  // namespace quorate::observe
