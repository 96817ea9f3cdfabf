// Laws of the planner (design.md section 7) over generated clusters of one to six members in every state.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reconciler/gate/gate.h"
#include "reconciler/model/loss.h"
#include "reconciler/model/plan_json.h"
#include "reconciler/model/project.h"
#include "reconciler/model/quorum.h"
#include "reconciler/plan/planner.h"
#include "tests/support/cluster_world.h"

namespace quorate {
namespace {

using support::ClusterWorld;
using support::Health;
using support::InFile;
using support::Left;
using support::Role;
using support::Slot;

template <class T>
T one_of(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

bool rarely(int once_in) {
  return *rc::gen::inRange(0, once_in) == 0;
}

Slot any_slot(bool may_learn) {
  Slot slot;
  slot.file = one_of(
      {InFile::Listed, InFile::Listed, InFile::Listed, InFile::Listed, InFile::Retire, InFile::Dropped, InFile::Never});
  slot.role = one_of({Role::Voter, Role::Voter, Role::Voter, Role::Absent, may_learn ? Role::Learner : Role::Voter});
  if (slot.file == InFile::Never && slot.role == Role::Absent) slot.role = Role::Voter;
  slot.health = rarely(3) ? one_of({Health::Emptied, Health::Fresh, Health::Damaged, Health::Whole, Health::SilentNow,
                                    Health::SilentLong, Health::SilentSince})
                          : Health::Up;
  slot.started = !rarely(2);
  slot.in_sync = !rarely(3);
  slot.configured = !rarely(3);
  slot.seen = !rarely(5);
  slot.moved = slot.role != Role::Absent && rarely(6);
  if (slot.role == Role::Absent)
    slot.left = one_of({Left::Nothing, Left::Data, Left::Files, Left::Both, Left::Foreign});
  return slot;
}

// At least one member is listed in the file; the leader is the first voter that is up.
rc::Gen<ClusterWorld> any_world() {
  return rc::gen::exec([] {
    std::vector<Slot> slots;
    const int count = *rc::gen::inRange(1, 7);
    bool learner = false;
    for (int i = 0; i < count; ++i) {
      slots.push_back(any_slot(!learner || rarely(20)));
      learner = learner || slots.back().role == Role::Learner;
    }
    if (std::none_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.file == InFile::Listed; })) {
      slots.front().file = InFile::Listed;
    }
    std::vector<int> up;
    for (int i = 0; i < count; ++i) {
      const Slot& slot = slots[static_cast<std::size_t>(i)];
      if (slot.role == Role::Voter && slot.health == Health::Up) up.push_back(i);
    }
    support::WorldBuilder builder{slots};
    builder.version(one_of<std::string>({"3.4.23", "3.5.21", "3.5.33"}));
    if (!up.empty()) builder.leader(*rc::gen::elementOf(up));
    ClusterWorld world = builder.build();
    if (rarely(4)) world.desired.rollout.order = model::RolloutOrder::Name;
    if (rarely(4)) world.desired.etcd.version = base::parse_version(one_of<std::string>({"3.5.33", "3.5", "3.4.23"}));
    if (rarely(6)) world.wanted.store = true;
    return world;
  });
}

gate::Terms terms() {
  return {support::world_time(), {}, true};
}

model::Plan plan_of(const ClusterWorld& world) {
  return plan::plan(world.desired, world.observed, world.wanted);
}

model::Gated judged(const ClusterWorld& world) {
  return gate::judge(plan_of(world), world.desired, world.observed, terms());
}

std::string text(const ClusterWorld& world) {
  return model::to_json(judged(world), {});
}

int learners(const model::Observed& observed) {
  if (!observed.membership) return 0;
  const auto& members = observed.membership->members;
  return static_cast<int>(
      std::count_if(members.begin(), members.end(), [](const auto& each) { return each.listed.learner; }));
}

void carry_out(ClusterWorld& world, const model::Step& step) {
  model::project(world.observed, world.desired, step.action, step.step_class);
}

// Every step that the gate lets pass, in the world in which it is taken.
template <class Look>
void walk(const ClusterWorld& start, const Look& look) {
  const model::Gated gated = judged(start);
  ClusterWorld world = start;
  for (std::size_t i = 0; i < gated.verdicts.size(); ++i) {
    if (gated.verdicts[i].ruling != model::Ruling::Go) return;
    const model::Step& step = gated.plan.steps[i];
    const model::Observed before = world.observed;
    carry_out(world, step);
    look(step, before, world.observed);
  }
}

// "caught up" is what a plan waits for, and the data of a node that nobody sees cannot be shown to be empty.
bool can_be_shown(const model::Claim& claim) {
  if (std::holds_alternative<model::DataIs>(claim) || std::holds_alternative<model::Soaked>(claim)) return false;
  const auto* urls = std::get_if<model::UrlsAre>(&claim);
  return urls == nullptr || urls->state != model::MemberState::InSync;
}

}  // namespace

RC_GTEST_PROP(PlannerLaws, SameInputGivesTheSameBytes, ()) {
  const ClusterWorld world = *any_world();
  RC_ASSERT(text(world) == text(world));
}

RC_GTEST_PROP(PlannerLaws, ThePlanAfterTheFirstStepIsTheRestOfThePlan, ()) {
  ClusterWorld world = *any_world();
  const model::Plan plan = plan_of(world);
  const model::Gated gated = judged(world);
  if (gated.verdicts.empty() || gated.verdicts.front().ruling != model::Ruling::Go) return;
  carry_out(world, plan.steps.front());
  const model::Plan rest = plan_of(world);
  RC_ASSERT(rest.steps.size() + 1 == plan.steps.size());
  for (std::size_t i = 0; i < rest.steps.size(); ++i) RC_ASSERT(rest.steps[i] == plan.steps[i + 1]);
}

