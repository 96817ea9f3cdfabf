// Plans made by hand, for tests of what is printed of them.
#pragma once

#include <string>
#include <utility>

#include "reconciler/model/plan_json.h"
#include "reconciler/model/verdict.h"

namespace quorate::report {

inline model::Step step_of(model::Action action, model::Quorum before, model::Quorum after) {
  model::Step step;
  step.id = model::step_id(action);
  step.action = std::move(action);
  step.owner = "cluster";
  step.reason.code = "MemberDropped";
  step.reason.text = "the file no longer lists it";
  step.before = before;
  step.after = after;
  step.risk = model::Risk::Low;
  return step;
}

inline model::PlanContext context_of_three() {
  model::PlanContext context;
  context.file = "quorate.yaml";
  context.sha256 = std::string(64, 'a');
  context.observed_at = *base::parse_time("2026-09-24T09:12:41Z");
  context.observed_by = "quorate plan on node-1";
  context.answered = {"etcd-a", "etcd-b"};
  context.silent = {"etcd-c"};
  context.silence = {{"etcd-c", "connection refused"}};
  context.etcd_version = "3.5.21";
  return context;
}

inline model::Gated gated_of(std::vector<model::Step> steps, model::Quorum now) {
  model::Gated gated;
  gated.plan.cluster = "prod";
  gated.plan.cluster_id = {0xcdf818194e3a8c32};
  gated.plan.steps = std::move(steps);
  gated.plan.now = now;
  gated.plan.id = "7f3a9c2e";
  gated.plan.status = gated.plan.steps.empty() ? model::PlanStatus::Converged : model::PlanStatus::Actionable;
  gated.verdicts.resize(gated.plan.steps.size());
  gated.code = gated.plan.steps.empty() ? model::ExitCode::Ok : model::ExitCode::Different;
  return gated;
}

inline model::Gated refused() {
  model::Gated gated = gated_of({step_of(model::Remove{"etcd-b", {0x91bc3c398fb3c146}}, {3, 2}, {2, 1})}, {3, 2});
  model::Verdict& verdict = gated.verdicts[0];
  verdict.ruling = model::Ruling::Deny;
  verdict.rule = "Q1";
  verdict.text = "never remove a voter when fewer voters than the new quorum would be up";
  verdict.arithmetic = "2 voters, 1 up, needs 2: no writes, and no way to add a member back";
  verdict.instead = {{"bring etcd-c back, then remove etcd-b", "quorate plan --assume-up etcd-c"},
                     {"replace etcd-c first, then shrink: two commits", ""}};
  verdict.code = model::ExitCode::Refused;
  gated.code = model::ExitCode::Refused;
  return gated;
}

inline model::Notice notice_of(std::string code, std::string object, std::string text) {
  model::Notice notice;
  notice.code = std::move(code);
  notice.object = std::move(object);
  notice.text = std::move(text);
  notice.drift = true;
  return notice;
}

}  // namespace quorate::report
