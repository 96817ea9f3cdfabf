// Members that are gone, emptied, or back with old data; a member for another; a database that is full.
#include <algorithm>
#include <atomic>
#include <thread>

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
  // A compaction frees its space in batches of a thousand revisions, and the last of them shows only after more writes.
  static constexpr int kOld = 4000;    // revisions of 4 KiB that a compaction sets free
  static constexpr int kNewer = 1010;  // revisions after them, more than a compaction leaves

  base::Result<std::int64_t> put(const std::string& member, const std::string& value) {
    return lab_.etcd().put(lab_.client_url(member), "filler", value, base::Duration{5000});
  }

  void put_often(int times, const std::string& value) {
    constexpr int kAtOnce = 16;
    std::vector<std::thread> hands;
    std::atomic<int> refused = 0;
    for (int hand = 0; hand < kAtOnce; ++hand) {
      hands.emplace_back([&] {
        for (int i = 0; i < times / kAtOnce + 1; ++i) refused += put("a", value) ? 0 : 1;
      });
    }
    for (std::thread& hand : hands) hand.join();
    ASSERT_EQ(refused, 0);
  }

  // Until those who complain are always the same: each member does so for itself, when a write through it finds no
  // room. Says who they are.
  std::vector<std::string> fill_up() {
    constexpr int kRounds = 10;
    std::vector<model::Alarm> alarms;
    int unchanged = 0;
    const bool settled = lab_.eventually(
        [&] {
          for (const char* member : {"a", "b", "c"}) {
            (void)put(member, std::string(alarms.empty() ? 64 << 10 : 1, 'x'));
          }
          const auto now = lab_.etcd().alarms(lab_.client_url("a"), base::Duration{1000});
          unchanged = now && !now->empty() && *now == alarms ? unchanged + 1 : 0;
          if (now) alarms = *now;
          return unchanged == kRounds;
        },
        base::Duration{40000});
    EXPECT_TRUE(settled);
    std::vector<std::string> names;
    for (const char* member : {"a", "b", "c"}) {
      const model::Alarm alarm{lab_.id_of(member), model::AlarmKind::NoSpace};
      if (std::find(alarms.begin(), alarms.end(), alarm) != alarms.end()) names.emplace_back(member);
    }
    return names;
  }
};

// The others are as full as those who have complained, and would complain at their next write.
TEST_P(Full, D10_ADatabaseThatIsFullTakesWritesAgain) {
  Wording wording = this->wording();
  wording.etcd = "quota: 32Mi";
  const File file = lab_.file({"a", "b", "c"}, wording);
  lab_.form(file);
  lab_.lead("a");
  ASSERT_NO_FATAL_FAILURE(put_often(kOld, std::string(4096, 'x')));
  ASSERT_NO_FATAL_FAILURE(put_often(kNewer, "x"));
  Outline expected{"compact lab", "defragment b", "defragment c", "defragment a"};
  for (const std::string& member : fill_up()) expected.push_back("disarm-alarm " + member);
  expect_to_come_true(lab_, file, expected);
}

INSTANTIATE_TEST_SUITE_P(OnReal, Repair, both_releases(), name_of_release);
INSTANTIATE_TEST_SUITE_P(OnReal, Full, both_releases(), name_of_release);

}  // namespace
}  // namespace quorate::truth
