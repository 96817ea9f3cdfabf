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

TEST_P(Refusal, B07_TheLastMemberIsNeverRemoved) {
  const File before = lab_.file({"a"}, wording());
  lab_.form(before);
  Wording wording = this->wording();
  wording.more = "lost: [\"" + base::to_string(lab_.id_of("a")) + "\"]\n";
  const File file = lab_.file({"b"}, wording);
  // Its name left the file while the one that is to come cannot be reached by anybody yet.
  const model::Observed observed = lab_.look(before);
  ASSERT_TRUE(observed.membership);
  const model::Gated gated = preview(file, observed);
  EXPECT_EQ(std::count(outline(gated.plan).begin(), outline(gated.plan).end(), "remove a"), 0);
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

INSTANTIATE_TEST_SUITE_P(OnReal, Refusal, both_releases(), name_of_release);

}  // namespace
}  // namespace quorate::truth
