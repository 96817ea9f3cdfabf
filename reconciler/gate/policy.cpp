// Freshness first, since nothing else means anything on an old observation; then what people have written down.
#include "reconciler/gate/policy.h"

#include <algorithm>

#include "reconciler/gate/consent.h"
#include "reconciler/gate/ruled.h"

namespace quorate::gate {
namespace {

using model::AdoptStage;
using model::ExitCode;
using model::Ruling;
using model::StepClass;
using model::Verdict;

Verdict paused(const model::Paused& pause) {
  Verdict verdict =
      ruled(Ruling::Hold, ExitCode::Busy, "P4", "paused until " + base::to_string(pause.until) + ": " + pause.reason);
  verdict.until = pause.until;
  verdict.instead = {{"take paused out of the file", ""}};
  return verdict;
}

// Removals that the file asks for. Replacing a member is none.
int removals(const model::Plan& plan) {
  return static_cast<int>(std::count_if(plan.steps.begin(), plan.steps.end(), [](const model::Step& step) {
    return std::holds_alternative<model::Remove>(step.action) && step.step_class == StepClass::Destructive;
  }));
}

std::string unknown_words(const model::ObservedMember& member) {
  return member.status ? member.serves.why() : member.status.why();
}

// A cluster that others have built is changed only while every member of theirs answers.
std::optional<Verdict> while_adopting(const model::Plan& plan, const model::Desired& desired,
                                      const model::Observed& observed) {
  if (!desired.adopt || desired.adopt->stage == AdoptStage::Done || !observed.membership) return std::nullopt;
  const bool heals_only = std::all_of(plan.steps.begin(), plan.steps.end(),
                                      [](const model::Step& step) { return step.step_class == StepClass::Heal; });
  if (heals_only) return std::nullopt;
  for (const model::ObservedMember& member : observed.membership->members) {
    const auto ours = std::find_if(desired.members.begin(), desired.members.end(), [&](const model::Member& each) {
      return each.managed && each.name == member.listed.name;
    });
    if (ours != desired.members.end()) continue;
    const std::string name = member.listed.name.empty() ? base::to_string(member.listed.id) : member.listed.name;
    if (member.listed.learner && !member.listed.name.empty()) {
      return ruled(Ruling::Deny, ExitCode::Refused, "A3", name + " is a learner");
    }
    if (!member.listed.learner && !model::is_up(member)) {
      return ruled(Ruling::Deny, ExitCode::Refused, "A3", name + " does not answer: " + unknown_words(member));
    }
  }
  return std::nullopt;
}

std::optional<Verdict> of_adoption(const model::Adopt& adopt, const model::Step& step) {
  const auto stage = [&](std::string text) {
    return ruled(Ruling::Hold, ExitCode::NeedsApproval, "A2", std::move(text));
  };
  if (adopt.stage == AdoptStage::Observe) return stage("adopt.stage is observe: nothing is changed");
  if (adopt.stage == AdoptStage::Join && std::holds_alternative<model::Remove>(step.action) &&
      step.step_class == StepClass::Destructive) {
    return stage("adopt.stage is join: members leave with adopt.stage: retire");
  }
  return std::nullopt;
}

// The file that was carried out last judges the next one: a commit cannot lift the protection that it would break.
const model::Protect& protect_of(const model::Desired& desired, const model::Observed& observed) {
  return observed.applied && observed.applied->protect ? *observed.applied->protect : desired.protect;
}

std::optional<Verdict> of_protection(const model::Desired& desired, const model::Observed& world,
                                     const model::Step& step, const Terms& terms, int heals_before) {
  const model::Protect& protect = protect_of(desired, world);
  const bool asked_removal =
      std::holds_alternative<model::Remove>(step.action) && step.step_class == StepClass::Destructive;
  if (asked_removal && step.after.voters < step.before.voters && step.after.voters < protect.min_voters) {
    return ruled(Ruling::Deny, ExitCode::Refused, "P2",
                 std::to_string(step.after.voters) + " voters would be left, protect.minVoters is " +
                     std::to_string(protect.min_voters));
  }
  if (const auto consent = consent_to(desired, world, step, terms)) {
    if (!consent->denied) return std::nullopt;
    return ruled(Ruling::Hold, ExitCode::NeedsApproval, "P3", "somebody said no");
  }
  const std::string& why = step.reason.code;
  const bool agreed = why == model::kRecoveryOrdered || why == model::kFenceOpens;
  if (step.step_class == StepClass::Restore && agreed) return std::nullopt;
  const auto& approve = protect.approve;
  if (std::find(approve.begin(), approve.end(), step.step_class) != approve.end()) {
    return ruled(Ruling::Hold, ExitCode::NeedsApproval, "P3", "class " + std::string(model::name_of(step.step_class)));
  }
  if (step.step_class == StepClass::Restore && step.reason.code != model::kRecoveryAutomatic) {
    return ruled(Ruling::Hold, ExitCode::NeedsApproval, "P8", "class restore");
  }
  if (step.step_class != StepClass::Heal) {
    if (terms.acting && desired.reconcile.apply == model::ApplyMode::Manual) {
      return ruled(Ruling::Hold, ExitCode::NeedsApproval, "P7",
                   "class " + std::string(model::name_of(step.step_class)));
    }
    return std::nullopt;
  }
  if (desired.reconcile.self_heal == model::SelfHeal::Off) {
    return ruled(Ruling::Hold, ExitCode::NeedsApproval, "P5", "class heal");
  }
  const auto& heals = world.heals_of_the_day;
  const int heals_now = (heals ? static_cast<int>(heals->size()) : 0) + heals_before;
  if (!costs_a_heal(desired, step) || heals_now < desired.reconcile.max_heals_per_day) return std::nullopt;
  Verdict verdict = ruled(Ruling::Hold, ExitCode::NeedsApproval, "P6",
                          std::to_string(heals_now) + " replacements in 24 hours, reconcile.maxHealsPerDay is " +
                              std::to_string(desired.reconcile.max_heals_per_day));
  if (heals && !heals->empty())
    verdict.until = *std::min_element(heals->begin(), heals->end()) + std::chrono::hours{24};
  return verdict;
}

}  // namespace

// Kinds of storage that lose their data with every restart would use up the allowance on their own, and a removal that
// was announced was counted then.
bool costs_a_heal(const model::Desired& desired, const model::Step& step) {
  const bool replaces = std::holds_alternative<model::Remove>(step.action) && step.step_class == StepClass::Heal &&
                        step.after.voters < step.before.voters;
  const bool passing = desired.storage != model::StorageKind::Disk && step.reason.code == "MemberEmptied";
  return replaces && !passing && step.reason.code != model::kCondemned;
}

std::string too_old(const model::Observed& observed, const Terms& terms) {
  const base::Duration age = terms.now - observed.at;
  if (!terms.max_age || (age <= *terms.max_age && -age <= *terms.max_age)) return {};
  return "the observation is of " + base::to_string(observed.at) +
         (age.count() < 0 ? ", which is still to come" : ", " + base::age_text(age) + " ago") + ", at most " +
         base::to_string(*terms.max_age) + " is allowed";
}

std::optional<Verdict> whole_plan(const model::Plan& plan, const model::Desired& desired,
                                  const model::Observed& observed, const Terms& terms) {
  if (const std::string why = too_old(observed, terms); !why.empty()) {
    Verdict verdict = ruled(Ruling::Hold, ExitCode::Unknown, "F1", why);
    verdict.instead = {{"look again", "quorate observe"}};
    return verdict;
  }
  if (plan.steps.empty()) return std::nullopt;
  if (desired.paused && desired.paused->members.empty() && model::is_in_force(*desired.paused, terms.now)) {
    return paused(*desired.paused);
  }
  if (auto verdict = while_adopting(plan, desired, observed)) return verdict;
  // Before the stage retire those removals are a road that is shown, and no order.
  const bool only_shown =
      desired.adopt && (desired.adopt->stage == AdoptStage::Observe || desired.adopt->stage == AdoptStage::Join);
  const int asked = removals(plan);
  if (!only_shown && asked > protect_of(desired, observed).max_removals) {
    Verdict verdict = ruled(Ruling::Deny, ExitCode::Refused, "P1",
                            std::to_string(asked) + " removals, protect.maxRemovals is " +
                                std::to_string(protect_of(desired, observed).max_removals));
    verdict.instead = {{"drop fewer members at once, or raise protect.maxRemovals in a commit of its own", ""}};
    return verdict;
  }
  return std::nullopt;
}

std::optional<Verdict> by_policy(const model::Desired& desired, const model::Observed& world, const model::Step& step,
                                 const Terms& terms, int heals_before) {
  if (model::is_paused(desired.paused, model::object_of(step.action), terms.now)) return paused(*desired.paused);
  if (desired.adopt) {
    if (auto verdict = of_adoption(*desired.adopt, step)) return verdict;
  }
  return of_protection(desired, world, step, terms, heals_before);
}

}  // namespace quorate::gate
