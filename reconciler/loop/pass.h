// What one pass of an agent gives to those who follow it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/plan_json.h"
#include "reconciler/model/records.h"

namespace quorate::loop {

// What a pass failed at, where that is no step.
inline constexpr const char* kOwnNode = "the upkeep of its own node";

// What one pass saw and did.
struct Pass {
  model::SavedPlan plan;
  model::Observed observed;
  model::Records records;
  base::Duration began{};               // on Clock::elapsed: whatever was said before is in it
  std::string desired_digest;           // of the file that it follows
  std::optional<model::Paused> paused;  // by the file or by people, and in force
  std::vector<std::string> denied;      // steps that somebody has said no to
  bool did = false;                     // a step was carried out, or etcd was started: look again at once
  bool news = false;  // its node is not what it was at the pass before: the others are told, as they are of what it did
  std::string step;   // its ID; of the one that failed too
  std::optional<base::Error> failed;
  bool given_up = false;  // it has failed for so long that it waits for people
  std::string waits;      // for what; empty: nothing to do
  base::Duration wait{};  // until the next pass, if nothing happens before
  bool looks_on = false;  // the others are at work, and nothing of it is ours: their news can wait a moment
};

}  // namespace quorate::loop
