// Control flow only: look at the world, take the first step that no rule forbids, imagine it done, look again.
#include "reconciler/plan/planner.h"

#include <algorithm>
#include <array>

#include "reconciler/model/project.h"
#include "reconciler/model/rules.h"
#include "reconciler/plan/backup.h"
#include "reconciler/plan/notices.h"
#include "reconciler/plan/recovery.h"
#include "reconciler/plan/risk.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

// More than any change of a cluster of etcd's size takes.
constexpr std::size_t kMostSteps = 200;

using Stage = void (*)(const World& world, Proposals& proposals);
// Members are added before others are restarted: the more voters there are, the less a restart risks.
constexpr std::array<Stage, 13> kStages{
    propose_going_back,   propose_alarms,          propose_condemned, propose_opening, propose_start_of_learner,
    propose_late_founder, propose_removal_of_down, propose_promotion, propose_cleanup, propose_addition,
    propose_data_check,   propose_rollout,         propose_removal};

struct Choice {
  std::optional<model::Step> step;
  bool may_run = true;  // false: shown, and the gate says why not
};

// What is only waited for, as a learner that has not caught up: what comes after it can be planned all the same.
bool forbids(const model::Observed& observed, const model::Step& step) {
  const auto broken = model::broken_rule(observed, step.action);
  return broken && !model::passes_by_itself(*broken);
}

// A removal that was announced may take effect at any time, so nothing else is changed before it has: but the removal
// of those that are down, which may be in its way.
std::optional<Choice> choose_announced(const World& world) {
  Proposals announced;
  propose_condemned(world, announced);
  if (announced.empty()) return std::nullopt;
  for (const Stage stage : {propose_alarms, propose_condemned, propose_removal_of_down}) {
    Proposals proposals;
    stage(world, proposals);
    for (model::Step& step : proposals) {
      if (!forbids(world.observed, step)) return Choice{std::move(step), true};
    }
  }
  return Choice{std::move(announced.front()), false};
}

// A full cluster takes neither the backup before a restore nor the word that the file is in force.
std::optional<Choice> choose_relief(const World& world) {
  const bool decided = std::any_of(world.observed.nodes.begin(), world.observed.nodes.end(),
                                   [](const auto& node) { return node.standing && node.standing->pledge; });
  Proposals proposals;
  if (!decided) propose_alarms(world, proposals);
  for (model::Step& step : proposals) {
    if (!forbids(world.observed, step)) return Choice{std::move(step), true};
  }
  return std::nullopt;
}

// What keeps a cluster alive while something that people have ordered is refused.
std::optional<Choice> choose_heal(const World& world) {
  for (const Stage stage : kStages) {
    Proposals proposals;
    stage(world, proposals);
    for (model::Step& step : proposals) {
      if (step.step_class == model::StepClass::Heal && !forbids(world.observed, step)) {
        return Choice{std::move(step), true};
      }
    }
  }
  return std::nullopt;
}

Choice choose(const World& world) {
  if (auto announced = choose_announced(world)) return *std::move(announced);
  Proposals forbidden;
  for (const Stage stage : kStages) {
    Proposals proposals;
    stage(world, proposals);
    for (model::Step& step : proposals) {
      if (!forbids(world.observed, step)) return {std::move(step), true};
      forbidden.push_back(std::move(step));
    }
  }
  // What the file asks for and cannot have comes before what nobody can vouch for.
  const auto asked = std::find_if(forbidden.begin(), forbidden.end(), [](const model::Step& step) {
    return step.step_class == model::StepClass::Destructive;
  });
  if (asked != forbidden.end()) return {std::move(*asked), false};
  if (!forbidden.empty()) return {std::move(forbidden.front()), false};
  Proposals coming;
  propose_coming_removal(world, coming);
  for (model::Step& step : coming) {
    if (!forbids(world.observed, step)) return {std::move(step), true};
  }
  Proposals held;
  propose_held_removal(world, held);
  if (!held.empty()) return {std::move(held.front()), false};
  return {};
}

Choice choose_without_cluster(const World& world) {
  Recovery recovery = recovery_of(world);
  if (!recovery.steps.empty()) return {std::move(recovery.steps.front()), true};
  if (recovery.is_at_hand()) return {};
  Recovery first = first_restore(world);
  if (!first.steps.empty()) return {std::move(first.steps.front()), true};
  Proposals proposals;
  propose_bootstrap(world, proposals);
  if (proposals.empty()) return {};
  return {std::move(proposals.front()), true};
}

