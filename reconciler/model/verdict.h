// What the gate says of each step: go, wait, or no; by which rule, with which arithmetic, and what works instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/time.h"
#include "reconciler/model/exit_code.h"
#include "reconciler/model/plan.h"

namespace quorate::model {

enum class Ruling { Go, Hold, Deny };

struct Way {  // something that works instead
  std::string text;
  std::string command;  // may be empty
  friend bool operator==(const Way&, const Way&) = default;
};

struct Verdict {
  Ruling ruling = Ruling::Go;
  std::string rule;        // "Q1"; empty for Go
  std::string text;        // what the rule says, one sentence
  std::string arithmetic;  // "2 voters, 1 up, needs 2"; may be empty
  std::vector<Way> instead;
  std::optional<base::Time> until;  // a Hold that ends by itself
  ExitCode code = ExitCode::Ok;     // what the command ends with
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// One rule that was looked at, whether it said anything or not.
struct Check {
  std::string id;
  bool passed = true;
  friend bool operator==(const Check&, const Check&) = default;
};

// A plan with what the gate said of it. Steps behind the first that may not run are not judged and not shown.
struct Gated {
  Plan plan;
  std::vector<Verdict> verdicts;  // one per step of the plan
  std::optional<Verdict>
      whole;                  // said of the plan as such: stale observation, too many removals, paused, other cluster
  std::vector<Check> checks;  // by id
  ExitCode code = ExitCode::Ok;  // Ok, Different, or what stops it
  bool applicable = true;        // false: for review only
  friend bool operator==(const Gated&, const Gated&) = default;
};

std::string_view name_of(Ruling ruling);

}  // namespace quorate::model
