// A world of tests/support/cluster_world.h, planned and judged, in words that tests can compare.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/gate/gate.h"
#include "reconciler/model/project.h"
#include "tests/support/cluster_world.h"

namespace quorate::support {

inline Slot up() {
  return {};
}
inline Slot with(Health health) {
  Slot slot;
  slot.health = health;
  return slot;
}
inline Slot in_file(InFile file) {
  Slot slot;
  slot.file = file;
  return slot;
}
inline Slot unconfigured() {
  Slot slot;
  slot.configured = false;
  return slot;
}
inline Slot absent(Left left = Left::Nothing) {
  Slot slot;
  slot.role = Role::Absent;
  slot.left = left;
  return slot;
}

inline model::Plan plan_of(const ClusterWorld& world) {
  return plan::plan(world.desired, world.observed, world.wanted);
}
inline model::Gated judged(const ClusterWorld& world, gate::Terms terms = {world_time(), {}, true}) {
  return gate::judge(plan_of(world), world.desired, world.observed, terms);
}

// A plan of one step that nobody planned, as the gate has to judge it.
inline model::Gated judged_alone(const ClusterWorld& world, model::Action action,
                                 model::StepClass step_class = model::StepClass::Change) {
  model::Step step;
  step.id = model::step_id(action);
  step.action = std::move(action);
  step.step_class = step_class;
  step.before = model::quorum_of(world.observed);
  model::Observed after = world.observed;
  model::project(after, world.desired, step.action, step_class);
  step.after = model::quorum_of(after);
  model::Plan plan;
  plan.status = model::PlanStatus::Actionable;
  plan.steps.push_back(std::move(step));
  return gate::judge(std::move(plan), world.desired, world.observed, {world_time(), {}, true});
}

// "remove c"
inline std::vector<std::string> words_of(const model::Plan& plan) {
  std::vector<std::string> words;
  for (const model::Step& step : plan.steps) {
    words.push_back(std::string(model::name_of(step.action)) + " " + model::object_of(step.action));
  }
  return words;
}

inline const model::Notice* notice_of(const model::Plan& plan, const std::string& code) {
  const auto found = std::find_if(plan.notices.begin(), plan.notices.end(),
                                  [&](const model::Notice& notice) { return notice.code == code; });
  return found == plan.notices.end() ? nullptr : &*found;
}

// The rule that stops the first step that is stopped; empty when none is.
inline std::string rule_of(const model::Gated& gated) {
  for (const model::Verdict& verdict : gated.verdicts) {
    if (verdict.ruling != model::Ruling::Go) return verdict.rule;
  }
  return "";
}

}  // namespace quorate::support
