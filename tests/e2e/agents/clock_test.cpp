// Nodes whose clocks are wrong: what agents do to each other goes by how much time passes, not by the time of day.
#include <gmock/gmock.h>

#include "tests/e2e/agents/stored.h"

namespace quorate::e2e {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// One agent of three is an hour ahead, and one an hour behind.
class Clocks : public StoredTest {
 protected:
  void start(const std::string& member) {
    const std::string seconds = member == "b" ? "3600" : member == "c" ? "-3600" : "0";
    fleet_.give_variables({"LD_PRELOAD=" QUORATE_SHIFT, "SHIFT_CLOCK=" + seconds});
    fleet_.start(member);
    fleet_.give_variables({});
  }
  void form(const Wording& wording) {
    fleet_.want(kAll, wording);
    for (const std::string& member : kAll) start(member);
    ASSERT_TRUE(fleet_.become_voters(kAll, kFormed));
    for (const std::string& member : kAll) ASSERT_TRUE(fleet_.settle(member));
  }
  Wording patient() const {
    Wording wording = stored();
    wording.reconcile = "deadAfter: 30m, every: 2s, maxHealsPerDay: 100";
    return wording;
  }

  const Names kAll{"a", "b", "c"};
};

// Half an hour of silence is death, and the clocks are further apart than that.
TEST_P(Clocks, C02_C05_WhoIsSilentIsNotDeadTheSoonerAndWhoIsEmptiedIsReplaced) {
  ASSERT_NO_FATAL_FAILURE(form(patient()));
  std::size_t removed = 0;
  for (const auto& [leader, other] : {std::pair{"b", "c"}, std::pair{"c", "b"}}) {
    fleet_.lead(leader);
    const base::MemberId before = fleet_.id_of(other);
    fleet_.kill(other);
    fleet_.kill_etcd(other);
    EXPECT_TRUE(stays([&] { return fleet_.steps_begun("remove/").size() == removed; }));
    start(other);
    ASSERT_TRUE(fleet_.become_voters(kAll));
    EXPECT_EQ(fleet_.id_of(other), before);
    fleet_.lose_disks({other});
    ASSERT_TRUE(Fleet::eventually([&] { return fleet_.are_voters(kAll) && fleet_.id_of(other) != before; }));
    EXPECT_THAT(fleet_.steps_done("remove/"), SizeIs(++removed));
  }
  expect_one_content(fleet_, kAll);
}

TEST_P(Clocks, E01_E05_EveryLeaderBacksUpBeforeChangesAndNobodyBacksUpWithoutEnd) {
  ASSERT_NO_FATAL_FAILURE(form(stored()));
  ASSERT_TRUE(Fleet::eventually([&] { return !backups().empty(); })) << "the first one by the schedule";
  Names members = kAll;
  for (const auto& [leader, newcomer] : {std::pair{"b", "d"}, std::pair{"c", "e"}}) {
    fleet_.lead(leader);
    ASSERT_TRUE(fleet_.put("key", newcomer));
    members.push_back(newcomer);
    fleet_.want(members, stored());
    start(newcomer);
    ASSERT_TRUE(fleet_.become_voters(members));
  }
  ASSERT_TRUE(fleet_.settle("c"));
  const Names now = backups();
  EXPECT_TRUE(stays([&] { return backups() == now; }));
}

// What everybody has to promise is fresh by the clock of whoever asks.
TEST_P(Clocks, C12_WhatSurvivesOnANodeAnHourAheadIsGoneOnWith) {
  ASSERT_NO_FATAL_FAILURE(form(patient()));
  ASSERT_TRUE(fleet_.put("key", "value"));
  const base::ClusterId before = fleet_.cluster_of("b");
  fleet_.lose_disks({"a", "c"});
  Wording wording = patient();
  wording.more += "generation: 2\nrecovery: {survivor: b}\n";
  fleet_.want(kAll, wording);
  ASSERT_TRUE(fleet_.become_voters(kAll, kRecovered));
  EXPECT_NE(fleet_.cluster_of("b"), before);
  EXPECT_EQ(fleet_.get("key"), "value");
  expect_one_content(fleet_, kAll);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Clocks, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
