// Generated plans with verdicts: every action and every claim, not necessarily sensible together.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reconciler/model/plan_json.h"
#include "tests/support/observed_gen.h"

namespace quorate::support {

inline std::vector<std::string> any_urls() {
  return some(2, [] { return "https://10.0.0." + std::to_string(number(1, 255)) + ":2380"; });
}

inline base::MemberId any_member_id() {
  return {once_in(4) ? 0 : any_id()};
}

inline model::Action any_action() {
  const std::string member = member_name(number(0, 7));
  switch (number(0, 15)) {
    case 0:
      return model::Promise{member, digest_text()};
    case 1:
      return model::Backup{"prod", coin() ? "/var/spool" : ""};
    case 2:
      return model::AddMember{member, any_urls(), coin() ? "3.5.16" : ""};
    case 3:
      return model::Promote{member, any_member_id(), any_urls()};
    case 4:
      return model::Remove{coin() ? member : "", any_member_id(), coin()};
    case 5:
      return model::WriteManifest{member, digest_text(),
                                  one_of_these({model::BootMode::New, model::BootMode::Join, model::BootMode::Keep}),
                                  coin() ? "3.5.16" : ""};
    case 6:
      return model::RemoveManifest{member};
    case 7:
      return model::MoveLeader{member, member_name(number(0, 7)), any_member_id()};
    case 8:
      return model::UpdatePeerUrls{member, any_member_id(), any_urls()};
    case 9:
      return model::SetDataAside{member};
    case 10:
      return model::Compact{"prod"};
    case 11:
      return model::Defragment{member, any_member_id()};
    case 12:
      return model::Verify{"prod", "2026-11-18T08:20:30Z-r7-a"};
    case 13:
      return model::Prune{"prod"};
    default:
      return model::DisarmAlarm{member, any_alarm()};
  }
}

inline model::Claim any_claim() {
  using model::MemberState;
  const std::string name = member_name(number(0, 7));
  const auto state = one_of_these({MemberState::Up, MemberState::Down, MemberState::Absent, MemberState::Learner,
                                   MemberState::Voter, MemberState::Started, MemberState::InSync});
  switch (number(0, 12)) {
    case 0:
      return model::MemberIs{any_member_id(), name, state};
    case 1:
      return model::UrlsAre{any_urls(), name, state};
    case 2:
      return model::VotersUp{number(0, 8)};
    case 3:
      return model::AllVotersUp{};
    case 4:
      return model::NoLearner{};
    case 5:
      return model::LeaderIsNot{any_member_id(), name};
    case 6:
      return model::LeaderIs{any_member_id(), name};
    case 7:
      return model::DataIs{name, coin()};
    case 8:
      return model::ManifestIs{name, coin() ? digest_text() : ""};
    case 9:
      return model::PeerUrlsAre{any_member_id(), name, any_urls()};
    case 10:
      return model::NoAlarm{any_alarm()};
    default:
      return model::Soaked{any_duration()};
  }
}

inline model::Quorum any_quorum() {
  const int voters = number(0, 8);
  return {voters, number(0, voters + 1)};
}

inline model::Step any_step() {
  model::Step step;
  step.action = any_action();
  step.id = model::step_id(step.action);
  step.owner = coin() ? "cluster" : member_name(number(0, 7));
  step.step_class = one_of_these({model::StepClass::Heal, model::StepClass::Change, model::StepClass::Upgrade,
                                  model::StepClass::Destructive, model::StepClass::Restore});
  step.reason = {"MemberEmptied", any_text(), {{"agent", "up"}, {"data_dir", any_text()}}, "", 0};
  if (coin()) {
    step.reason.file = "quorate.yaml";
    step.reason.line = number(1, 500);
  }
  step.needs = some(3, any_claim);
  step.ensures = some(3, any_claim);
  step.before = any_quorum();
  step.after = any_quorum();
  step.risk = one_of_these(
      {model::Risk::None, model::Risk::Low, model::Risk::Medium, model::Risk::High, model::Risk::Critical});
  step.risk_why = some(2, any_text);
  step.undo = any_text();
  return step;
}

inline model::ExitCode any_exit_code() {
  return (*rc::gen::elementOf(model::all_exit_codes())).code;
}

inline model::Verdict any_verdict() {
  model::Verdict verdict;
  verdict.ruling = one_of_these({model::Ruling::Go, model::Ruling::Hold, model::Ruling::Deny});
  if (verdict.ruling == model::Ruling::Go) return verdict;
  verdict.rule = "Q1";
  verdict.text = any_text();
  verdict.arithmetic = any_text();
  verdict.instead = some(2, [] { return model::Way{any_text(), any_text()}; });
  verdict.until = maybe(any_time);
  verdict.code = any_exit_code();
  return verdict;
}

inline model::Notice any_notice() {
  model::Notice notice;
  notice.code = "UnexpectedMember";
  notice.object = coin() ? "cluster" : "member/etcd-x";
  notice.field = coin() ? "etcd.quota" : "";
  notice.want = any_text();
  notice.have = any_text();
  notice.level =
      one_of_these({model::Notice::Level::Info, model::Notice::Level::Warning, model::Notice::Level::Critical});
  notice.text = any_text();
  notice.help = any_text();
  notice.drift = coin();
  if (coin()) notice.since = any_time();
  notice.ignored = coin() ? any_text() : "";
  notice.file = coin() ? "quorate.yaml" : "";
  notice.line = coin() ? number(1, 500) : 0;
  return notice;
}

inline rc::Gen<model::SavedPlan> any_saved_plan() {
  return rc::gen::exec([] {
    model::SavedPlan saved;
    model::Gated& gated = saved.gated;
    model::Plan& plan = gated.plan;
    plan.status = one_of_these({model::PlanStatus::Converged, model::PlanStatus::Actionable,
                                model::PlanStatus::NeedsObservation, model::PlanStatus::NeedsHuman});
    plan.stop = any_exit_code();
    plan.cluster = "prod";
    plan.cluster_id = {coin() ? any_id() : 0};
    plan.desired_digest = digest_text();
    plan.steps = some(6, any_step);
    plan.notices = some(3, any_notice);
    plan.now = any_quorum();
    plan.id = model::plan_id(plan);
    // Steps behind the first that may not run need not be judged.
    const int judged =
        coin() ? static_cast<int>(plan.steps.size()) : number(0, static_cast<int>(plan.steps.size()) + 1);
    for (int i = 0; i < judged; ++i) gated.verdicts.push_back(any_verdict());
    gated.whole = maybe(any_verdict);
    gated.checks = some(3, [] { return model::Check{"Q1", coin()}; });
    gated.code = any_exit_code();
    gated.applicable = coin();
    model::PlanContext& context = saved.context;
    context.file = any_text();
    context.sha256 = digest_text();
    context.observed_at = coin() ? any_time() : base::Time{};
    context.observed_by = any_text();
    context.answered = some(3, [] { return member_name(number(0, 7)); });
    context.silent = some(3, [] { return member_name(number(0, 7)); });
    for (const std::string& name : context.silent) context.silence[name] = any_text();
    context.etcd_version = coin() ? "3.5.21" : "";
    for (const std::string& name : context.answered) context.client_urls[name] = any_urls();
    context.expires_at = maybe(any_time);
    return saved;
  });
}

}  // namespace quorate::support
