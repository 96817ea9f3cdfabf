// Forming, growing, shrinking and half-finished joins.
#include <algorithm>

#include "tests/truth/truth.h"

namespace quorate::truth {
namespace {

class Forming : public PlanTruth {};
class Growing : public PlanTruth {};
class Shrinking : public PlanTruth {};

TEST_P(Forming, A01_OneMemberBecomesACluster) {
  Wording wording = this->wording();
  wording.more = "bootstrap: {ifNoCluster: new}\n";
  expect_to_come_true(lab_, lab_.file({"a"}, wording), {"promise a", "write-manifest a new"});
}

TEST_P(Forming, A02_ThreeMembersBecomeOneCluster) {
  Wording wording = this->wording();
  wording.more = "bootstrap: {ifNoCluster: new}\n";
  expect_to_come_true(
      lab_, lab_.file({"a", "b", "c"}, wording),
      {"promise a", "promise b", "promise c", "write-manifest a new", "write-manifest b new", "write-manifest c new"});
}

// Two of three are a quorum: the cluster answers before its last founder has started, who is no member to be replaced.
TEST_P(Forming, A02_AFormationThatStoppedBeforeTheLastFounderGoesOn) {
  Wording wording = this->wording();
  wording.more = "bootstrap: {ifNoCluster: new}\n";
  const File file = lab_.file({"a", "b", "c"}, wording);
  const model::Plan plan = preview(file, lab_.look(file)).plan;
  ASSERT_EQ(plan.steps.size(), 6U);
  for (std::size_t i = 0; i < 5; ++i) ASSERT_TRUE(lab_.carry_out(plan.steps[i], file));
  ASSERT_TRUE(lab_.eventually([&] { return model::quorum_of(lab_.look(file)) == model::Quorum{3, 2}; }, kSettled));
  expect_to_come_true(lab_, file, {"write-manifest c new"});
}

TEST_P(Growing, B01_OneBecomesThree) {
  lab_.form(lab_.file({"a"}, wording()));
  expect_to_come_true(
      lab_, lab_.file({"a", "b", "c"}, wording()),
      {"add-member b", "write-manifest b join", "promote b", "add-member c", "write-manifest c join", "promote c"});
}

TEST_P(Growing, B02_ThreeBecomeFive) {
  lab_.form(lab_.file({"a", "b", "c"}, wording()));
  expect_to_come_true(
      lab_, lab_.file({"a", "b", "c", "d", "e"}, wording()),
      {"add-member d", "write-manifest d join", "promote d", "add-member e", "write-manifest e join", "promote e"});
}

TEST_P(Growing, B11_B12_ALearnerThatWasAddedAndNotStartedIsStartedAndPromoted) {
  lab_.form(lab_.file({"a"}, wording()));
  const auto added = lab_.etcd().add_learner(lab_.client_url("a"), {lab_.peer_url("b")}, base::Duration{5000});
  ASSERT_TRUE(added) << added.error().message;
  expect_to_come_true(lab_, lab_.file({"a", "b"}, wording()), {"write-manifest b join", "promote b"});
}

// The answer was lost: whoever asked plans again, and the plan goes on with what is there.
TEST_P(Growing, B13_WhatWasAddedWithoutAnAnswerIsNotAddedTwice) {
  const File file = lab_.file({"a", "b"}, wording());
  lab_.form(lab_.file({"a"}, wording()));
  const model::Gated before = preview(file, lab_.look(file));
  ASSERT_EQ(outline(before.plan), (Outline{"add-member b", "write-manifest b join", "promote b"}));
  ASSERT_TRUE(lab_.carry_out(before.plan.steps.front(), file));
  const auto again = lab_.etcd().add_learner(lab_.client_url("a"), {lab_.peer_url("b")}, base::Duration{5000});
  EXPECT_FALSE(again) << "etcd has it twice";
  expect_to_come_true(lab_, file, {"write-manifest b join", "promote b"});
}

TEST_P(Growing, B09_AMemberThatNoFileListsStays) {
  const File file = lab_.file({"a", "b"}, wording());
  lab_.form(lab_.file({"a", "b", "f"}, wording()));
  lab_.disown("f");
  const model::Gated gated = preview(file, lab_.look(file));
  EXPECT_EQ(outline(gated.plan), Outline{});
  EXPECT_TRUE(std::any_of(gated.plan.notices.begin(), gated.plan.notices.end(),
                          [](const model::Notice& notice) { return notice.code == "UnexpectedMember"; }));
}

TEST_P(Shrinking, B03_B06_B15_FiveBecomeThreeAndTheLeaderAmongThoseWhoGoMovesFirst) {
  lab_.form(lab_.file({"a", "b", "c", "d", "e"}, wording()));
  lab_.lead("d");
  expect_to_come_true(lab_, lab_.file({"a", "b", "c"}, wording()),
                      {"remove e", "remove-manifest e", "set-data-aside e", "move-leader a", "remove d",
                       "remove-manifest d", "set-data-aside d"});
}

TEST_P(Shrinking, B04_ThreeBecomeOne) {
  lab_.form(lab_.file({"a", "b", "c"}, wording()));
  lab_.lead("a");
  // Those who are in no file any more stand in the order of their IDs.
  std::string first = "b";
  std::string second = "c";
  if (lab_.id_of(second) < lab_.id_of(first)) std::swap(first, second);
  expect_to_come_true(lab_, lab_.file({"a"}, wording()),
                      {"remove " + first, "remove-manifest " + first, "set-data-aside " + first, "remove " + second,
                       "remove-manifest " + second, "set-data-aside " + second});
}

TEST_P(Shrinking, B05_TheMemberThatIsToRetireGoesAndNoOther) {
  lab_.form(lab_.file({"a", "b", "c"}, wording()));
  lab_.lead("a");
  Wording wording = this->wording();
  wording.member = {{"b", "retire: true"}};
  expect_to_come_true(lab_, lab_.file({"a", "b", "c"}, wording), {"remove b", "remove-manifest b", "set-data-aside b"});
}

INSTANTIATE_TEST_SUITE_P(OnReal, Forming, both_releases(), name_of_release);
INSTANTIATE_TEST_SUITE_P(OnReal, Growing, all_releases(), name_of_release);
INSTANTIATE_TEST_SUITE_P(OnReal, Shrinking, both_releases(), name_of_release);

}  // namespace
}  // namespace quorate::truth
