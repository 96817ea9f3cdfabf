// Counts and extremes over the steps of a plan.
#include "reconciler/model/plan_summary.h"

#include <algorithm>

namespace quorate::model {
namespace {

void count(const Step& step, Summary& summary) {
  const auto* manifest = std::get_if<WriteManifest>(&step.action);
  if (symbol_of(step) == "-/+") {
    ++summary.replace;
  } else if (std::holds_alternative<AddMember>(step.action) || (manifest && manifest->boot == BootMode::New)) {
    ++summary.add;
  } else if (std::holds_alternative<Remove>(step.action)) {
    ++summary.remove;
  } else if (std::holds_alternative<UpdatePeerUrls>(step.action) || (manifest && manifest->boot == BootMode::Keep)) {
    ++summary.change;
  } else {
    ++summary.actions;
  }
}

bool is_worse(const Quorum& a, const Quorum& b) {
  return a.can_lose() != b.can_lose() ? a.can_lose() < b.can_lose() : a.up < b.up;
}

}  // namespace

Summary summarise(const Gated& gated) {
  Summary summary;
  const auto& steps = gated.plan.steps;
  summary.worst = steps.empty() ? gated.plan.now : steps.front().before;
  summary.after = steps.empty() ? gated.plan.now : steps.back().after;
  for (const Step& step : steps) {
    count(step, summary);
    summary.risk = std::max(summary.risk, step.risk);
    if (is_worse(step.before, summary.worst)) summary.worst = step.before;
    if (is_worse(step.after, summary.worst)) summary.worst = step.after;
  }
  for (const Verdict& verdict : gated.verdicts) {
    if (verdict.ruling == Ruling::Go) continue;
    ++summary.blocked;
    if (verdict.code == ExitCode::NeedsApproval && !verdict.until) ++summary.approvals;
  }
  return summary;
}

bool is_complete(const Gated& gated) {
  if (gated.whole && gated.whole->ruling != Ruling::Go) return false;
  if (gated.plan.status != PlanStatus::Converged && gated.plan.status != PlanStatus::Actionable) return false;
  return gated.verdicts.size() == gated.plan.steps.size() &&
         std::all_of(gated.verdicts.begin(), gated.verdicts.end(),
                     [](const Verdict& verdict) { return verdict.ruling == Ruling::Go; });
}

}  // namespace quorate::model
