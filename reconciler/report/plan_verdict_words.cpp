// Sentences for what the gate says, for the plan as a whole, and for notices.
#include <algorithm>

#include "reconciler/model/etcd_release.h"
#include "reconciler/model/plan_summary.h"
#include "reconciler/report/plan_words.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using model::ExitCode;
using model::Notice;
using model::Ruling;
using model::Step;
using model::Verdict;

bool is_quorum_rule(const std::string& rule) {
  return rule == "Q1" || rule == "Q2" || rule == "Q3";
}

std::string what_it_would_do(const Verdict& verdict) {
  if (verdict.rule == "Q1") return "would lose quorum";
  if (is_quorum_rule(verdict.rule)) return "would risk quorum";
  if (verdict.rule == "Q4") return "would end the cluster";
  if (verdict.rule == "F2") return "would act on what nobody has seen";
  return "is " + std::string(verdict.ruling == Ruling::Deny ? "blocked" : "held") + " by " + verdict.rule;
}

std::string of_step(const Verdict& verdict, std::size_t number) {
  const std::string rest = number == 1 ? "Nothing can be applied." : "Nothing from there on can be applied.";
  return (verdict.ruling == Ruling::Deny ? "Refused: step " : "Held: step ") + std::to_string(number) + " " +
         what_it_would_do(verdict) + ". " + rest;
}

std::string of_whole(const Verdict& verdict) {
  std::string word = verdict.ruling == Ruling::Deny ? "Refused" : "Held";
  if (verdict.code == ExitCode::Busy) word = "Paused";
  return word + " by " + verdict.rule + ": " + verdict.arithmetic + ". Nothing can be applied.";
}

std::string of_stop(const model::Plan& plan) {
  const bool unseen = plan.status == model::PlanStatus::NeedsObservation;
  if (!plan.steps.empty()) {  // a restore that is ordered and refused holds up nothing that heals
    return std::string(unseen ? "Unknown: too little can be seen" : "Stopped: a person has to decide") +
           ". Agents do what heals all the same.";
  }
  return unseen ? "Unknown: too little can be seen to plan. Nothing can be applied."
                : "Stopped: a person has to decide. Nothing can be applied.";
}

std::string class_words(const model::Plan& plan) {
  std::vector<std::string> classes;
  for (const Step& step : plan.steps) {
    const std::string name(model::name_of(step.step_class));
    if (std::find(classes.begin(), classes.end(), name) == classes.end()) classes.push_back(name);
  }
  return (classes.size() == 1 ? "Class " : "Classes ") + joined(classes, "and");
}

std::string steps_words(const std::vector<std::string>& numbers) {
  return (numbers.size() == 1 ? "step " : "steps ") + joined(numbers, "and");
}

bool says_it_is_down(const std::string& code) {
  return code == "MemberDown" || code == "MemberStarting" || code == "MemberDead" || code == "MemberEmptied" ||
         code == "MemberDamaged" || code == "MemberLost";
}

}  // namespace

std::string verdict_words(const Verdict& verdict) {
  if (verdict.ruling == Ruling::Go) return "";
  if (verdict.ruling == Ruling::Deny) return "BLOCKED by " + verdict.rule;
  if (is_end(verdict)) return "HELD by " + verdict.rule;
  const bool for_a_person = verdict.code == ExitCode::NeedsApproval && !verdict.until;
  return (for_a_person ? "waits for approval (" : "waits (") + verdict.rule + ")";
}

bool is_end(const Verdict& verdict) {
  if (verdict.ruling == Ruling::Go) return false;
  return verdict.ruling == Ruling::Deny ||
         (verdict.code != ExitCode::NeedsApproval && verdict.code != ExitCode::Different);
}

bool is_about_quorum(const Verdict& verdict) {
  return verdict.ruling == Ruling::Deny && is_quorum_rule(verdict.rule);
}

const Verdict* verdict_of(const model::Gated& gated, std::size_t step) {
  if (step >= gated.verdicts.size() || gated.verdicts[step].ruling == Ruling::Go) return nullptr;
  return &gated.verdicts[step];
}

std::string headline(const model::Gated& gated) {
  if (gated.whole && gated.whole->ruling != Ruling::Go) return of_whole(*gated.whole);
  if (gated.plan.stop != ExitCode::Ok) return of_stop(gated.plan);
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) {
    const Verdict* verdict = verdict_of(gated, i);
    if (verdict != nullptr && is_end(*verdict)) return of_step(*verdict, i + 1);
  }
  return "";
}

std::size_t differences_left(const model::Gated& gated) {
  return static_cast<std::size_t>(
      std::count_if(gated.plan.notices.begin(), gated.plan.notices.end(),
                    [](const Notice& notice) { return notice.drift && notice.ignored.empty(); }));
}

std::string no_changes_sentence(const model::Gated& gated, const model::PlanContext& context) {
  const std::size_t differences = differences_left(gated);
  const std::size_t members = context.answered.size() + context.silent.size();
  const std::string checked =
      " (" + std::to_string(context.answered.size()) + " of " + count_of(members, "member") + " checked)";
  const std::string file = context.file.empty() ? "its file" : context.file;
  if (differences == 0) return "No changes. " + gated.plan.cluster + " matches " + file + checked + ".";
  return "No changes to make. " + gated.plan.cluster + " differs from " + file + " in " +
         count_of(differences, "point") + " that no step settles" + checked + ".";
}

std::string counts_words(const model::Gated& gated) {
  const model::Summary summary = model::summarise(gated);
  std::string text = std::to_string(summary.add) + " to add, " + std::to_string(summary.change) + " to change, ";
  if (summary.replace > 0) text += std::to_string(summary.replace) + " to replace, ";
  return text + std::to_string(summary.remove) + " to remove, " +
         count_of(static_cast<std::size_t>(summary.actions), "action");
}

std::string consent_words(const model::Gated& gated) {
  std::vector<std::string> waiting;
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) {
    const Verdict* verdict = verdict_of(gated, i);
    if (verdict != nullptr && verdict->code == ExitCode::NeedsApproval && !verdict->until) {
      waiting.push_back(std::to_string(i + 1));
    }
  }
  if (gated.plan.steps.empty()) return "";
  if (waiting.empty()) return class_words(gated.plan) + ", no approval needed.";
  return class_words(gated.plan) + ", approval needed for " + steps_words(waiting) + ".";
}

bool is_told_by_steps(const model::Plan& plan, const Notice& notice) {
  if (!notice.drift || notice.object.compare(0, 7, "member/") != 0) return false;
  const std::string name = notice.object.substr(7);
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* remove = std::get_if<model::Remove>(&step.action);
    const bool same = model::object_of(step.action) == name || (remove && base::to_string(remove->id) == name);
    if (!same || std::holds_alternative<model::MoveLeader>(step.action)) return false;
    return !says_it_is_down(notice.code) || remove != nullptr || step.reason.code == notice.code;
  });
}

std::string notice_word(Notice::Level level) {
  return level == Notice::Level::Info ? "note" : std::string(model::name_of(level));
}

std::string difference_words(const Notice& notice) {
  const bool told =
      notice.text.find(notice.want) != std::string::npos && notice.text.find(notice.have) != std::string::npos;
  if (told || (notice.want.empty() && notice.have.empty())) return "";
  if (notice.want.empty()) return "have " + notice.have;
  return notice.have.empty() ? "wanted " + notice.want : "have " + notice.have + ", wanted " + notice.want;
}

}  // namespace quorate::report