Choice choose_any(const World& world, bool heals_only) {
  if (!world.observed.membership) return heals_only ? Choice{} : choose_without_cluster(world);
  if (heals_only) {
    auto choice = choose_announced(world);
    if (!choice) choice = choose_heal(world);
    return choice ? *std::move(choice) : Choice{};
  }
  Recovery recovery = recovery_of(world);
  if (!recovery.steps.empty()) {
    if (auto relief = choose_relief(world)) return *std::move(relief);
    return {std::move(recovery.steps.front()), true};
  }
  return recovery.is_at_hand() ? Choice{} : choose(world);
}

// Fills in what follows from the world before and after the step, and moves the world on.
void finish(model::Step& step, model::Observed& observed, const model::Desired& desired) {
  step.before = model::quorum_of(observed);
  model::project(observed, desired, step.action, step.step_class);
  step.after = model::quorum_of(observed);
  assess(step);
}

// An observation that no cluster has, or one that the rules do not settle: steps of it prove nothing.
Stop too_long(model::Plan& plan) {
  plan.steps.clear();
  model::Notice notice;
  notice.code = "PlanTooLong";
  notice.object = "cluster";
  notice.level = model::Notice::Level::Critical;
  notice.text = "the plan would have more than " + std::to_string(kMostSteps) + " steps";
  notice.help = "look at the member list of the cluster; no cluster of etcd has so many members to change";
  plan.notices.insert(plan.notices.begin(), std::move(notice));
  return {};
}

std::optional<Stop> plan_steps(model::Plan& plan, const model::Desired& desired, const Wanted& wanted,
                               const std::vector<Wish>& wishes, model::Observed observed, bool heals_only) {
  while (plan.steps.size() < kMostSteps) {
    const World world = make_world(desired, observed, wanted, wishes);
    Choice choice = choose_any(world, heals_only);
    if (!choice.step) return std::nullopt;
    if (choice.may_run) {
      if (auto backup = backup_before(desired, observed, wanted, *choice.step)) choice.step = std::move(backup);
    }
    finish(*choice.step, observed, desired);
    plan.steps.push_back(std::move(*choice.step));
    if (!choice.may_run) return std::nullopt;
  }
  return too_long(plan);
}

model::Notice no_cluster(const model::Desired& desired) {
  model::Notice notice;
  notice.code = "ClusterMissing";
  notice.object = "cluster";
  notice.text = "there is no cluster yet";
  notice.drift = true;
  notice.file = desired.file;
  return notice;
}

// No step is left, and yet there is something to wait for: a cluster that is forming, a voter that has to come back.
bool is_settled(const model::Observed& observed) {
  const model::Quorum quorum = model::quorum_of(observed);
  return observed.membership.is_known() && quorum.up == quorum.voters;
}

void note(model::Plan& plan, std::vector<model::Notice> notices) {
  for (model::Notice& notice : notices) plan.notices.push_back(std::move(notice));
}

}  // namespace

model::Plan plan(const model::Desired& desired, const model::Observed& observed, const Wanted& wanted) {
  const std::vector<Wish> wishes = wishes_of(desired, wanted);
  const World world = make_world(desired, observed, wanted, wishes);
  model::Plan plan;
  plan.cluster = desired.name;
  plan.desired_digest = wanted.digest;
  plan.now = world.quorum;
  if (observed.membership) plan.cluster_id = observed.membership->cluster;
  std::optional<Stop> stop;
  Recovery recovery = recovery_of(world);
  if (observed.membership && (!recovery.is_at_hand() || recovery.refused)) {
    note(plan, differences(world));
    note(plan, dangers(world));
    note(plan, backup_notices(desired, observed));
    stop = stop_for(world, plan.notices);
  } else if (!recovery.is_at_hand()) {
    stop = stop_before_bootstrap(world, plan.notices);
    if (!stop) recovery = first_restore(world);
    if (!stop && !recovery.is_at_hand()) plan.notices.push_back(no_cluster(desired));
  }
  if (recovery.refused) std::swap(plan.notices, recovery.notices);  // why comes before all that goes on beside it
  note(plan, std::move(recovery.notices));
  if (recovery.stop && !recovery.refused) stop = recovery.stop;
  const bool asks = recovery.asks(world);
  if (!stop) stop = plan_steps(plan, desired, wanted, wishes, observed, recovery.refused);
  if (!stop && plan.steps.empty()) stop = stop_for_leaving(world, plan.notices);
  if (recovery.refused) stop = recovery.stop;
  if (stop) {
    plan.status = stop->status;
    plan.stop = stop->code;
  } else if (asks) {
    plan.status = model::PlanStatus::NeedsHuman;
  } else {
    const auto at_rest = is_settled(observed) ? model::PlanStatus::Converged : model::PlanStatus::NeedsObservation;
    plan.status = plan.steps.empty() ? at_rest : model::PlanStatus::Actionable;
  }
  plan.id = model::plan_id(plan);
  return plan;
}

}  // namespace quorate::plan
