// Judges the plan as a whole, then step by step in the world that the steps before have made.
#include "reconciler/gate/gate.h"

#include <algorithm>

#include "reconciler/gate/instead.h"
#include "reconciler/gate/policy.h"
#include "reconciler/gate/ruled.h"
#include "reconciler/model/loss.h"
#include "reconciler/model/project.h"
#include "reconciler/model/rules.h"

namespace quorate::gate {
namespace {

using model::ExitCode;
using model::Ruling;
using model::Verdict;

// The quorum rule, and what etcd itself would refuse.
std::optional<Verdict> by_quorum(const model::Observed& world, const model::Step& step) {
  const auto broken = model::broken_rule(world, step.action);
  if (!broken) return std::nullopt;
  const bool waits = model::passes_by_itself(*broken);
  return ruled(waits ? Ruling::Hold : Ruling::Deny, waits ? ExitCode::Different : ExitCode::Refused, broken->id,
               broken->arithmetic);
}

// A voter that is wanted goes only when it is known to be lost.
std::optional<Verdict> by_evidence(const model::Desired& desired, const model::Observed& world,
                                   const model::Step& step) {
  const auto* remove = std::get_if<model::Remove>(&step.action);
  if (remove == nullptr || step.step_class != model::StepClass::Heal) return std::nullopt;
  const model::ObservedMember* member = model::member_of(world, remove->id);
  if (member == nullptr || member->listed.learner) return std::nullopt;
  if (step.reason.code == model::kCondemned) return std::nullopt;  // the evidence was weighed when it was announced
  const auto wanted = std::find_if(desired.members.begin(), desired.members.end(),
                                   [&](const model::Member& each) { return each.name == member->listed.name; });
  const model::Loss loss =
      model::loss_of(world, desired, wanted == desired.members.end() ? nullptr : &*wanted, *member);
  if (loss.state == model::Loss::State::Proven) return std::nullopt;
  const bool waits = loss.state == model::Loss::State::Waiting;
  Verdict verdict = ruled(Ruling::Hold, waits ? ExitCode::NeedsApproval : ExitCode::Unknown, "F2", loss.text);
  verdict.until = loss.until;
  return verdict;
}

class Walk {
 public:
  Walk(const model::Desired& desired, const model::Observed& observed, const Terms& terms)
      : desired_(desired), world_(observed), terms_(terms) {}

  // What the world would be after the step, whoever lets it run.
  void pass(const model::Step& step) {
    heals_ += costs_a_heal(desired_, step) ? 1 : 0;
    model::project(world_, desired_, step.action, step.step_class);
  }

  Verdict next(const model::Step& step) {
    if (std::holds_alternative<model::Backup>(step.action)) {  // judged by what it comes before
      pass(step);
      return {};
    }
    std::optional<Verdict> said = by_quorum(world_, step);
    if (!said) said = by_evidence(desired_, world_, step);
    if (!said) said = by_policy(desired_, world_, step, terms_, heals_);
    if (said) {
      said->instead = ways_instead(world_, step, *said);
      return *std::move(said);
    }
    pass(step);
    return {};
  }

 private:
  const model::Desired& desired_;
  model::Observed world_;
  const Terms& terms_;
  int heals_ = 0;  // earlier in the plan
};

// A backup that nothing follows would be made again and again while a person thinks.
void judge_backups(model::Gated& gated) {
  for (std::size_t i = 0; i + 1 < gated.verdicts.size(); ++i) {
    const bool is_backup = std::holds_alternative<model::Backup>(gated.plan.steps[i].action);
    if (is_backup) gated.verdicts[i] = gated.verdicts[i + 1];
  }
}

ExitCode code_of(const model::Gated& gated) {
  ExitCode code = gated.plan.status == model::PlanStatus::Converged ? ExitCode::Ok : ExitCode::Different;
  if (gated.plan.stop != ExitCode::Ok) code = model::worst(code, gated.plan.stop);
  if (gated.whole) code = model::worst(code, gated.whole->code);
  for (const Verdict& verdict : gated.verdicts) {
    if (verdict.ruling != Ruling::Go) code = model::worst(code, verdict.code);
  }
  return code;
}

std::vector<model::Check> checks_of(const model::Gated& gated) {
  std::vector<model::Check> checks;
  for (const model::RuleInfo& rule : model::all_rules()) {
    const bool of_step = std::any_of(gated.verdicts.begin(), gated.verdicts.end(),
                                     [&](const Verdict& verdict) { return verdict.rule == rule.id; });
    checks.push_back({std::string(rule.id), !of_step && !(gated.whole && gated.whole->rule == rule.id)});
  }
  return checks;
}

}  // namespace

model::Gated judge(model::Plan plan, const model::Desired& desired, const model::Observed& observed,
                   const Terms& terms) {
  model::Gated gated;
  gated.plan = std::move(plan);
  gated.applicable = terms.live;
  gated.whole = whole_plan(gated.plan, desired, observed, terms);
  Walk walk{desired, observed, terms};
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) {
    gated.verdicts.push_back(walk.next(gated.plan.steps[i]));
    if (gated.verdicts.back().ruling == Ruling::Go) continue;
    // A person who agrees to one step wants to see where the road leads; behind a no there is no road.
    if (gated.verdicts.back().code == ExitCode::NeedsApproval || gated.verdicts.back().code == ExitCode::Different) {
      walk.pass(gated.plan.steps[i]);
      continue;
    }
    gated.plan.steps.resize(i + 1);
    break;
  }
  judge_backups(gated);
  gated.code = code_of(gated);
  gated.checks = checks_of(gated);
  if (gated.whole || gated.plan.stop != ExitCode::Ok) gated.applicable = false;
  return gated;
}

}  // namespace quorate::gate
