// The ordered steps from what is to what should be, and what was noticed on the way. The plan is a value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/exit_code.h"
#include "reconciler/model/step.h"

namespace quorate::model {

enum class PlanStatus {
  Converged,         // nothing to do
  Actionable,        // steps, all of them known
  NeedsObservation,  // too little is known to say, or what is missing comes back without a step: look again
  NeedsHuman,        // a person decides, steps or none
};

// Something a person should know that is no step: a difference, a risk, a reason to stop.
struct Notice {
  std::string code;    // "UnexpectedMember"
  std::string object;  // "member/etcd-x", "cluster"
  std::string field;   // of the desired file, where one differs: "etcd.quota"
  std::string want;
  std::string have;
  enum class Level { Info, Warning, Critical } level = Level::Warning;
  std::string text;                 // one sentence without a full stop
  std::string help;                 // what to do next; may be empty
  bool drift = false;               // the world differs from the file
  std::optional<base::Time> since;  // as far back as somebody has seen it
  std::string ignored;              // why drift.ignore says that it does not count; empty: it counts
  std::string file;
  int line = 0;
  friend bool operator==(const Notice&, const Notice&) = default;
};

struct Plan {
  PlanStatus status = PlanStatus::Converged;
  ExitCode stop = ExitCode::Ok;  // why it is NeedsObservation or NeedsHuman; Ok otherwise
  std::string cluster;           // name
  base::ClusterId cluster_id;
  std::string desired_digest;
  std::vector<Step> steps;
  std::vector<Notice> notices;
  Quorum now;
  std::string id;  // 8 hex digits over desired digest, cluster ID and steps
  friend bool operator==(const Plan&, const Plan&) = default;
};

std::string_view name_of(PlanStatus status);
std::string_view name_of(Notice::Level level);
std::string plan_id(const Plan& plan);

}  // namespace quorate::model
