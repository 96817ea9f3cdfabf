// What is dead is replaced, what may live is left alone, and without a quorum nothing is destroyed.
#include <algorithm>
#include <filesystem>

#include <signal.h>

#include "tests/e2e/agents/fleet.h"
#include "tests/e2e/agents/squatter.h"

namespace quorate::e2e {
namespace {

class Repair : public AgentsTest {
 protected:
  std::vector<base::MemberId> ids(const Names& members) {
    std::vector<base::MemberId> ids;
    for (const std::string& member : members) ids.push_back(fleet_.id_of(member));
    return ids;
  }
  bool lists_a_learner() {
    const auto list = fleet_.list();
    return list &&
           std::any_of(list->members.begin(), list->members.end(), [](const auto& each) { return each.learner; });
  }
  // It would start on its own data only: the configuration names no other member.
  bool says_keep(const std::string& member) {
    return std::filesystem::exists(fleet_.config(member)) &&
           integration::read_file(fleet_.config(member)).find("a=http") == std::string::npos;
  }
  int removals() { return static_cast<int>(fleet_.steps_done("remove/").size()); }
  // The agent is held while its member dies, so that it does not start it again in between.
  void kill_and_wipe(const std::string& member) {
    fleet_.pause(member);
    fleet_.kill_etcd(member);
    fleet_.wipe(member);
    fleet_.resume(member);
  }
};

TEST_P(Repair, C01_ANodeThatIsGoneIsReplacedWhenItComesBackEmpty) {
  fleet_.form({"a", "b", "c"});
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  const auto before = ids({"a", "b", "c"});
  fleet_.lose_node("c");
  ASSERT_TRUE(Fleet::eventually([&] {
    const auto list = fleet_.list();
    return list && std::none_of(list->members.begin(), list->members.end(),
                                [&](const auto& each) { return each.id == before[2]; });
  }));
  fleet_.start("c");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  const auto after = ids({"a", "b", "c"});
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[1], before[1]);
  EXPECT_EQ(removals(), 1);
  expect_nothing_lost(fleet_, writer);
}

TEST_P(Repair, C02_OneEmptiedDiskOfThreeIsFilledAgain) {
  fleet_.form({"a", "b", "c"});
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  const auto before = ids({"a", "b", "c"});
  kill_and_wipe("b");
  ASSERT_TRUE(Fleet::eventually([&] { return removals() == 1 && fleet_.are_voters({"a", "b", "c"}); }));
  EXPECT_TRUE(fleet_.settle("a"));
  EXPECT_NE(fleet_.id_of("b"), before[1]);
  EXPECT_EQ(fleet_.id_of("a"), before[0]);
  EXPECT_EQ(removals(), 1);
  EXPECT_LE(fleet_.steps_begun("add-member/b").size(), 4u) << "etcd refuses it four times a second";
  expect_nothing_lost(fleet_, writer);
}

TEST_P(Repair, C02_ADiskThatIsEmptiedUnderARunningMemberIsFilledAgain) {
  fleet_.form({"a", "b", "c"});
  const auto before = ids({"a", "b", "c"});
  fleet_.wipe("c");
  ASSERT_TRUE(Fleet::eventually([&] { return removals() == 1 && fleet_.are_voters({"a", "b", "c"}); }));
  EXPECT_NE(fleet_.id_of("c"), before[2]);
}

TEST_P(Repair, C02_C12_TwoEmptiedDisksOfThreeStopAndAsk) {
  fleet_.form({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("k", "v"));
  const base::MemberId survivor = fleet_.id_of("a");
  fleet_.pause("b");
  fleet_.pause("c");
  for (const char* member : {"b", "c"}) {
    fleet_.kill_etcd(member);
    fleet_.wipe(member);
  }
  fleet_.resume("b");
  fleet_.resume("c");
  EXPECT_TRUE(fleet_.plans("a", "NeedsHuman", "quorum is lost for good"));
  EXPECT_TRUE(fleet_.plans("b", "NeedsHuman", "quorum is lost for good"));
  EXPECT_TRUE(stays([&] { return removals() == 0 && fleet_.etcd_pid("b") == 0 && fleet_.etcd_pid("c") == 0; }));
  EXPECT_TRUE(fleet_.set_aside("a").empty());
  EXPECT_EQ(fleet_.id_of("a"), survivor);
  const auto there =
      fleet_.etcd().get(fleet_.client_url("a"), "k", ports::Consistency::Serializable, base::Duration{1000});
  ASSERT_TRUE(there && *there);
  EXPECT_EQ((*there)->value, "v");
}

TEST_P(Repair, C04_AMemberThatServesIsLeftAloneHoweverLongItsAgentIsSilent) {
  fleet_.form({"a", "b", "c"});
  fleet_.kill("c");
  EXPECT_TRUE(stays([&] { return fleet_.are_voters({"a", "b", "c"}); }));
  EXPECT_EQ(removals(), 0);
}

TEST_P(Repair, C05_ASilentMemberIsWaitedFor) {
  Wording wording;
  wording.reconcile = "deadAfter: 10s, every: 1s";
  fleet_.form({"a", "b", "c"}, wording);
  const auto begin = std::chrono::steady_clock::now();
  fleet_.kill("c");
  fleet_.kill_etcd("c");
  ASSERT_TRUE(Fleet::eventually([&] { return removals() == 1; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, Seconds(10));
  fleet_.start("c");  // its data are of a member that is no more
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.set_aside("c").size(), 1U);
}

TEST_P(Repair, C05_AMemberThatIsBackInTimeIsNotReplaced) {
  Wording wording;
  wording.reconcile = "deadAfter: 1m, every: 1s";
  fleet_.form({"a", "b", "c"}, wording);
  const auto before = ids({"a", "b", "c"});
  fleet_.kill("c");
  fleet_.kill_etcd("c");
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.plan("a").dump().find("remove/c") != std::string::npos; }))
      << fleet_.plan("a").dump(1);
  fleet_.start("c");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(ids({"a", "b", "c"}), before);
}

