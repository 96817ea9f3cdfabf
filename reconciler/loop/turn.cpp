// The first step alone is begun, but for those of forming a cluster: all founders promise side by side, and start so.
#include "reconciler/loop/turn.h"

#include <algorithm>

#include "reconciler/base/words.h"

namespace quorate::loop {
namespace {

bool is_founding_start(const model::Action& action) {
  const auto* write = std::get_if<model::WriteManifest>(&action);
  return write != nullptr && write->boot == model::BootMode::New;
}

bool side_by_side(const model::Action& earlier, const model::Action& later) {
  if (std::holds_alternative<model::Promise>(earlier)) return std::holds_alternative<model::Promise>(later);
  return is_founding_start(earlier) && is_founding_start(later);
}

bool is_mine(const model::Step& step, const model::Desired& desired, const std::string& member,
             const std::string& actor) {
  if (step.owner == "cluster") return member == actor;
  // A node may be called like another member: what is done to a member is done by its own agent.
  if (model::object_of(step.action) != member) return false;
  if (step.owner == member) return true;
  return std::any_of(desired.members.begin(), desired.members.end(),
                     [&](const model::Member& each) { return each.name == member && each.node == step.owner; });
}

// What a step still needs that a fresh look does not show.
Turn waiting_for_needs(const model::Step& step, const model::Observed& observed) {
  Turn turn;
  for (const model::Claim& claim : step.needs) {
    if (model::holds(claim, observed)) continue;
    if (const auto* soaked = std::get_if<model::Soaked>(&claim)) {
      turn.waits = "the soak of rollout.soak after the last change";
      if (observed.last_change) turn.until = *observed.last_change + soaked->duration;
    } else {
      turn.waits = "what " + step.id + " needs";
      turn.soon = !std::holds_alternative<model::KeepTo>(claim);  // whoever becomes ready says so
    }
    return turn;
  }
  return turn;
}

// Etcd runs with these very files, and has not come so far yet that it could be seen.
bool has_begun(const model::Step& step, const model::Observed& observed) {
  const auto* write = std::get_if<model::WriteManifest>(&step.action);
  if (write == nullptr || write->boot == model::BootMode::Keep) return false;
  const model::NodeFacts* node = model::node_of(observed, write->member);
  if (node == nullptr || !node->process || !node->process->running) return false;
  if (!node->manifest || node->manifest->digest != write->digest) return false;
  // Keep is written as soon as there is a log; the others name the member a moment later.
  return !node->manifest->keep || (node->data && model::member_of(observed, node->data->member) != nullptr);
}

// Its agent writes Keep as soon as it sees a log there.
bool may_join_again(const model::Step& step, const model::Observed& observed) {
  const auto* promote = std::get_if<model::Promote>(&step.action);
  if (promote == nullptr) return false;
  const model::NodeFacts* node = model::node_of(observed, promote->member);
  return node != nullptr && node->manifest && !node->manifest->keep;
}

Turn held(const model::Step& step, const model::Verdict& verdict) {
  Turn turn;
  turn.waits = step.id + ": " + verdict.rule + ", " + (verdict.arithmetic.empty() ? verdict.text : verdict.arithmetic);
  turn.until = verdict.until;
  turn.held = true;
  turn.soon = verdict.rule == "Q9" || verdict.rule == "Q7" || verdict.rule == "Q8" || verdict.rule == "Q12";
  return turn;
}

}  // namespace

std::string actor_of(const model::Desired& desired, const model::Observed& observed,
                     const std::vector<std::string>& agents) {
  if (!observed.membership) return "";
  const base::MemberId leader = model::leader_of(observed);
  std::string first;
  for (const model::Member& each : desired.members) {
    if (!each.managed || !base::contains(agents, each.name)) continue;
    for (const model::ObservedMember& member : observed.membership->members) {
      if (member.listed.name != each.name || member.listed.learner || !model::is_up(member)) continue;
      if (member.listed.id == leader) return each.name;
      if (first.empty()) first = each.name;
    }
  }
  return first;
}

Turn turn_of(const model::Gated& gated, const model::Desired& desired, const model::Observed& observed,
             const std::string& member, const std::vector<std::string>& agents) {
  const auto& steps = gated.plan.steps;
  if (steps.empty()) return {};
  if (gated.whole) {
    Turn turn;
    turn.waits = gated.whole->rule + ": " + gated.whole->text;
    turn.until = gated.whole->until;
    return turn;
  }
  const std::string actor = actor_of(desired, observed, agents);
  Turn begun;
  std::string earlier;  // a founder before us that has not started yet
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0 && !side_by_side(steps[i - 1].action, steps[i].action)) break;
    const bool mine = is_mine(steps[i], desired, member, actor);
    if (has_begun(steps[i], observed)) {
      begun.waits = "the etcd of " + model::object_of(steps[i].action) + " to have started";
      begun.soon = mine || member == actor;  // whose the next step is
      if (mine) return begun;
      continue;
    }
    if (gated.verdicts[i].ruling != model::Ruling::Go) return held(steps[i], gated.verdicts[i]);
    if (!mine) {
      if (is_founding_start(steps[i].action)) earlier = model::object_of(steps[i].action);
      continue;
    }
    Turn turn = waiting_for_needs(steps[i], observed);
    if (turn.waits.empty() && may_join_again(steps[i], observed)) {
      turn.waits = "the configuration of " + model::object_of(steps[i].action) + " to say Keep";
      turn.soon = true;
    }
    if (turn.waits.empty()) {
      turn.step = &steps[i];
      if (is_founding_start(steps[i].action)) turn.after = earlier;
    }
    return turn;
  }
  const bool mine = std::any_of(steps.begin(), steps.end(),
                                [&](const model::Step& each) { return is_mine(each, desired, member, actor); });
  const bool looks_on = !mine && member != actor;  // what comes next may be the actor's
  if (!begun.waits.empty()) {
    begun.looks_on = looks_on;
    return begun;
  }
  Turn turn;
  turn.looks_on = looks_on;
  turn.waits = "the agent of " +
               (steps.front().owner == "cluster" ? (actor.empty() ? "a voter" : actor)
                                                 : model::object_of(steps.front().action)) +
               ": " + steps.front().id;
  return turn;
}

}  // namespace quorate::loop
