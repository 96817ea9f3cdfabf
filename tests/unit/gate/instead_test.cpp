// Ways out: whatever the gate names really works in the model, in every small cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/model/assume.h"
#include "reconciler/model/project.h"
#include "reconciler/model/rules.h"
#include "tests/support/judged.h"

namespace quorate {
namespace {

using support::ClusterWorld;
using support::Health;
using support::InFile;
using support::Role;
using support::Slot;
using testing::HasSubstr;

const model::ObservedMember* named(const model::Observed& observed, const std::string& name) {
  for (const auto& member : observed.membership->members) {
    if (member.listed.name == name) return &member;
  }
  return nullptr;
}

std::string word_after(const std::string& text, const std::string& start) {
  const auto at = text.find(start);
  if (at == std::string::npos) return "";
  const auto from = at + start.size();
  return text.substr(from, text.find_first_of(" ,", from) - from);
}

// The planner moves a leader out of the way by itself.
bool allowed(const model::Observed& world, const model::Action& action) {
  const auto broken = model::broken_rule(world, action);
  return !broken || broken->id == "Q5";
}

// Does what the way says to a copy of the world and asks again.
void expect_works(const model::Observed& world, const model::Step& step, const model::Way& way) {
  model::Observed better = world;
  if (way.text.rfind("bring back ", 0) == 0) {
    for (const auto& member : world.membership->members) model::assume_up(better, member.listed.id);
    EXPECT_TRUE(allowed(better, step.action)) << way.text;
  } else if (!way.command.empty()) {
    const auto* member = named(world, word_after(way.command, "--assume-up "));
    ASSERT_NE(member, nullptr) << way.command;
    model::assume_up(better, member->listed.id);
    EXPECT_TRUE(allowed(better, step.action)) << way.command;
  } else if (way.text.rfind("remove ", 0) == 0) {
    const auto* member = named(world, word_after(way.text, "remove "));
    ASSERT_NE(member, nullptr) << way.text;
    EXPECT_FALSE(model::is_up(*member));
    EXPECT_TRUE(allowed(world, model::Remove{member->listed.name, member->listed.id})) << way.text;
  } else if (way.text.rfind("replace ", 0) == 0) {
    const auto* member = named(world, word_after(way.text, "replace "));
    ASSERT_NE(member, nullptr) << way.text;
    EXPECT_TRUE(allowed(world, model::Remove{member->listed.name, member->listed.id})) << way.text;
    model::assume_up(better, member->listed.id);  // what the replacement comes to
    EXPECT_TRUE(allowed(better, step.action)) << way.text;
  }
}

// The world in which the step that was stopped is judged.
model::Observed world_before_last(const ClusterWorld& world, const model::Gated& gated) {
  model::Observed observed = world.observed;
  for (std::size_t i = 0; i + 1 < gated.plan.steps.size(); ++i) {
    model::project(observed, world.desired, gated.plan.steps[i].action, gated.plan.steps[i].step_class);
  }
  return observed;
}

Slot slot_of(int kind) {
  switch (kind) {
    case 0:
      return support::up();
    case 1:
      return support::with(Health::SilentSince);
    case 2:
      return support::in_file(InFile::Retire);
    case 3:
      return support::unconfigured();
    case 4:
      return support::absent();
    default: {
      Slot learner;
      learner.role = Role::Learner;
      return learner;
    }
  }
}

}  // namespace

TEST(WaysInstead, EachWorksInEverySmallClusterThatIsRefusedSomething) {
  constexpr int kKinds = 6;
  int ways = 0;
  for (int size = 2; size <= 4; ++size) {
    int worlds = 1;
    for (int i = 0; i < size; ++i) worlds *= kKinds;
    for (int number = 0; number < worlds; ++number) {
      std::vector<Slot> slots;
      for (int i = 0, rest = number; i < size; ++i, rest /= kKinds) slots.push_back(slot_of(rest % kKinds));
      if (slots[0].health != Health::Up || slots[0].role != Role::Voter) continue;  // it leads
      const ClusterWorld world = support::WorldBuilder{slots}.build();
      const model::Gated gated = support::judged(world);
      if (gated.verdicts.empty() || gated.verdicts.back().rule.empty()) continue;
      if (gated.verdicts.back().rule.front() != 'Q') continue;
      const model::Observed before = world_before_last(world, gated);
      for (const model::Way& way : gated.verdicts.back().instead) {
        SCOPED_TRACE("world " + std::to_string(size) + "/" + std::to_string(number) + ", " +
                     gated.verdicts.back().rule);
        expect_works(before, gated.plan.steps.back(), way);
        ++ways;
      }
    }
  }
  EXPECT_GT(ways, 50);
}

TEST(WaysInstead, B08TheOneThatIsDownCanGoInsteadOfTheOneThatIsUp) {
  const auto world =
      support::WorldBuilder{{support::up(), support::in_file(InFile::Retire), support::with(Health::SilentSince)}}
          .build();
  const auto gated = support::judged(world);
  ASSERT_EQ(support::rule_of(gated), "Q1");
  std::vector<std::string> texts;
  for (const model::Way& way : gated.verdicts.back().instead) texts.push_back(way.text);
  EXPECT_THAT(texts, testing::ElementsAre(HasSubstr("bring c back, then remove b"),
                                          HasSubstr("remove c instead, it is down already: 2 voters, 2 up, needs 2"),
                                          HasSubstr("replace c first, then shrink")));
}

TEST(WaysInstead, ASilentMemberIsStartedOrDeclaredLostByItsId) {
  auto world = support::WorldBuilder{{support::up(), support::up(), support::with(Health::SilentSince)}}.build();
  const auto gated = support::judged(world);
  ASSERT_EQ(support::rule_of(gated), "F2");
  const auto& ways = gated.verdicts.front().instead;
  ASSERT_EQ(ways.size(), 2u);
  EXPECT_EQ(ways[0].command, "quorate plan --assume-up c");
  EXPECT_THAT(ways[1].text, HasSubstr("members.c.lost: \"1002\""));
  world.desired.members[2].lost = model::Member::Lost{base::MemberId{0x1002}};
  EXPECT_EQ(support::rule_of(support::judged(world)), "");
  auto started = support::WorldBuilder{{support::up(), support::up(), support::with(Health::SilentSince)}}.build();
  model::assume_up(started.observed, support::WorldBuilder::id(2));
  EXPECT_EQ(support::rule_of(support::judged(started)), "");
}

TEST(WaysInstead, NothingIsOfferedForALearnerThatIsWaitedFor) {
  Slot learner;
  learner.role = Role::Learner;
  learner.in_sync = false;
  const auto gated =
      support::judged(support::WorldBuilder{{support::up(), support::up(), support::up(), learner}}.build());
  ASSERT_EQ(support::rule_of(gated), "Q9");
  EXPECT_TRUE(gated.verdicts.front().instead.empty());
}

TEST(WaysInstead, EveryPolicyThatAFileCanChangeSaysHow) {
  auto world = support::WorldBuilder{{support::up(), support::up(), support::with(Health::Emptied)}}.build();
  world.desired.reconcile.self_heal = model::SelfHeal::Off;
  EXPECT_EQ(support::judged(world).verdicts.front().instead.front().text, "set reconcile.selfHeal: safe");
  world.desired.reconcile.self_heal = model::SelfHeal::Safe;
  EXPECT_EQ(support::rule_of(support::judged(world)), "");
  world.desired.adopt = model::Adopt{support::WorldBuilder::cluster(), {}, model::AdoptStage::Observe};
  EXPECT_THAT(support::judged(world).verdicts.front().instead.front().text, HasSubstr("raise adopt.stage"));
}

}  // namespace quorate