TEST_P(Repair, C07_APortThatSomebodyElseHoldsIsToldAndWaitedFor) {
  fleet_.form({"a", "b", "c"});
  const auto before = ids({"a", "b", "c"});
  fleet_.pause("c");
  fleet_.kill_etcd("c");
  {
    std::unique_ptr<Squatter> squatter;
    ASSERT_TRUE(Fleet::eventually([&] {
      squatter = std::make_unique<Squatter>(fleet_.address("c"), fleet_.client_port());
      return squatter->good();
    }));
    fleet_.resume("c");
    ASSERT_TRUE(fleet_.agent_said("c", "address already in use"));
    EXPECT_TRUE(stays([&] { return removals() == 0; }));
    EXPECT_TRUE(fleet_.set_aside("c").empty());
  }
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(ids({"a", "b", "c"}), before);
}

TEST_P(Repair, C07_AFlagThatEtcdRefusesStopsAtTheFirstMemberAndTheNextEditRepairsIt) {
  fleet_.form({"a", "b", "c"});
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  const auto before = ids({"a", "b", "c"});
  Wording bad;
  bad.etcd = "flags: {log-outputs: /no/such/folder/etcd.log}";
  fleet_.want({"a", "b", "c"}, bad);
  ASSERT_TRUE(Fleet::eventually([&] { return !fleet_.steps_done("write-manifest/").empty(); }));
  EXPECT_TRUE(stays([&] { return !fleet_.serving().empty() && removals() == 0; }));
  int running = 0;
  for (const char* member : {"a", "b", "c"}) running += fleet_.cluster_of(member).value != 0 ? 1 : 0;
  EXPECT_EQ(running, 2);
  fleet_.want({"a", "b", "c"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_TRUE(fleet_.settle("b"));
  EXPECT_EQ(ids({"a", "b", "c"}), before);
  expect_nothing_lost(fleet_, writer);
}

TEST_P(Repair, C08_AMemberThatSomebodyRemovedComesBackBecauseTheFileListsIt) {
  fleet_.form({"a", "b", "c"});
  const base::MemberId removed = fleet_.id_of("c");
  const std::string by = fleet_.leader() == "c" ? "a" : fleet_.leader();
  ASSERT_TRUE(Fleet::eventually([&] {
    return fleet_.etcd().remove(fleet_.client_url(by), removed, base::Duration{2000}).has_value() ||
           fleet_.list()->members.size() == 2;
  }));
  ASSERT_TRUE(Fleet::eventually([&] {
    const base::MemberId now = fleet_.id_of("c");
    return now.value != 0 && now != removed && fleet_.are_voters({"a", "b", "c"});
  }));
  EXPECT_EQ(fleet_.set_aside("c").size(), 1U);
}

TEST_P(Repair, C12_WithoutAMajorityNothingIsRemoved) {
  fleet_.form({"a", "b", "c"});
  const auto before = ids({"a", "b", "c"});
  for (const char* member : {"b", "c"}) {
    fleet_.kill(member);
    fleet_.kill_etcd(member);
  }
  EXPECT_TRUE(fleet_.plans("a", "NeedsObservation", "1 of 3 voters answered"));
  EXPECT_TRUE(stays([&] { return fleet_.steps_done().size() == 6; }));
  fleet_.start(Names{"b", "c"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(ids({"a", "b", "c"}), before);
}

TEST_P(Repair, C09_C13_D01_AllAreKilledAndComeBackWithWhatTheyHad) {
  fleet_.form({"a", "b", "c"});
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  const auto before = ids({"a", "b", "c"});
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 5; }));
  for (const char* member : {"a", "b", "c"}) fleet_.kill_etcd(member);
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(ids({"a", "b", "c"}), before);
  EXPECT_EQ(removals(), 0);
  expect_nothing_lost(fleet_, writer);
}

TEST_P(Repair, D02_D03_TwoOfThreeServeWhatWasWritten) {
  fleet_.form({"a", "b", "c"});
  fleet_.lead("a");
  ASSERT_TRUE(fleet_.etcd().put(fleet_.client_url("a"), "k", "v", base::Duration{2000}));
  fleet_.kill({"a", "b", "c"});
  fleet_.kill_etcd("a");
  for (const auto how : {ports::Consistency::Linearizable, ports::Consistency::Serializable}) {
    ASSERT_TRUE(Fleet::eventually([&] {
      const auto there = fleet_.etcd().get(fleet_.client_url("c"), "k", how, base::Duration{1000});
      return there && *there && (*there)->value == "v";
    }));
  }
  fleet_.kill_etcd("b");
  fleet_.kill_etcd("c");
  fleet_.start(Names{"b", "c"});
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.get("k") == "v"; }));
}

