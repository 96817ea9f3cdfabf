// What an agent says of its own node to whoever asks, and nothing of anybody else's but whether it sees them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"
#include "reconciler/model/observed.h"

namespace quorate::model {

// How long this agent has not seen a member, by any way it has: a peer connection of its own etcd, an answer to a
// client's call, an answer of its agent. Durations, because clocks of two machines differ.
struct Sight {
  base::MemberId member;
  base::Duration unseen{};  // 0: it is seen now
  friend bool operator==(const Sight&, const Sight&) = default;
};

struct AgentReport {
  std::string cluster;  // name
  std::string member;
  std::string node;
  std::string boot;            // drawn when the agent started: two agents that answer for one member differ in it
  std::uint64_t sequence = 0;  // grows with every change of what it says
  std::string nonce;           // of the one who asked
  std::string desired_digest;  // of the file that this agent holds; empty: none that is valid
  NodeFacts facts;
  std::vector<Sight> sights;  // by member
  std::optional<Formed> formed;
  std::optional<Applied> applied;
  friend bool operator==(const AgentReport&, const AgentReport&) = default;
};

std::string to_json(const AgentReport& report);
base::Result<AgentReport> read_agent_report(std::string_view text, const std::string& name);

}  // namespace quorate::model
