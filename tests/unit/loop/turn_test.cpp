// Whose turn it is: who begins which step of one plan that all agents see, and what the others wait for.
#include "reconciler/loop/turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/judged.h"

namespace quorate::loop {
namespace {

using model::Ruling;
using std::chrono::minutes;
using support::Health;
using testing::HasSubstr;

base::Time now() {
  return support::world_time();
}
base::MemberId id(std::size_t slot) {
  return support::WorldBuilder::id(slot);
}

// A plan of steps that may all go, on members a, b, c; all agents answer unless a test says otherwise.
class TurnOf : public testing::Test {
 protected:
  void cluster(std::vector<support::Slot> slots, int leader = 0) {
    auto world = support::WorldBuilder{std::move(slots)}.leader(leader).build();
    desired_ = std::move(world.desired);
    observed_ = std::move(world.observed);
  }
  void SetUp() override { cluster({support::up(), support::up(), support::up()}); }

  model::Step& step(model::Action action, std::string owner) {
    model::Step step;
    step.id = model::step_id(action);
    step.action = std::move(action);
    step.owner = std::move(owner);
    gated_.plan.steps.push_back(std::move(step));
    gated_.verdicts.emplace_back();
    return gated_.plan.steps.back();
  }
  void hold(std::size_t step, std::string rule, std::string arithmetic = "") {
    model::Verdict verdict;
    verdict.ruling = Ruling::Hold;
    verdict.rule = std::move(rule);
    verdict.text = "words of the rule";
    verdict.arithmetic = std::move(arithmetic);
    verdict.until = now() + minutes{4};
    gated_.verdicts[step] = verdict;
  }
  Turn turn(const std::string& member) const { return turn_of(gated_, desired_, observed_, member, agents_); }
  // The ID of the step that the member begins; empty: it waits.
  std::string begins(const std::string& member) const {
    const Turn now = turn(member);
    EXPECT_TRUE(now.step == nullptr || now.waits.empty());
    return now.step == nullptr ? "" : now.step->id;
  }
  std::string actor() const { return actor_of(desired_, observed_, agents_); }

  static model::WriteManifest start(const std::string& member, model::BootMode boot) {
    return {member, "digest", boot, ""};
  }