RC_GTEST_PROP(PlannerLaws, CarriedOutToTheEndThereIsNothingLeftToDo, ()) {
  ClusterWorld world = *any_world();
  const model::Gated gated = judged(world);
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) {
    const bool waits = gated.verdicts[i].rule == "Q9";
    if (gated.verdicts[i].ruling != model::Ruling::Go && !waits) return;
    carry_out(world, gated.plan.steps[i]);
  }
  if (gated.plan.stop != model::ExitCode::Ok) return;
  const model::Plan rest = plan_of(world);
  for (const model::Step& step : gated.plan.steps) RC_LOG() << step.id << "\n";
  for (const model::Notice& notice : rest.notices) RC_LOG() << "afterwards: " << notice.text << "\n";
  RC_ASSERT(rest.steps.empty());
  const model::Quorum quorum = model::quorum_of(world.observed);
  RC_ASSERT((rest.status == model::PlanStatus::Converged) == (quorum.up == quorum.voters));
}

RC_GTEST_PROP(PlannerLaws, NoPrefixTakesTheVotersThatAreUpBelowQuorum, ()) {
  walk(*any_world(), [](const model::Step& step, const model::Observed& before, const model::Observed& after) {
    const model::Quorum now = model::quorum_of(after);
    RC_ASSERT(now.up >= model::quorum(now.voters));
    RC_ASSERT(model::quorum_of(before) == step.before);
    RC_ASSERT(now == step.after);
  });
}

RC_GTEST_PROP(PlannerLaws, AtMostOneMemberIsOnItsWayIn, ()) {
  const ClusterWorld world = *any_world();
  const int at_first = learners(world.observed);
  walk(world, [&](const model::Step&, const model::Observed&, const model::Observed& after) {
    RC_ASSERT(learners(after) <= std::max(1, at_first));
  });
}

RC_GTEST_PROP(PlannerLaws, NothingIsRemovedOrSetAsideWithoutEvidence, ()) {
  const ClusterWorld world = *any_world();
  walk(world, [&](const model::Step& step, const model::Observed& before, const model::Observed&) {
    if (const auto* remove = std::get_if<model::Remove>(&step.action)) {
      const model::ObservedMember* member = model::member_of(before, remove->id);
      RC_ASSERT(member != nullptr);
      if (step.step_class != model::StepClass::Heal || member->listed.learner) return;
      const auto wanted = std::find_if(world.desired.members.begin(), world.desired.members.end(),
                                       [&](const auto& each) { return each.name == member->listed.name; });
      RC_ASSERT(model::loss_of(before, world.desired, &*wanted, *member).state == model::Loss::State::Proven);
    }
    if (const auto* aside = std::get_if<model::SetDataAside>(&step.action)) {
      const model::NodeFacts* node = model::node_of(before, aside->member);
      RC_ASSERT(node != nullptr && node->data.is_known());
      RC_ASSERT(node->data->cluster == support::WorldBuilder::cluster());
      const model::ObservedMember* owner = model::member_of(before, node->data->member);
      RC_ASSERT(owner == nullptr);
    }
  });
}

RC_GTEST_PROP(PlannerLaws, MembersThatTheFileNeverHadAreLeftAlone, ()) {
  const ClusterWorld world = *any_world();
  for (const model::Step& step : plan_of(world).steps) {
    const auto* remove = std::get_if<model::Remove>(&step.action);
    if (remove == nullptr) continue;
    const auto& applied = world.observed.applied->members;
    const bool listed = std::any_of(world.desired.members.begin(), world.desired.members.end(), [&](const auto& each) {
      return each.name == remove->member || remove->member.empty();
    });
    RC_ASSERT(listed || std::find(applied.begin(), applied.end(), remove->member) != applied.end());
  }
}

RC_GTEST_PROP(PlannerLaws, TheLeaderMovesBeforeItIsTakenDown, ()) {
  walk(*any_world(), [](const model::Step& step, const model::Observed& before, const model::Observed&) {
    if (model::quorum_of(before).voters == 1) return;
    const base::MemberId leader = model::leader_of(before);
    if (const auto* remove = std::get_if<model::Remove>(&step.action)) RC_ASSERT(remove->id != leader);
    const auto* write = std::get_if<model::WriteManifest>(&step.action);
    if (write == nullptr) return;
    const model::ObservedMember* member = model::member_of(before, leader);
    RC_ASSERT(member == nullptr || member->listed.name != write->member);
  });
}

RC_GTEST_PROP(PlannerLaws, WhatAStepNeedsHoldsBeforeItAndWhatItEnsuresHoldsAfterIt, ()) {
  walk(*any_world(), [](const model::Step& step, const model::Observed& before, const model::Observed& after) {
    for (const model::Claim& claim : step.needs) RC_ASSERT(!can_be_shown(claim) || model::holds(claim, before));
    for (const model::Claim& claim : step.ensures) RC_ASSERT(model::holds(claim, after));
  });
}

RC_GTEST_PROP(PlannerLaws, EveryStepHasAReasonAnOwnerAndAnIdOfItsOwn, ()) {
  const model::Plan plan = plan_of(*any_world());
  for (const model::Step& step : plan.steps) {
    RC_ASSERT(!step.reason.code.empty());
    RC_ASSERT(!step.reason.text.empty());
    RC_ASSERT(!step.owner.empty());
    RC_ASSERT(step.id == model::step_id(step.action));
  }
}

}  // namespace quorate
