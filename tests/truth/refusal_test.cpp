// What the gate refuses, and that real etcd would have suffered, or refuses it too.
#include <algorithm>

#include "tests/truth/truth.h"

namespace quorate::truth {
namespace {

class Refusal : public PlanTruth {};

TEST_P(Refusal, B08_ARemovalThatWouldCostQuorumIsRefusedByTheGateAndByEtcd) {
  lab_.form(lab_.file({"a", "b", "c"}, wording()));
  lab_.lead("a");
  const base::MemberId b = lab_.id_of("b");
  lab_.kill("c");
  Wording wording = this->wording();
  wording.member = {{"b", "retire: true"}};
  const File file = lab_.file({"a", "b", "c"}, wording);
  model::Gated gated;
  ASSERT_TRUE(lab_.eventually(
      [&] {
        gated = preview(file, lab_.look(file));
        return outline(gated.plan) == Outline{"remove b"};
      },
      kSettled))
      << testing::PrintToString(outline(gated.plan)) << lab_.log();
  EXPECT_EQ(gated.verdicts.front().ruling, model::Ruling::Deny);
  EXPECT_EQ(gated.verdicts.front().rule, "Q1") << gated.verdicts.front().arithmetic;
  EXPECT_EQ(gated.code, model::ExitCode::Refused);

  const auto removed = lab_.etcd().remove(lab_.client_url("a"), b, base::Duration{5000});
  ASSERT_FALSE(removed) << "etcd removes it";
  EXPECT_EQ(removed.error().kind, base::ErrorKind::Conflict) << removed.error().message;
  EXPECT_EQ(model::quorum_of(lab_.look(file)), (model::Quorum{3, 2}));
}

TEST_P(Refusal, B07_TheLastMemberIsNeverRemovedEvenIfAPlanSaidSo) {
  const File file = lab_.file({"a"}, wording());
  lab_.form(file);
  const model::Observed observed = lab_.look(file);
  model::Plan plan = preview(file, observed).plan;
  ASSERT_EQ(outline(plan), Outline{});
  model::Step step;
  step.action = model::Remove{"a", lab_.id_of("a")};
  step.step_class = model::StepClass::Destructive;
  plan.steps.push_back(step);
  const model::Gated gated = gate::judge(plan, file.desired, observed, {observed.at, {}, true});
  ASSERT_EQ(gated.verdicts.size(), 1U);
  EXPECT_EQ(gated.verdicts.front().ruling, model::Ruling::Deny);
  EXPECT_EQ(gated.verdicts.front().rule, "Q4");
  EXPECT_EQ(gated.code, model::ExitCode::Refused);
}

TEST_P(Refusal, C12_WithoutAMajorityThereAreNoSteps) {
  const File file = lab_.file({"a", "b", "c"}, wording());
  lab_.form(file);
  lab_.lead("a");
  lab_.kill("b");
  lab_.kill("c");
  const model::Gated gated = preview(file, lab_.look(file));
  EXPECT_EQ(outline(gated.plan), Outline{});
  EXPECT_EQ(gated.code, model::ExitCode::Unknown);
  EXPECT_FALSE(gated.applicable);
}

// Two of three disks are gone for good: still no step, and a person is asked.
TEST_P(Refusal, C12_AMajorityThatIsLostForGoodIsForPeople) {
  const File file = lab_.file({"a", "b", "c"}, wording());
  lab_.form(file);
  lab_.lead("a");
  lab_.wipe_disk("b");
  lab_.wipe_disk("c");
  const model::Gated gated = preview(file, lab_.look(file));
  EXPECT_EQ(outline(gated.plan), Outline{});
  EXPECT_TRUE(gated.code == model::ExitCode::Refused || gated.code == model::ExitCode::Unknown);
  EXPECT_FALSE(gated.applicable);
}

TEST_P(Refusal, B07_TheOnlyMemberGoesWhenAnotherHasTakenItsPlace) {
  lab_.form(lab_.file({"a"}, wording()));
  expect_to_come_true(lab_, lab_.file({"b"}, wording()),
                      {"add-member b", "write-manifest b join", "promote b", "move-leader b", "remove a",
                       "remove-manifest a", "set-data-aside a"});
}

INSTANTIATE_TEST_SUITE_P(OnReal, Refusal, both_releases(), name_of_release);

}  // namespace
}  // namespace quorate::truth
