// What the gate says because of time, evidence and what people wrote down: F, P and A rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/gate/consent.h"
#include "tests/support/judged.h"

namespace quorate {
namespace {

using model::ExitCode;
using model::Ruling;
using std::chrono::hours;
using std::chrono::minutes;
using support::ClusterWorld;
using support::Health;
using support::InFile;
using support::Slot;
using testing::ElementsAre;
using testing::HasSubstr;

ClusterWorld world_of(std::vector<Slot> slots) {
  return support::WorldBuilder{std::move(slots)}.build();
}
Slot retired() {
  return support::in_file(InFile::Retire);
}
model::Paused pause_until(base::Time until, std::vector<std::string> members = {}) {
  return {"replacing a switch", until, std::move(members)};
}
model::Adopt adoption(model::AdoptStage stage) {
  return {support::WorldBuilder::cluster(), {}, stage};
}
bool passed(const model::Gated& gated, const std::string& rule) {
  for (const model::Check& check : gated.checks) {
    if (check.id == rule) return check.passed;
  }
  return false;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------ F: evidence
TEST(GateFreshness, AnOldObservationHoldsThePlanAndSaysHowOldItIs) {
  const auto world = world_of({support::up(), support::up(), support::unconfigured()});
  const auto gated = support::judged(world, {support::world_time() + hours{2}, hours{1}, true});
  ASSERT_TRUE(gated.whole);
  EXPECT_EQ(gated.whole->rule, "F1");
  EXPECT_EQ(gated.whole->ruling, Ruling::Hold);
  EXPECT_THAT(gated.whole->arithmetic, HasSubstr("2026-09-24T09:12:41Z, 2h"));
  EXPECT_EQ(gated.code, ExitCode::Unknown);
  EXPECT_FALSE(gated.applicable);
  EXPECT_FALSE(passed(gated, "F1"));
  EXPECT_TRUE(passed(gated, "F2"));
}

TEST(GateFreshness, AnObservationFromTheFutureIsNoFresher) {
  const auto world = world_of({support::up(), support::up(), support::unconfigured()});
  const auto gated = support::judged(world, {support::world_time() - hours{2}, hours{1}, true});
  ASSERT_TRUE(gated.whole);
  EXPECT_EQ(gated.whole->rule, "F1");
  EXPECT_THAT(gated.whole->arithmetic, HasSubstr("still to come"));
}

TEST(GateFreshness, AStaleObservationIsStaleEvenWhenItAsksForNothing) {
  const auto gated = support::judged(world_of({support::up(), support::up(), support::up()}),
                                     {support::world_time() + hours{2}, hours{1}, true});
  EXPECT_EQ(gated.code, ExitCode::Unknown);
}

TEST(GateFreshness, ALimitOfNothingIsALimit) {
  const auto world = world_of({support::up(), support::up(), support::unconfigured()});
  const auto gated = support::judged(world, {support::world_time() + std::chrono::seconds{1}, base::Duration{}, true});
  ASSERT_TRUE(gated.whole);
  EXPECT_EQ(gated.whole->rule, "F1");
  EXPECT_EQ(gated.code, ExitCode::Unknown);
}

TEST(GateFreshness, WithoutALimitAnyAgeWillDo) {
  const auto gated = support::judged(world_of({support::up(), support::up(), support::unconfigured()}),
                                     {support::world_time() + hours{2000}, {}, true});
  EXPECT_FALSE(gated.whole);
  EXPECT_EQ(gated.code, ExitCode::Different);
}

TEST(GateEvidence, C05AMemberThatIsSilentForAMinuteIsWaitedForWithAnEnd) {
  const auto gated = support::judged(world_of({support::up(), support::up(), support::with(Health::SilentNow)}));
  ASSERT_EQ(support::rule_of(gated), "F2");
  const auto& verdict = gated.verdicts.front();
  EXPECT_EQ(verdict.ruling, Ruling::Hold);
  EXPECT_EQ(verdict.until, support::world_time() + minutes{4});
  EXPECT_EQ(gated.code, ExitCode::NeedsApproval);
}

TEST(GateEvidence, ASilenceThatNobodyWatchedProvesNothingAndHasNoEnd) {
  const auto gated = support::judged(world_of({support::up(), support::up(), support::with(Health::SilentSince)}));
  ASSERT_EQ(support::rule_of(gated), "F2");
  EXPECT_FALSE(gated.verdicts.front().until);
  EXPECT_EQ(gated.code, ExitCode::Unknown);
  EXPECT_GE(gated.verdicts.front().instead.size(), 2u);
}

TEST(GateEvidence, C01AMemberThatHasBeenSilentLongEnoughGoesWithoutAQuestion) {
  const auto gated = support::judged(world_of({support::up(), support::up(), support::with(Health::SilentLong)}));
  EXPECT_EQ(support::rule_of(gated), "");
  EXPECT_EQ(support::words_of(gated.plan).front(), "remove c");
}

TEST(GateEvidence, TheWordOfAPersonIsProof) {
  auto world = world_of({support::up(), support::up(), support::with(Health::SilentSince)});
  world.desired.members[2].lost = model::Member::Lost{support::WorldBuilder::id(2)};
  EXPECT_EQ(support::rule_of(support::judged(world)), "");
  world.desired.members[2].lost = model::Member::Lost{base::MemberId{0x9999}};  // of an earlier life
  EXPECT_EQ(support::rule_of(support::judged(world)), "F2");
}

TEST(GateEvidence, Attack11_ARemovalThatWasAnnouncedIsFinalWhateverIsKnownNow) {
  auto world = world_of({support::up(), support::up(), support::with(Health::SilentSince)});
  ASSERT_EQ(support::rule_of(support::judged(world)), "F2");
  world.observed.announced =
      model::Fact<model::Announced>::known({{support::WorldBuilder::id(2)}, {}}, support::world_time());
  const auto gated = support::judged(world);
  EXPECT_EQ(support::words_of(gated.plan).front(), "remove c");
  EXPECT_EQ(gated.verdicts.front().ruling, Ruling::Go);
}

TEST(GateEvidence, ANodeOfWhichNobodyKnowsWhatRunsThereProvesNothing) {
  auto world = world_of({support::up(), support::up(), support::with(Health::Emptied)});
  ASSERT_EQ(support::rule_of(support::judged(world)), "");
  model::node_of(world.observed, "c")->process = model::Fact<model::Process>::unknown("permission denied");
  EXPECT_EQ(support::rule_of(support::judged(world)), "F2");
}

// ---------------------------------------------------------------------------------------------------- P: protection
TEST(GateProtection, P1OnePlanRemovesNoMoreThanMaxRemovals) {
  auto world = world_of({support::up(), support::up(), support::up(), retired(), retired()});
  world.desired.protect.max_removals = 1;
  const auto gated = support::judged(world);
  ASSERT_TRUE(gated.whole);
  EXPECT_EQ(gated.whole->rule, "P1");
  EXPECT_EQ(gated.whole->arithmetic, "2 removals, protect.maxRemovals is 1");
  EXPECT_EQ(gated.code, ExitCode::Refused);
  world.desired.protect.max_removals = 2;
  EXPECT_EQ(support::judged(world).code, ExitCode::Different);
}

TEST(GateProtection, P1AReplacementIsNoRemoval) {
  auto world = world_of({support::up(), support::up(), support::up(), retired(), support::with(Health::Emptied)});
  world.desired.protect.max_removals = 1;
  EXPECT_FALSE(support::judged(world).whole);
}

TEST(GateProtection, P2AsManyVotersAreLeftAsTheFileWants) {
  auto world = world_of({support::up(), support::up(), support::up(), retired()});
  world.desired.protect.min_voters = 4;
  const auto gated = support::judged(world);
  EXPECT_EQ(support::rule_of(gated), "P2");
  EXPECT_THAT(gated.verdicts.back().arithmetic, HasSubstr("3 voters would be left, protect.minVoters is 4"));
  EXPECT_EQ(gated.code, ExitCode::Refused);
  world.desired.protect.min_voters = 3;
  EXPECT_EQ(support::rule_of(support::judged(world)), "");
}

TEST(GateProtection, P2AReplacementMayPassBelowTheLimit) {
  auto world = world_of({support::up(), support::up(), support::with(Health::Emptied)});
  world.desired.protect.min_voters = 3;
  EXPECT_EQ(support::rule_of(support::judged(world)), "");
}

TEST(GateProtection, P3AnApprovalHoldsAStepAndStillShowsTheRoad) {
  auto world = world_of({support::up(), support::up(), support::up(), retired(), retired()});
  world.desired.protect.approve = {model::StepClass::Destructive};
  world.desired.rollout.soak = {};
  const auto gated = support::judged(world);
  EXPECT_THAT(support::words_of(gated.plan), testing::IsSupersetOf({"remove d", "remove e"}));
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) {
    const bool asks = gated.plan.steps[i].step_class == model::StepClass::Destructive;
    EXPECT_EQ(gated.verdicts[i].rule, asks ? "P3" : "") << gated.plan.steps[i].id;
  }
  EXPECT_EQ(gated.code, ExitCode::NeedsApproval);
  EXPECT_TRUE(gated.applicable);
}

TEST(GateProtection, P4APauseHoldsEverythingUntilItsEnd) {
  auto world = world_of({support::up(), support::up(), support::unconfigured()});
  world.desired.paused = pause_until(support::world_time() + hours{2});
  const auto gated = support::judged(world);
  ASSERT_TRUE(gated.whole);
  EXPECT_EQ(gated.whole->rule, "P4");
  EXPECT_EQ(gated.whole->until, support::world_time() + hours{2});
  EXPECT_EQ(gated.code, ExitCode::Busy);
  EXPECT_FALSE(gated.applicable);
}

TEST(GateProtection, P4NothingToDoIsNotPaused) {
  auto world = world_of({support::up(), support::up(), support::up()});
  world.desired.paused = pause_until(support::world_time() + hours{2});
  EXPECT_EQ(support::judged(world).code, ExitCode::Ok);
}

TEST(GateProtection, P4APauseThatIsOverOrForgottenDoesNotCount) {
  auto world = world_of({support::up(), support::up(), support::unconfigured()});
  world.desired.paused = pause_until(support::world_time() - minutes{1});
  EXPECT_EQ(support::judged(world).code, ExitCode::Different);
  world.desired.paused = pause_until(support::world_time() + hours{24 * 7} + minutes{1});
  EXPECT_EQ(support::judged(world).code, ExitCode::Different);
  world.desired.paused = pause_until(support::world_time() + hours{24 * 7});
  EXPECT_EQ(support::judged(world).code, ExitCode::Busy);
}

TEST(GateProtection, P4APauseOfOneMemberHoldsItsStepsAlone) {
  auto world = world_of({support::up(), support::unconfigured(), support::up()});
  world.desired.paused = pause_until(support::world_time() + hours{2}, {"b"});
  const auto held = support::judged(world);
  EXPECT_FALSE(held.whole);
  EXPECT_EQ(support::rule_of(held), "P4");
  EXPECT_EQ(held.code, ExitCode::Busy);
  world.desired.paused->members = {"c"};
  EXPECT_EQ(support::rule_of(support::judged(world)), "");
}

TEST(GateProtection, P5HealingWaitsForAPersonWhereTheFileSaysSo) {
  auto world = world_of({support::up(), support::up(), support::with(Health::Emptied)});
  world.desired.reconcile.self_heal = model::SelfHeal::Off;
  const auto gated = support::judged(world);
  EXPECT_EQ(support::rule_of(gated), "P5");
  EXPECT_EQ(gated.code, ExitCode::NeedsApproval);
  EXPECT_GT(gated.plan.steps.size(), 1u);  // the road is shown
}

TEST(GateProtection, P6NoMoreReplacementsADayThanTheFileAllows) {
  auto world = world_of({support::up(), support::up(), support::with(Health::Emptied)});
  const base::Time now = support::world_time();
  world.observed.heals_of_the_day =
      model::Fact<std::vector<base::Time>>::known({now - hours{3}, now - hours{20}, now - hours{1}}, now);
  const auto gated = support::judged(world);
  EXPECT_EQ(support::rule_of(gated), "P6");
  EXPECT_EQ(gated.verdicts.front().until, now + hours{4});
  world.desired.reconcile.max_heals_per_day = 4;
  EXPECT_EQ(support::rule_of(support::judged(world)), "");
}

TEST(GateProtection, P6AnEmptiedMemberThatLosesItsDataWithEveryRestartIsNotCounted) {
  auto world = world_of({support::up(), support::up(), support::with(Health::Emptied)});
  world.desired.storage = model::StorageKind::Memory;
  const base::Time now = support::world_time();
  world.observed.heals_of_the_day = model::Fact<std::vector<base::Time>>::known({now, now, now}, now);
  EXPECT_EQ(support::rule_of(support::judged(world)), "");
}

TEST(GateProtection, TheQuorumRuleComesBeforeEveryPolicy) {
  auto world = world_of({support::up(), retired(), support::with(Health::SilentSince)});
  world.desired.protect.approve = {model::StepClass::Destructive};
  EXPECT_EQ(support::rule_of(support::judged(world)).front(), 'Q');
}

TEST(GateProtection, P6ARemovalThatWasAnnouncedWasCountedThen) {
  auto world = world_of(
      {support::up(), support::up(), support::up(), support::with(Health::SilentLong), support::with(Health::Emptied)});
  world.observed.announced =
      model::Fact<model::Announced>::known({{support::WorldBuilder::id(3)}, {}}, support::world_time());
  const base::Time now = support::world_time();
  world.observed.heals_of_the_day = model::Fact<std::vector<base::Time>>::known({now - hours{3}, now}, now);
  const auto gated = support::judged(world);
  EXPECT_THAT(support::words_of(gated.plan), testing::IsSupersetOf({"remove d", "remove e"}));
  EXPECT_EQ(support::rule_of(gated), "") << "two before, and the third of three";
  world.observed.heals_of_the_day = model::Fact<std::vector<base::Time>>::known({now, now, now}, now);
  const auto full = support::judged(world);
  EXPECT_EQ(full.verdicts.front().ruling, Ruling::Go) << "what was announced is carried on with";
  EXPECT_EQ(support::rule_of(full), "P6");
}

TEST(GateProtection, P6AReplacementThatIsNotCountedLeavesTheOthersTheirs) {
  auto world = world_of(
      {support::up(), support::up(), support::up(), support::with(Health::Emptied), support::with(Health::SilentLong)});
  world.desired.storage = model::StorageKind::Ephemeral;
  world.desired.reconcile.max_heals_per_day = 1;
  EXPECT_EQ(support::rule_of(support::judged(world)), "");
}

// -------------------------------------------------------------------------------------------- P: what people agreed to
class GateConsent : public testing::Test {
 protected:
  GateConsent() {
    world_.desired.protect.approve = {model::StepClass::Destructive};
    terms_.now = support::world_time();
    terms_.digest = "file";
    removal_ = support::plan_of(world_).steps.front().id;
  }
  model::Allowed word(bool denied = false) const {
    model::Allowed allowed;
    allowed.what = removal_;
    allowed.by = "ann";
    allowed.until = terms_.now + hours{1};
    allowed.denied = denied;
    allowed.desired_digest = terms_.digest;
    allowed.cluster = support::WorldBuilder::cluster();
    return allowed;
  }
  model::Approval line() const { return {removal_, support::WorldBuilder::cluster(), "ann", terms_.now + hours{1}}; }
  std::string rule() const { return support::rule_of(support::judged(world_, terms_)); }

