// One pass of an agent as it goes over the socket: what is left to do, what holds it up, and how the cluster is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"
#include "reconciler/loop/pass.h"
#include "reconciler/model/step.h"

namespace quorate::cli {

struct SeenHold {
  std::string step;  // empty: the plan as such
  int exit_code = 0;
  std::string text;
  bool passes = false;  // by itself, with time
};

struct SeenPass {
  std::string member;
  std::string plan;  // empty: nothing was planned, since something has just changed
  std::string desired_digest;
  std::string status;
  int exit_code = 0;
  std::vector<std::string> steps;   // what is left
  bool ends_early = false;          // behind a step that may not run nothing is shown
  std::vector<SeenHold> held;       // what may not run now, the plan as such first
  std::vector<std::string> denied;  // steps that somebody has said no to
  std::string notice;               // the first of the plan
  bool did = false;
  std::string step;
  std::string failed;
  bool given_up = false;
  std::string waits;
  base::Duration began{};  // on the clock of the agents; KeptWhere::at is on the same
  std::string health;
  std::optional<model::Quorum> quorum;  // nothing: no member list is known
  std::string lock;                     // whose agent is changing the cluster; empty: nobody's
  std::string paused;                   // until when, and why; empty: it is not
  std::vector<std::string> given;       // decisions that nodes have set their data apart for, and not carried out yet
};

std::string pass_text(const std::string& member, const loop::Pass& pass);
base::Result<SeenPass> read_pass(std::string_view text);

}  // namespace quorate::cli
