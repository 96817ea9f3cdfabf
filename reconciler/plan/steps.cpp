// What several stages need: making a step, moving the leader away, waiting for things to settle.
#include <algorithm>

#include "reconciler/model/rules.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

// The leader moves to a voter that stays and needs no restart any more, so that it moves once.
const Seat* heir(const World& world, const Seat& from) {
  const Seat* best = nullptr;
  int best_score = -1;
  for (const Seat& seat : world.seats) {
    if (&seat == &from || !seat.is_voter() || !seat.up) continue;
    const bool is_paused = model::is_paused(world.desired.paused, seat.name(), world.observed.at);
    const int score = (is_paused ? 0 : 4) + (seat.wanted() ? 2 : 0) + (differs(world, seat, nullptr) ? 0 : 1);
    if (score > best_score) {
      best = &seat;
      best_score = score;
    }
  }
  return best;
}

model::Step move_leader(const World& world, const Seat& from, const Seat& to) {
  const base::MemberId id = to.listed->listed.planned ? base::MemberId{} : to.listed->listed.id;
  model::MoveLeader action{from.name(), to.name(), id};
  model::Reason reason =
      reason_at(world, from, "LeaderMustMove", from.name() + " leads, and the next step takes it down");
  model::Step step = make_step(action, model::StepClass::Change, kCluster, std::move(reason));
  step.needs = {model::LeaderIs{from.listed->listed.planned ? base::MemberId{} : from.listed->listed.id, from.name()}};
  if (id.value != 0) step.needs.push_back(model::MemberIs{id, to.name(), model::MemberState::Up});
  step.ensures = {model::LeaderIs{action.to_id, action.to}};
  return step;
}

}  // namespace

model::Step leader_first(const World& world, const Seat& seat, model::Step step) {
  const auto broken = model::broken_rule(world.observed, step.action);
  if (!broken || broken->id != "Q5") return step;
  const Seat* to = heir(world, seat);
  if (to == nullptr) return step;
  model::Step before = move_leader(world, seat, *to);
  // What makes room in a full cluster waits for no backup, and nor does what comes before it.
  if (model::is_full(world.observed)) before.step_class = step.step_class;
  return before;
}

model::Step make_step(model::Action action, model::StepClass step_class, std::string owner, model::Reason reason) {
  model::Step step;
  step.id = model::step_id(action);
  step.action = std::move(action);
  step.step_class = step_class;
  step.owner = std::move(owner);
  step.reason = std::move(reason);
  return step;
}

model::Reason reason_at(const World& world, const Seat& seat, std::string code, std::string text) {
  model::Reason reason;
  reason.code = std::move(code);
  reason.text = std::move(text);
  if (seat.wish != nullptr && seat.wish->member->line != 0) {
    reason.file = world.desired.file;
    reason.line = seat.wish->member->line;
  }
  return reason;
}

namespace {

// It has promised to join the cluster that was brought back: until it has, the recovery is not complete, and nothing is
// gained by waiting with too few voters.
bool completes_recovery(const World& world, const Seat& seat) {
  const auto& formed = world.observed.formed;
  if (!formed || formed->decision.empty() || seat.node == nullptr || !seat.node->standing) return false;
  const auto& pledge = seat.node->standing->pledge;
  return pledge && pledge->decision.id == formed->decision;
}

}  // namespace

model::StepClass joining_class(const World& world, const Seat& seat) {
  const bool heals = was_ours(world.observed, seat.name()) || completes_recovery(world, seat);
  return heals ? model::StepClass::Heal : model::StepClass::Change;
}

bool learner_on_its_way(const World& world) {
  return std::any_of(world.seats.begin(), world.seats.end(),
                     [](const Seat& seat) { return seat.is_learner() && seat.wanted() && seat.managed(); });
}

void need_soak(const World& world, model::Step& step) {
  const base::Duration soak = world.desired.rollout.soak;
  const auto& last = world.observed.last_change;
  if (soak.count() == 0 || !last || world.observed.at - *last >= soak) return;
  step.needs.push_back(model::Soaked{soak});
}

}  // namespace quorate::plan
