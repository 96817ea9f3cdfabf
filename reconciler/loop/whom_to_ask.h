// Where an agent asks: members of etcd, other agents, and its own etcd for whom it is connected to.
#pragma once

#include <string>
#include <vector>

#include "reconciler/loop/agent_view.h"
#include "reconciler/model/memory.h"
#include "reconciler/ports/peers.h"

namespace quorate::loop {

std::vector<std::string> endpoints_of(const model::Desired& desired);
std::vector<ports::Peer> peers_of(const model::Desired& desired, const std::string& me);
// Voters that were ours until the file dropped them: until they are removed their agents count as those of voters do,
// for what file is in force and for who is dead.
std::vector<ports::Peer> dropped_of(const AgentView& view, const model::Memory& memory);
std::string metrics_of(const model::Member& member);

}  // namespace quorate::loop