TEST_P(Repair, AHungMemberIsNotRemovedWhileItsProcessIsThere) {
  fleet_.form({"a", "b", "c"});
  const auto before = ids({"a", "b", "c"});
  fleet_.signal_etcd("c", SIGSTOP);
  EXPECT_TRUE(stays([&] { return removals() == 0 && fleet_.etcd_pid("c") != 0; }));
  fleet_.signal_etcd("c", SIGCONT);
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(ids({"a", "b", "c"}), before);
}

// Everything but the gate would let it through: its configuration says Keep, and it is the next step.
TEST_P(Repair, AHungLearnerDoesNotGetAVote) {
  fleet_.form({"a"});
  fleet_.want({"a", "b"});
  fleet_.start("b");
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (fleet_.steps_done("add-member/").empty()) {  // a look costs microseconds, and what comes next is quick
    ASSERT_LT(std::chrono::steady_clock::now(), end);
  }
  fleet_.pause("a");
  ASSERT_TRUE(Fleet::eventually([&] { return says_keep("b"); }));
  ASSERT_TRUE(lists_a_learner());
  fleet_.signal_etcd("b", SIGSTOP);
  fleet_.resume("a");
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.plan("a").dump().find("\"Q9\"") != std::string::npos; }))
      << fleet_.plan("a").dump(1);
  EXPECT_TRUE(stays([&] { return lists_a_learner(); }));
  EXPECT_TRUE(fleet_.steps_begun("promote/b").empty());
  fleet_.signal_etcd("b", SIGCONT);
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}));
}

