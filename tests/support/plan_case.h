// A folder with a desired file and an observation, and the plan that people would be shown.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "reconciler/base/digest.h"
#include "reconciler/load/load.h"
#include "reconciler/loop/preview.h"
#include "reconciler/model/observed_json.h"
#include "reconciler/model/plan_context.h"
#include "reconciler/report/findings.h"
#include "reconciler/report/plan_report.h"
#include "reconciler/validate/validate.h"

namespace quorate::support {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct PlanCase {
  model::Desired desired;
  model::Observed observed;
  model::SavedPlan plan;
  bool usable = false;  // false: what is wrong with it was reported
};

// Planned live, at the moment of the observation.
inline PlanCase plan_case(const std::filesystem::path& folder) {
  PlanCase made;
  const std::string file = text_of(folder / "desired.yaml");
  auto loaded = load::load(model::Source("quorate.yaml", file, "/srv/etcd"));
  validate::ValidateResult validated;
  if (loaded.spec) validated = validate::validate(*loaded.spec);
  for (model::Finding& finding : validated.findings) loaded.findings.push_back(std::move(finding));
  if (!validated.desired || model::has_errors(loaded.findings)) {
    ADD_FAILURE() << report::render_findings("text", {{"desired.yaml", loaded.findings, ""}}, {}).value_or("");
    return made;
  }
  auto observed = model::read_observed(text_of(folder / "observed.json"), "observed.json");
  if (!observed) {
    ADD_FAILURE() << observed.error().message;
    return made;
  }
  made.desired = *std::move(validated.desired);
  made.observed = *std::move(observed);
  const auto bundles = loop::bundles_of(made.desired, "/var/lib/quorate");
  if (!bundles) {
    ADD_FAILURE() << bundles.error().message;
    return made;
  }
  const std::string digest = base::sha256_hex(file);
  made.plan.gated = loop::preview(made.desired, digest, *bundles, made.observed, {made.observed.at, {}, true});
  made.plan.context = model::context_of(made.desired, made.observed, digest);
  made.usable = true;
  return made;
}

inline std::string render_plan_case(const std::filesystem::path& folder) {
  const PlanCase made = plan_case(folder);
  if (!made.usable) return "";
  return report::plan_text(made.plan.gated, made.plan.context, {}) + "exit " +
         std::to_string(static_cast<int>(made.plan.gated.code)) + "\n";
}

}  // namespace quorate::support
