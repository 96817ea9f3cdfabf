// The rules that no flag overrides: what a step may never do to quorum, and what etcd itself would refuse. The planner
// orders its steps by them and the gate judges by them, so that both use one arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/action.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"

namespace quorate::model {

struct BrokenRule {
  std::string_view id;     // "Q1"
  std::string arithmetic;  // "2 voters, 1 up, needs 2: no writes"
};

// Etcd takes no puts and no leases then, so nobody can hold the lock.
bool is_full(const Observed& observed);
// In bytes; etcd's own where the file says nothing.
std::int64_t quota_of(const Desired& desired);
// What a member runs with, as far as its files tell: they may not be those of the file yet.
std::int64_t quota_of(const Desired& desired, const NodeFacts* node);

// The first rule that the action would break in this world; nothing when it may be done.
std::optional<BrokenRule> broken_rule(const Observed& observed, const Action& action);

// A learner that lags is on its way, and so is an update that was asked for: nobody has to do anything about it.
bool passes_by_itself(const BrokenRule& broken);

struct RuleInfo {
  std::string_view id;
  std::string_view text;  // one sentence
};

// Q rules first, then those of the gate, by id.
const std::vector<RuleInfo>& all_rules();
std::string_view rule_text(std::string_view id);

}  // namespace quorate::model