TEST_P(Repair, WhatTheJournalDoesNotTakeIsNotBegun) {
  fleet_.form({"a"});
  const std::string journal = fleet_.state_dir("a") + "/fleet/a/journal";
  std::filesystem::rename(journal, journal + ".before");
  std::filesystem::create_directory(journal);  // nothing can be appended to it
  fleet_.want({"a", "b"});
  fleet_.start("b");
  ASSERT_TRUE(fleet_.agent_said("a", "journal: "));
  EXPECT_TRUE(stays([&] { return fleet_.are_voters({"a"}); }));
  std::filesystem::remove(journal);
  std::filesystem::rename(journal + ".before", journal);
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}));
}

// Two processes would be one member: whatever the agent remembers, it is told by the marker.
TEST_P(Repair, ACopyOfAnotherMembersDirectoryIsNeverStarted) {
  fleet_.form({"a", "b", "c"});
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  const auto before = ids({"a", "b", "c"});
  fleet_.pause("c");
  fleet_.kill_etcd("c");
  fleet_.lose_node("b");  // with its memory
  std::filesystem::copy(fleet_.data_dir("c"), fleet_.data_dir("b"), std::filesystem::copy_options::recursive);
  fleet_.resume("c");
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.id_of("c") == before[2] && !fleet_.serving().empty(); }));
  fleet_.start("b");
  ASSERT_TRUE(fleet_.agent_said("b", "belongs to c, and this is b"));
  ASSERT_TRUE(Fleet::eventually([&] {
    return fleet_.plan("a").dump().find("belongs to c, and this is b") != std::string::npos;
  })) << fleet_.plan("a").dump(1);
  EXPECT_TRUE(stays([&] { return fleet_.etcd_pid("b") == 0 && removals() == 0; }));
  EXPECT_TRUE(fleet_.set_aside("b").empty());
  EXPECT_EQ(fleet_.id_of("c"), before[2]);
  std::filesystem::rename(fleet_.data_dir("b"), fleet_.data_dir("b") + ".of-c");
  ASSERT_TRUE(Fleet::eventually([&] { return removals() == 1 && fleet_.are_voters({"a", "b", "c"}); }));
  EXPECT_NE(fleet_.id_of("b"), before[1]);
  EXPECT_EQ(fleet_.id_of("c"), before[2]);
  expect_nothing_lost(fleet_, writer);
}

TEST_P(Repair, C10_AMemberThatHasLostNothingButItsLogIsFilledAgain) {
  fleet_.form({"a", "b", "c"});
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  const auto before = ids({"a", "b", "c"});
  fleet_.pause("c");
  fleet_.kill_etcd("c");
  std::filesystem::remove_all(fleet_.data_dir("c") + "/member/wal");
  fleet_.resume("c");
  ASSERT_TRUE(Fleet::eventually([&] { return removals() == 1 && fleet_.are_voters({"a", "b", "c"}); }));
  EXPECT_NE(fleet_.id_of("c"), before[2]);
  ASSERT_EQ(fleet_.set_aside("c").size(), 1U);
  EXPECT_NE(fleet_.set_aside("c").front().find(base::to_string(before[2])), std::string::npos);
  expect_nothing_lost(fleet_, writer);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Repair, testing::Values(std::string("3.5.16")), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(SlowEtcd, Repair, testing::Values(std::string("3.4.23")), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
