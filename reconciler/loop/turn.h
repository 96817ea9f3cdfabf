// Whose turn it is: the step of a plan that one agent may begin now, or why it waits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/verdict.h"

namespace quorate::loop {

struct Turn {
  const model::Step* step = nullptr;  // ours, to begin now; null: nothing to do here
  std::string waits;                  // for what; empty: the plan is empty
  std::optional<base::Time> until;    // when the waiting ends by itself
  bool soon = false;                  // it ends in moments, and no event will say so
  bool held = false;                  // by the gate
  bool looks_on = false;              // nothing of what is to be done is ours
  std::string after;                  // whose etcd starts better a moment before ours; empty: nobody's
};

// `agents`: members whose agents answer and follow the same file, ours among them.
Turn turn_of(const model::Gated& gated, const model::Desired& desired, const model::Observed& observed,
             const std::string& member, const std::vector<std::string>& agents);

// The member whose agent acts for the cluster: the leader's, else the first by name that is up; empty: nobody can.
std::string actor_of(const model::Desired& desired, const model::Observed& observed,
                     const std::vector<std::string>& agents);

}  // namespace quorate::loop