  ClusterWorld world_ = world_of({support::up(), support::up(), support::up(), retired()});
  gate::Terms terms_;
  std::string removal_;
};

TEST_F(GateConsent, AYesOnRecordLetsTheStepGo) {
  EXPECT_EQ(rule(), "P3");
  terms_.allowed = {word()};
  EXPECT_EQ(rule(), "");
}

TEST_F(GateConsent, AYesToAPlanIsOneToEachOfItsSteps) {
  model::Allowed plan = word();
  plan.what = "7f3a9c2e";
  terms_.allowed = {plan};
  EXPECT_EQ(rule(), "P3");
  terms_.allowed.front().steps = {"promote/x", removal_};
  EXPECT_EQ(rule(), "");
}

// A plan that adds the member first is shown when nobody knows its ID.
TEST_F(GateConsent, J14_AYesToAPromotionBeforeTheMemberHadAnIdIsStillOne) {
  Slot joining;
  joining.role = support::Role::Learner;
  world_ = world_of({support::up(), support::up(), joining});
  world_.desired.protect.approve = {model::StepClass::Change, model::StepClass::Heal};
  const auto steps = support::plan_of(world_).steps;
  ASSERT_EQ(steps.size(), 1U);
  model::Promote promotion = std::get<model::Promote>(steps.front().action);
  ASSERT_NE(promotion.id.value, 0U);
  EXPECT_EQ(rule(), "P3");
  promotion.id = {};
  terms_.allowed = {word()};
  terms_.allowed.front().what = model::step_id(promotion);
  EXPECT_EQ(rule(), "");
  promotion.peer_urls = {"https://10.9.9.9:2380"};
  terms_.allowed.front().what = model::step_id(promotion);
  EXPECT_EQ(rule(), "P3") << "which is another member";
}

TEST_F(GateConsent, AYesEndsWhenItSays) {
  terms_.allowed = {word()};
  terms_.allowed.front().until = terms_.now;
  EXPECT_EQ(rule(), "P3");
}

TEST_F(GateConsent, AYesToAnotherFileOrAnotherClusterIsNone) {
  terms_.allowed = {word()};
  terms_.digest = "another file";
  EXPECT_EQ(rule(), "P3");
  terms_.digest = "file";
  terms_.allowed.front().cluster = {0xbad};
  EXPECT_EQ(rule(), "P3");
}

TEST_F(GateConsent, ANoStandsWhoeverSaysYes) {
  terms_.allowed = {word(), word(true), word()};
  world_.desired.approvals = {line()};
  const auto gated = support::judged(world_, terms_);
  EXPECT_EQ(support::rule_of(gated), "P3");
  EXPECT_EQ(gated.verdicts.front().arithmetic, "somebody said no");
  EXPECT_EQ(gated.code, ExitCode::NeedsApproval);
}

TEST_F(GateConsent, ItIsKnownWhoLetsAStepRunAndWhy) {
  const model::Step step = support::plan_of(world_).steps.front();
  const auto said = [&] { return consent_to(world_.desired, world_.observed, step, terms_); };
  EXPECT_FALSE(said());
  terms_.allowed = {word()};
  terms_.allowed.front().reason = "the rack is gone";
  ASSERT_TRUE(said());
  EXPECT_EQ(said()->by, "ann");
  EXPECT_EQ(said()->why, "the rack is gone");
  EXPECT_FALSE(said()->denied);
  terms_.allowed.push_back(word(true));
  EXPECT_TRUE(said()->denied);
  terms_.allowed.clear();
  world_.desired.approvals = {line()};
  EXPECT_EQ(said()->by, "ann");
}

TEST_F(GateConsent, ANoHoldsAlsoWhatNeedsNoYes) {
  world_.desired.protect.approve.clear();
  EXPECT_EQ(rule(), "");
  terms_.allowed = {word(true)};
  EXPECT_EQ(rule(), "P3");
  terms_.allowed.front().until = terms_.now;  // it has ended
  EXPECT_EQ(rule(), "");
}

TEST_F(GateConsent, AnApprovalInTheFileIsForItsClusterAndItsTimeAlone) {
  world_.desired.approvals = {line()};
  EXPECT_EQ(rule(), "");
  world_.desired.approvals.front().cluster = {0xbad};
  EXPECT_EQ(rule(), "P3");
  world_.desired.approvals = {line()};
  world_.desired.approvals.front().until = terms_.now;
  EXPECT_EQ(rule(), "P3");
  world_.desired.approvals = {line()};
  world_.desired.approvals.front().step = "remove/d@1234";  // of the same name, in an earlier life
  EXPECT_EQ(rule(), "P3");
}

TEST_F(GateConsent, AYesLiftsNoLimit) {
  terms_.allowed = {word()};
  world_.desired.protect.min_voters = 4;
  EXPECT_EQ(rule(), "P2");
}

TEST_F(GateConsent, TheFileThatWasCarriedOutLastJudgesTheNext) {
  world_.desired.protect = {};
  world_.desired.protect.approve.clear();
  model::Protect before;
  before.approve.clear();
  before.min_voters = 4;
  world_.observed.applied.get()->protect = before;
  EXPECT_EQ(rule(), "P2");
  before.min_voters = 1;
  before.approve = {model::StepClass::Destructive};
  world_.observed.applied.get()->protect = before;
  EXPECT_EQ(rule(), "P3");
  before.approve.clear();
  before.max_removals = 0;
  world_.observed.applied.get()->protect = before;
  const auto gated = support::judged(world_, terms_);
  ASSERT_TRUE(gated.whole);
  EXPECT_EQ(gated.whole->rule, "P1");
  EXPECT_EQ(gated.whole->arithmetic, "1 removals, protect.maxRemovals is 0");
  world_.observed.applied.get()->protect.reset();  // by a release that did not record it
  EXPECT_EQ(rule(), "");
}

TEST_F(GateConsent, P7AnAgentLeavesToPeopleWhatTheFileLeavesToThem) {
  world_.desired.protect.approve.clear();
  world_.desired.reconcile.apply = model::ApplyMode::Manual;
  EXPECT_EQ(rule(), "") << "quorate plan shows what a person may carry out";
  terms_.acting = true;
  const auto gated = support::judged(world_, terms_);
  EXPECT_EQ(support::rule_of(gated), "P7");
  EXPECT_EQ(gated.code, ExitCode::NeedsApproval);
  terms_.allowed = {word()};
  EXPECT_EQ(support::judged(world_, terms_).verdicts.front().ruling, Ruling::Go);
}

TEST_F(GateConsent, P7HealingIsNotLeftToPeople) {
  world_ = world_of({support::up(), support::up(), support::with(Health::Emptied)});
  world_.observed.applied.get()->members = {"a", "b", "c"};  // it comes back
  world_.desired.reconcile.apply = model::ApplyMode::Manual;
  terms_.acting = true;
  EXPECT_EQ(rule(), "");
}

// ------------------------------------------------------------------------------------------------------ A: adoption
TEST(GateAdoption, A1AnotherClusterIsNotPlannedFor) {
  auto world = world_of({support::up(), support::up(), support::unconfigured()});
  world.desired.adopt = model::Adopt{base::ClusterId{0x77}, {}, model::AdoptStage::Join};
  const auto gated = support::judged(world);
  EXPECT_TRUE(gated.plan.steps.empty());
  EXPECT_EQ(gated.code, ExitCode::Refused);
  EXPECT_FALSE(gated.applicable);
  ASSERT_NE(support::notice_of(gated.plan, "OtherCluster"), nullptr);
  EXPECT_THAT(support::notice_of(gated.plan, "OtherCluster")->text, HasSubstr("adopt.clusterId is 77"));
}

TEST(GateAdoption, A2WhileObservingNothingIsChanged) {
  auto world = world_of({support::up(), support::up(), support::unconfigured()});
  world.desired.adopt = adoption(model::AdoptStage::Observe);
  const auto gated = support::judged(world);
  EXPECT_EQ(support::rule_of(gated), "A2");
  EXPECT_EQ(gated.code, ExitCode::NeedsApproval);
}

TEST(GateAdoption, I03MembersJoinBeforeAnyOfTheOldOnesLeaves) {
  auto world = world_of({support::up(), support::up(), retired(), support::absent()});
  world.desired.rollout.soak = {};
  world.desired.adopt = adoption(model::AdoptStage::Join);
  const auto gated = support::judged(world);
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) {
    const bool leaves = std::holds_alternative<model::Remove>(gated.plan.steps[i].action);
    EXPECT_EQ(gated.verdicts[i].rule, leaves ? "A2" : "") << gated.plan.steps[i].id;
  }
  EXPECT_EQ(support::words_of(gated.plan).front(), "add-member d");
  world.desired.adopt->stage = model::AdoptStage::Retire;
  EXPECT_EQ(support::rule_of(support::judged(world)), "");
}

TEST(GateAdoption, I02NobodyJoinsWhileAMemberOfTheirsDoesNotAnswer) {
  auto world = world_of({support::up(), support::up(), support::with(Health::SilentSince), support::absent()});
  world.desired.members[2].managed = false;
  world.desired.adopt = adoption(model::AdoptStage::Join);
  const auto gated = support::judged(world);
  ASSERT_TRUE(gated.whole);
  EXPECT_EQ(gated.whole->rule, "A3");
  EXPECT_THAT(gated.whole->arithmetic, HasSubstr("c does not answer: connection refused"));
  EXPECT_EQ(gated.code, ExitCode::Refused);
  world.desired.adopt->stage = model::AdoptStage::Done;
  EXPECT_FALSE(support::judged(world).whole);
}

TEST(GateAdoption, I02NobodyJoinsWhileALearnerOfTheirsIsOnItsWay) {
  Slot learner = support::in_file(InFile::Never);
  learner.role = support::Role::Learner;
  auto world = world_of({support::up(), support::up(), learner, support::unconfigured()});
  world.desired.adopt = adoption(model::AdoptStage::Join);
  const auto gated = support::judged(world);
  ASSERT_TRUE(gated.whole);
  EXPECT_EQ(gated.whole->rule, "A3");
}

// ------------------------------------------------------------------------------------------------------- the answer
TEST(GateAnswer, APlanThatGoesIsDifferentAndEveryRuleHasBeenLookedAt) {
  const auto gated = support::judged(world_of({support::up(), support::up(), support::unconfigured()}));
  EXPECT_EQ(gated.code, ExitCode::Different);
  EXPECT_TRUE(gated.applicable);
  EXPECT_EQ(gated.verdicts.size(), gated.plan.steps.size());
  for (const model::Check& check : gated.checks) EXPECT_TRUE(check.passed) << check.id;
  EXPECT_GT(gated.checks.size(), 20u);
}

TEST(GateAnswer, WhatWasHandedInIsForReview) {
  const auto gated = support::judged(world_of({support::up(), support::up(), support::unconfigured()}),
                                     {support::world_time(), {}, false});
  EXPECT_FALSE(gated.applicable);
  EXPECT_EQ(gated.code, ExitCode::Different);
}

TEST(GateAnswer, BehindADenialThereIsNoRoad) {
  auto world = world_of({support::up(), support::up(), support::up(), retired(), retired()});
  world.desired.protect.min_voters = 5;
  const auto gated = support::judged(world);
  EXPECT_THAT(support::words_of(gated.plan), ElementsAre("remove d"));
  EXPECT_EQ(gated.verdicts.size(), 1u);
}

}  // namespace quorate
