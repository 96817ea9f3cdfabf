// Changes of members that stay: configuration, version, addresses.
#include "tests/truth/truth.h"

namespace quorate::truth {
namespace {

class Rollout : public PlanTruth {};
class Upgrade : public PlanTruth {};

TEST_P(Rollout, H10_AChangedQuotaReachesEveryMemberAndTheLeaderLast) {
  lab_.form(lab_.file({"a", "b", "c"}, wording()));
  lab_.lead("a");
  Wording wording = this->wording();
  wording.etcd = "quota: 1Gi";
  expect_to_come_true(lab_, lab_.file({"a", "b", "c"}, wording),
                      {"write-manifest b", "write-manifest c", "move-leader b", "write-manifest a"});
}

TEST_P(Rollout, H12_AMemberAloneIsRestartedAndThePlanSaysThatWritesStop) {
  lab_.form(lab_.file({"a"}, wording()));
  Wording wording = this->wording();
  wording.etcd = "quota: 1Gi";
  const File file = lab_.file({"a"}, wording);
  const model::Gated gated = preview(file, lab_.look(file));
  ASSERT_EQ(gated.plan.steps.size(), 1U);
  EXPECT_EQ(gated.plan.steps.front().risk, model::Risk::Critical);
  expect_to_come_true(lab_, file, {"write-manifest a"});
}

TEST_P(Rollout, H11_AMemberMovesToAnotherPort) {
  lab_.form(lab_.file({"a", "b", "c"}, wording()));
  lab_.lead("a");
  Wording wording = this->wording();
  wording.member = {{"b", "peerURLs: [\"" + lab_.other_peer_url("b") + "\"]"}};
  expect_to_come_true(lab_, lab_.file({"a", "b", "c"}, wording), {"update-peer-urls b", "write-manifest b"});
}

TEST_P(Rollout, H11_TheLeaderMovesToAnotherPort) {
  lab_.form(lab_.file({"a", "b", "c"}, wording()));
  lab_.lead("b");
  Wording wording = this->wording();
  wording.member = {{"b", "peerURLs: [\"" + lab_.other_peer_url("b") + "\"]"}};
  expect_to_come_true(lab_, lab_.file({"a", "b", "c"}, wording),
                      {"update-peer-urls b", "move-leader a", "write-manifest b"});
}

// The parameter is the release that is left.
TEST_P(Upgrade, G01_GoesFromMemberToMember) {
  lab_.form(lab_.file({"a", "b", "c"}, wording()));
  lab_.lead("a");
  Wording wording = this->wording();
  wording.release = release() == "3.4.23" ? "3.5.16" : newest_release();
  if (wording.release.empty()) GTEST_SKIP() << "NOT TESTED: " << kNoNewest;
  expect_to_come_true(lab_, lab_.file({"a", "b", "c"}, wording),
                      {"write-manifest b", "write-manifest c", "move-leader b", "write-manifest a"});
}

INSTANTIATE_TEST_SUITE_P(OnReal, Rollout, both_releases(), name_of_release);
INSTANTIATE_TEST_SUITE_P(From, Upgrade, both_releases(), name_of_release);

}  // namespace
}  // namespace quorate::truth
