// Everything that one look of an agent gives: the file it follows, the world, and what the gate says of the plan.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/units.h"
#include "reconciler/gate/consent.h"
#include "reconciler/loop/followed.h"
#include "reconciler/model/plan_json.h"
#include "reconciler/observe/agents.h"

namespace quorate::loop {

struct AgentView {
  base::Duration since{};  // on Clock::elapsed: when the look began, so that nothing in it is older
  std::shared_ptr<const Followed> followed;
  model::Desired desired;  // the file's, with what people have said since
  model::Member me;        // from the file, or from memory when it no longer lists us
  bool listed = false;     // the file lists us
  model::Observed observed;
  observe::AgentsView agents;
  std::vector<std::string> followers;  // members whose agents answer and follow the same file, ours among them
  std::string serving;                 // a voter that answers reads, our own before others; empty: none
  std::optional<base::Result<std::vector<base::MemberId>>> linked;  // who our own etcd is connected to, when asked
  std::optional<model::Voters> own_voters;  // by our own member alone, where it says more than is remembered
  model::SavedPlan plan;
  std::map<std::string, gate::Consent> said;  // by people, by step of the plan

  bool has_quorum() const { return !serving.empty() && observed.membership.is_known(); }
  // The file that we follow is the one that a majority holds.
  bool is_in_force() const { return agents.records && agents.records->in_force.digest == followed->digest; }
};

}  // namespace quorate::loop
