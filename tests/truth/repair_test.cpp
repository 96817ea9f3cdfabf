// Members that are gone, emptied, or back with old data; a member for another; a database that is full.
#include "tests/truth/truth.h"

namespace quorate::truth {
namespace {

class Repair : public PlanTruth {
 protected:
  File file_of(const std::vector<std::string>& members) {
    Wording wording = this->wording();
    wording.more = "reconcile: {deadAfter: 1s}\n";
    return lab_.file(members, wording);
  }
};

TEST_P(Repair, C01_ADeadMemberIsReplaced) {
  const File file = file_of({"a", "b", "c"});
  lab_.form(file);
  lab_.lead("a");
  lab_.lose_node("c");
  expect_to_come_true(lab_, file, {"remove c", "add-member c", "write-manifest c join", "promote c"});
}

TEST_P(Repair, C02_AMemberWithALostDiskIsReplaced) {
  const File file = file_of({"a", "b", "c"});
  lab_.form(file);
  lab_.lead("a");
  lab_.wipe_disk("b");
  expect_to_come_true(lab_, file, {"remove b", "add-member b", "write-manifest b join", "promote b"});
}

TEST_P(Repair, C02_TheLeadersDiskIsLost) {
  const File file = file_of({"a", "b", "c"});
  lab_.form(file);
  lab_.lead("a");
  lab_.wipe_disk("a");
  expect_to_come_true(lab_, file, {"remove a", "add-member a", "write-manifest a join", "promote a"});
}

TEST_P(Repair, C08_ARemovedMemberThatIsStillWantedLeavesItsOldDataAndRejoins) {
  const File file = file_of({"a", "b", "c"});
  lab_.form(file);
  lab_.lead("a");
  lab_.remove("c");
  expect_to_come_true(lab_, file, {"set-data-aside c", "add-member c", "write-manifest c join", "promote c"});
}

TEST_P(Repair, C01_TwoDeadOfFiveAreReplaced) {
  const File file = file_of({"a", "b", "c", "d", "e"});
  lab_.form(file);
  lab_.lead("a");
  lab_.lose_node("d");
  lab_.lose_node("e");
  expect_to_come_true(lab_, file,
                      {"remove d", "remove e", "add-member d", "write-manifest d join", "promote d", "add-member e",
                       "write-manifest e join", "promote e"});
}

TEST_P(Repair, H13_AHealthyMemberGivesWayOnlyWhenAnotherHasTakenItsPlace) {
  lab_.form(file_of({"a", "b", "c"}));
  lab_.lead("c");
  expect_to_come_true(lab_, file_of({"a", "b", "d"}),
                      {"add-member d", "write-manifest d join", "promote d", "move-leader a", "remove c",
                       "remove-manifest c", "set-data-aside c"});
}

class Full : public PlanTruth {
 protected:
  static constexpr const char* kQuota = "quota: 16Mi";
  static constexpr int kOld = 5;       // MiB that a compaction sets free
  static constexpr int kNewer = 1010;  // revisions after them, more than a compaction leaves

  base::Result<std::int64_t> put(const std::string& value) {
    return lab_.etcd().put(lab_.client_url("a"), "filler", value, base::Duration{5000});
  }

  void fill() {
    const std::string mebibyte(1 << 20, 'x');
    for (int i = 0; i < kOld; ++i) ASSERT_TRUE(put(mebibyte));
    for (int i = 0; i < kNewer; ++i) {
      const auto small = put("x");
      ASSERT_TRUE(small) << small.error().message;
    }
    std::string refusal;
    for (int i = 0; i < 32 && refusal.empty(); ++i) {
      const auto more = put(mebibyte);
      if (!more) refusal = more.error().message;
    }
    ASSERT_NE(refusal.find("NOSPACE"), std::string::npos) << refusal;
  }
};

// The others are as full as the one that complained first, and would complain at their next write.
TEST_P(Full, D10_ADatabaseThatIsFullTakesWritesAgain) {
  Wording wording = this->wording();
  wording.etcd = kQuota;
  const File file = lab_.file({"a", "b", "c"}, wording);
  lab_.form(file);
  lab_.lead("a");
  fill();
  expect_to_come_true(lab_, file, {"compact lab", "defragment b", "defragment c", "defragment a", "disarm-alarm a"});
}

INSTANTIATE_TEST_SUITE_P(OnReal, Repair, both_releases(), name_of_release);
INSTANTIATE_TEST_SUITE_P(OnReal, Full, both_releases(), name_of_release);

}  // namespace
}  // namespace quorate::truth
