// A plan with what the gate said of it as a file, and back. schema/plan.schema.json has the form.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/time.h"
#include "reconciler/model/verdict.h"

namespace quorate::model {

// What a plan was made from.
struct PlanContext {
  std::string source = "file";  // where the desired file came from
  std::string file;
  std::string sha256;  // of the file's text
  base::Time observed_at{};
  std::string observed_by;
  std::vector<std::string> answered;  // members
  std::vector<std::string> silent;
  std::map<std::string, std::string> silence;                   // why, by member or by endpoint
  std::string etcd_version;                                     // of the leader; empty: not known
  std::map<std::string, std::vector<std::string>> client_urls;  // by member, of those listed anywhere
  std::optional<base::Time> expires_at;
  friend bool operator==(const PlanContext&, const PlanContext&) = default;
};

struct SavedPlan {
  Gated gated;
  PlanContext context;
  friend bool operator==(const SavedPlan&, const SavedPlan&) = default;
};

// The same plan is the same text.
std::string to_json(const Gated& gated, const PlanContext& context);

// For showing: a plan is never too old to be read.
base::Result<SavedPlan> read_plan(std::string_view text, std::string_view name);

}  // namespace quorate::model
