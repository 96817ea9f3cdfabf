// The numbers of a plan, by the rules of the command line's contract.
#include "reconciler/model/plan_summary.h"

#include <utility>

#include <gtest/gtest.h>

namespace quorate::model {
namespace {

Step step(Action action, Quorum before, Quorum after, Risk risk = Risk::None) {
  Step step;
  step.action = std::move(action);
  step.before = before;
  step.after = after;
  step.risk = risk;
  return step;
}

Verdict verdict(Ruling ruling, ExitCode code) {
  Verdict verdict;
  verdict.ruling = ruling;
  verdict.code = code;
  return verdict;
}

// The plan of cli.md that replaces a dead member.
Gated replacing() {
  Gated gated;
  gated.plan.status = PlanStatus::Actionable;
  gated.plan.now = {3, 2};
  gated.plan.steps = {
      step(Backup{"prod"}, {3, 2}, {3, 2}),
      step(Remove{"etcd-c", {3}, false}, {3, 2}, {2, 2}, Risk::Medium),
      step(AddMember{"etcd-c", {}, ""}, {2, 2}, {2, 2}, Risk::Low),
      step(WriteManifest{"etcd-c", "d", BootMode::Join, ""}, {2, 2}, {2, 2}),
      step(Promote{"etcd-c", {}, {}}, {2, 2}, {3, 3}, Risk::Low),
  };
  gated.verdicts.resize(gated.plan.steps.size());
  return gated;
}

}  // namespace

TEST(PlanSummary, CountsStepsByWhatTheyDoToMembers) {
  const Summary sum = summarise(replacing());
  EXPECT_EQ(sum.add, 1);
  EXPECT_EQ(sum.remove, 1);
  EXPECT_EQ(sum.actions, 3);
  EXPECT_EQ(sum.change, 0);
  EXPECT_EQ(sum.replace, 0);
  EXPECT_EQ(sum.risk, Risk::Medium);
}

TEST(PlanSummary, AManifestCountsByHowItBoots) {
  Gated gated;
  gated.plan.steps = {step(WriteManifest{"a", "d", BootMode::New, ""}, {}, {}),
                      step(WriteManifest{"a", "d", BootMode::Join, ""}, {}, {}),
                      step(WriteManifest{"a", "d", BootMode::Keep, ""}, {}, {}),
                      step(UpdatePeerUrls{"a", {1}, {}}, {}, {}), step(Remove{"a", {1}, true}, {}, {})};
  const Summary sum = summarise(gated);
  EXPECT_EQ(sum.add, 1);
  EXPECT_EQ(sum.actions, 1);
  EXPECT_EQ(sum.change, 2);
  EXPECT_EQ(sum.replace, 1);
  EXPECT_EQ(sum.remove, 0);
}

TEST(PlanSummary, TheWorstMomentIsTheOneThatCanLoseLeast) {
  const Summary sum = summarise(replacing());
  EXPECT_EQ(sum.worst.can_lose(), 0);
  EXPECT_EQ(sum.after, (Quorum{3, 3}));
  Gated gated;
  gated.plan.steps = {step(Backup{"prod"}, {5, 5}, {5, 5}), step(Remove{"a", {1}, false}, {5, 5}, {4, 4}),
                      step(Remove{"b", {2}, false}, {4, 4}, {3, 3})};
  EXPECT_EQ(summarise(gated).worst, (Quorum{3, 3})) << "of equals the one with fewer members up";
}

TEST(PlanSummary, WithoutStepsItIsWhatIsNow) {
  Gated gated;
  gated.plan.now = {3, 3};
  EXPECT_EQ(summarise(gated).worst, (Quorum{3, 3}));
  EXPECT_EQ(summarise(gated).after, (Quorum{3, 3}));
  EXPECT_TRUE(is_complete(gated));
}

TEST(PlanSummary, CountsWhatIsBlockedAndWhoHasToBeAsked) {
  Gated gated = replacing();
  gated.verdicts[1] = verdict(Ruling::Hold, ExitCode::NeedsApproval);
  gated.verdicts[2] = verdict(Ruling::Deny, ExitCode::Refused);
  gated.verdicts[3] = verdict(Ruling::Hold, ExitCode::NeedsApproval);
  gated.verdicts[3].until = base::Time{base::Duration{1}};
  EXPECT_EQ(summarise(gated).blocked, 3);
  EXPECT_EQ(summarise(gated).approvals, 1) << "what ends by itself asks nobody";
  EXPECT_FALSE(is_complete(gated));
}

TEST(PlanSummary, IsCompleteOnlyWhenEveryStepMayRun) {
  Gated gated = replacing();
  EXPECT_TRUE(is_complete(gated));
  gated.verdicts.pop_back();
  EXPECT_FALSE(is_complete(gated)) << "a step was not judged";
  gated = replacing();
  gated.whole = verdict(Ruling::Deny, ExitCode::Unknown);
  EXPECT_FALSE(is_complete(gated));
  gated = replacing();
  gated.plan.status = PlanStatus::NeedsHuman;
  EXPECT_FALSE(is_complete(gated));
}

}  // namespace quorate::model