  model::Gated gated_;
  model::Desired desired_;
  model::Observed observed_;
  std::vector<std::string> agents_{"a", "b", "c"};
};

}  // namespace

// ------------------------------------------------------------------------------------------------- forming a cluster
TEST_F(TurnOf, NobodyGoesBackBeforeTheSeedHasSaidThatItGivesUp) {
  step(model::Abandon{"a", "d1", "why"}, "a");
  step(model::Abandon{"b", "d1", "why"}, "b");
  EXPECT_EQ(begins("a"), "abandon/a@d1");
  EXPECT_EQ(begins("b"), "");
}

TEST_F(TurnOf, WhoWaitsForTheOthersToBeReadyIsToldByThem) {
  auto& promise = step(model::Promise{"a", "d1", model::Decision{}}, "a");
  promise.needs = {model::KeepTo{"d1", {"a", "b"}, false}};
  EXPECT_EQ(begins("a"), "");
  EXPECT_FALSE(turn("a").soon);
}

TEST_F(TurnOf, FoundersPromiseSideBySide) {
  for (const char* name : {"a", "b", "c"}) step(model::Promise{name, "d1"}, name);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(begins(name), "promise/" + std::string(name) + "@d1");
}

TEST_F(TurnOf, NobodyStartsBeforeEverybodyHasPromised) {
  step(model::Promise{"c", "d1"}, "c");
  for (const char* name : {"a", "b", "c"}) step(start(name, model::BootMode::New), name);
  EXPECT_EQ(begins("a"), "");
  EXPECT_EQ(turn("a").waits, "the agent of c: promise/c@d1");
  EXPECT_EQ(begins("c"), "promise/c@d1");
}

TEST_F(TurnOf, FoundersStartSideBySide) {
  for (const char* name : {"a", "b", "c"}) step(start(name, model::BootMode::New), name);
  for (const char* name : {"a", "b", "c"}) EXPECT_NE(begins(name), "");
}

TEST_F(TurnOf, AFounderLetsThoseBeforeItGoFirst) {
  for (const char* name : {"a", "b", "c"}) step(start(name, model::BootMode::New), name);
  EXPECT_EQ(turn("a").after, "");
  EXPECT_EQ(turn("b").after, "a");
  EXPECT_EQ(turn("c").after, "b");
}

TEST_F(TurnOf, RestartsAreOneAfterTheOther) {
  for (const char* name : {"a", "b"}) step(start(name, model::BootMode::Keep), name);
  EXPECT_NE(begins("a"), "");
  EXPECT_EQ(begins("b"), "");
  EXPECT_THAT(turn("b").waits, HasSubstr("the agent of a"));
}

TEST_F(TurnOf, AStartThatIsHeldHoldsThoseBesideItThatComeLater) {
  for (const char* name : {"a", "b", "c"}) step(start(name, model::BootMode::New), name);
  hold(1, "P4");
  EXPECT_NE(begins("a"), "");
  EXPECT_EQ(begins("c"), "");
}

// ------------------------------------------------------------------------------------------------ steps of the cluster
TEST_F(TurnOf, TheLeadersAgentActsForTheCluster) {
  cluster({support::up(), support::up(), support::up()}, 1);
  step(model::AddMember{"d", {"https://10.0.0.14:2380"}, ""}, "cluster");
  EXPECT_EQ(actor(), "b");
  EXPECT_NE(begins("b"), "");
  EXPECT_EQ(begins("a"), "");
  EXPECT_THAT(turn("a").waits, HasSubstr("the agent of b"));
}

TEST_F(TurnOf, WhileTheLeadersAgentIsSilentTheFirstByNameActs) {
  agents_ = {"b", "c"};
  EXPECT_EQ(actor(), "b");
}

TEST_F(TurnOf, ALeaderThatNobodyManagesHasNoAgentThatCouldAct) {
  desired_.members[0].managed = false;
  EXPECT_EQ(actor(), "b");
  desired_.members.erase(desired_.members.begin());  // the file does not even list it
  EXPECT_EQ(actor(), "b");
}

TEST_F(TurnOf, WhoIsDownOrOnlyLearnsDoesNotAct) {
  support::Slot learner;
  learner.role = support::Role::Learner;
  cluster({learner, support::with(Health::SilentLong), support::up(), support::up()}, 3);
  agents_ = {"a", "b", "c"};
  EXPECT_EQ(actor(), "c");
  agents_ = {"a", "b"};
  EXPECT_EQ(actor(), "");
}

TEST_F(TurnOf, WhereNobodyCanActTheStepWaitsForAVoter) {
  step(model::AddMember{"d", {"https://10.0.0.14:2380"}, ""}, "cluster");
  agents_.clear();
  EXPECT_EQ(actor(), "");
  EXPECT_EQ(begins("a"), "");
  EXPECT_THAT(turn("a").waits, HasSubstr("the agent of a voter"));
}

TEST_F(TurnOf, WithoutAMemberListNobodyActsForTheCluster) {
  observed_.membership = model::Fact<model::Membership>::unknown("connection refused");
  EXPECT_EQ(actor(), "");
}

// -------------------------------------------------------------------------------------------------- steps of a node
TEST_F(TurnOf, AStepOfANodeIsThatOfTheAgentOfItsMember) {
  desired_.members[1].node = "host-2";
  step(start("b", model::BootMode::Keep), "host-2");
  EXPECT_NE(begins("b"), "");
  EXPECT_EQ(begins("a"), "");
  EXPECT_THAT(turn("a").waits, HasSubstr("the agent of b"));
}

TEST_F(TurnOf, ANodeThatIsCalledLikeAnotherMemberMakesNoStepTheirs) {
  desired_.members[0].node = "b";
  desired_.members[1].node = "host-2";
  step(start("a", model::BootMode::Keep), "b");
  EXPECT_EQ(begins("b"), "");
  EXPECT_NE(begins("a"), "");
}

TEST_F(TurnOf, AMemberThatTheFileHasDroppedCleansUpAfterItself) {
  step(model::RemoveManifest{"x"}, "x");
  EXPECT_NE(begins("x"), "");
  EXPECT_EQ(begins("a"), "");
}

// ------------------------------------------------------------------------------------------------------------- waiting
TEST_F(TurnOf, AnEmptyPlanIsWaitedForByNobody) {
  const Turn nothing = turn("a");
  EXPECT_EQ(nothing.step, nullptr);
  EXPECT_EQ(nothing.waits, "");
}

TEST_F(TurnOf, AStepThatIsHeldSaysByWhichRuleAndUntilWhen) {
  step(start("a", model::BootMode::Keep), "a");
  hold(0, "P3", "class destructive");
  const Turn held = turn("a");
  EXPECT_EQ(held.step, nullptr);
  EXPECT_EQ(held.waits, gated_.plan.steps[0].id + ": P3, class destructive");
  EXPECT_EQ(held.until, now() + minutes{4});
  EXPECT_TRUE(held.held);
  EXPECT_FALSE(held.soon);
  hold(0, "P3");
  EXPECT_THAT(turn("a").waits, HasSubstr("words of the rule"));
}

TEST_F(TurnOf, ALearnerThatCatchesUpIsLookedAtAgainSoon) {
  step(model::Promote{"c", id(2), {}}, "cluster");
  hold(0, "Q9", "80000 entries behind");
  EXPECT_TRUE(turn("a").soon);
}

TEST_F(TurnOf, WhatIsSaidOfTheWholePlanHoldsAllOfIt) {
  step(start("a", model::BootMode::Keep), "a");
  model::Verdict whole;
  whole.ruling = Ruling::Hold;
  whole.rule = "P4";
  whole.text = "paused";
  whole.until = now() + minutes{9};
  gated_.whole = whole;
  const Turn held = turn("a");
  EXPECT_EQ(held.step, nullptr);
  EXPECT_EQ(held.waits, "P4: paused");
  EXPECT_EQ(held.until, now() + minutes{9});
}

TEST_F(TurnOf, ASoakIsWaitedForUntilItsEnd) {
  step(start("a", model::BootMode::Keep), "a").needs = {model::Soaked{minutes{5}}};
  observed_.last_change = model::Fact<base::Time>::known(now() - minutes{2}, now());
  const Turn soaking = turn("a");
  EXPECT_EQ(soaking.step, nullptr);
  EXPECT_EQ(soaking.until, now() + minutes{3});
  EXPECT_FALSE(soaking.soon);
  observed_.last_change = model::Fact<base::Time>::known(now() - minutes{5}, now());
  EXPECT_NE(begins("a"), "");
}

TEST_F(TurnOf, WhatAStepNeedsHasToBeSeenRightBeforeIt) {
  step(start("a", model::BootMode::Keep), "a").needs = {model::AllVotersUp{}};
  EXPECT_NE(begins("a"), "");
  cluster({support::up(), support::up(), support::with(Health::SilentNow)});
  const Turn waiting = turn("a");
  EXPECT_EQ(waiting.step, nullptr);
  EXPECT_EQ(waiting.waits, "what " + gated_.plan.steps[0].id + " needs");
  EXPECT_TRUE(waiting.soon);
}

TEST_F(TurnOf, AnEtcdThatHasBegunIsWaitedForByItsAgentAndByWhoIsNext) {
  step(start("c", model::BootMode::Join), "c");
  hold(0, "F3");  // the directory is no longer empty, and the others have not named it yet
  const model::NodeFacts& node = observed_.nodes[2];
  ASSERT_EQ(node.member, "c");
  std::get<model::WriteManifest>(gated_.plan.steps[0].action).digest = node.manifest->digest;
  for (const char* name : {"a", "c"}) {
    EXPECT_EQ(turn(name).waits, "the etcd of c to have started");
    EXPECT_TRUE(turn(name).soon) << name;
  }
  EXPECT_FALSE(turn("b").soon);
  EXPECT_TRUE(turn("b").looks_on);
  EXPECT_FALSE(turn("a").looks_on) << "what comes next is the actor's";
}

TEST_F(TurnOf, WhoHasNoPartInWhatTheOthersDoLooksOn) {
  step(model::Remove{"c", id(2)}, "cluster");
  step(start("c", model::BootMode::Join), "c");
  EXPECT_FALSE(turn("a").looks_on);
  EXPECT_TRUE(turn("b").looks_on);
  EXPECT_FALSE(turn("c").looks_on) << "it is to start what the others add";
}

TEST_F(TurnOf, OneThatRunsOnTheDataOfAnotherMemberIDHasNotBegun) {
  step(start("c", model::BootMode::Join), "c");
  std::get<model::WriteManifest>(gated_.plan.steps[0].action).digest = observed_.nodes[2].manifest->digest;
  observed_.nodes[2].manifest.get()->keep = true;
  observed_.nodes[2].data.get()->member = id(7);
  EXPECT_NE(begins("c"), "");
}

TEST_F(TurnOf, NobodyIsPromotedBeforeItsConfigurationSaysKeep) {
  step(model::Promote{"c", id(2), {}}, "cluster");
  observed_.nodes[2].manifest.get()->keep = true;
  EXPECT_NE(begins("a"), "");
  observed_.nodes[2].manifest.get()->keep = false;
  EXPECT_EQ(turn("a").waits, "the configuration of c to say Keep");
  EXPECT_TRUE(turn("a").soon);
}

}  // namespace quorate::loop
