// Histories of two lives: what was away comes back, what was replaced returns, and what was acknowledged is still
// there. The numbers are those of the list of attacks.
#include <filesystem>

#include <gmock/gmock.h>
#include <signal.h>

#include "tests/e2e/agents/stored.h"

namespace quorate::e2e {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::SizeIs;

class Histories : public StoredTest {
 protected:
  static Wording patient(Wording wording = {}) {  // nobody is taken for dead
    wording.reconcile = "deadAfter: 1h, every: 1s";
    return wording;
  }
  static Wording from(const std::string& survivor, const std::map<std::string, base::MemberId>& lost = {}) {
    Wording wording;
    wording.more = "generation: 2\nrecovery: {survivor: " + survivor + "}\n";
    for (const auto& [member, id] : lost) wording.member[member] = "lost: \"" + base::to_string(id) + "\"";
    return wording;
  }
  // Who survives by people's word holds what was acknowledged; the others may have been a quorum without it.
  void stop_when_known_to(const Names& survivors, truth::Writer& writer) {
    writer.stop();
    for (const std::string& member : survivors) {
      ASSERT_TRUE(Fleet::eventually([&] {
        return fleet_.etcd()
            .get(fleet_.client_url(member), "any", ports::Consistency::Linearizable, kAnswer)
            .has_value();
      }));
    }
  }
  void lose_for_now(const std::string& member) {  // agent and etcd; the data stay
    fleet_.kill(member);
    fleet_.kill_etcd(member);
  }
};

TEST_P(Histories, Attack1_TwoLoseDiskAndMemoryWhileTheThirdIsAwayWithTheOldData) {
  const Names all{"a", "b", "c"};
  fleet_.form(all);
  truth::Writer writer(fleet_.client_urls(all));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 10; }));
  const std::map<std::string, base::MemberId> lost{{"b", fleet_.id_of("b")}, {"c", fleet_.id_of("c")}};
  stop_when_known_to({"a"}, writer);
  lose_for_now("a");
  for (const char* member : {"b", "c"}) fleet_.lose_node(member);
  fleet_.start(Names{"b", "c"});
  ASSERT_TRUE(fleet_.plans("b", "NeedsObservation", "nobody can say what is on the nodes of a"));
  EXPECT_TRUE(stays([&] { return fleet_.etcd_pid("b") == 0 && fleet_.etcd_pid("c") == 0; })) << "the file says new";
  EXPECT_THAT(fleet_.steps_begun("promise/b"), IsEmpty()) << "what it had promised before is gone with it";
  fleet_.start("a");
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.plan("a").dump().find("lost") != std::string::npos; }));
  EXPECT_TRUE(stays([&] { return fleet_.etcd_pid("b") == 0 && fleet_.etcd_pid("c") == 0; }));
  fleet_.want(all, from("a", lost));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("restore/").size() == 1; }, kRecovered));
  ASSERT_TRUE(fleet_.become_voters(all, kRecovered));
  expect_nothing_lost(fleet_, writer);
  expect_one_content(fleet_, all);
}

// Two of five survive, and half of the nodes have a file that names the one, half the other.
TEST_P(Histories, Attack4_TwoCommitsThatDecideDifferentlyDecideNothing) {
  const Names all{"a", "b", "c", "d", "e"};
  fleet_.form(all);
  for (const std::string& member : all) ASSERT_TRUE(fleet_.settle(member)) << "all are known to be ours";
  const base::ClusterId before = fleet_.cluster_of("a");
  truth::Writer writer(fleet_.client_urls(all));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 10; }));
  const std::string other = fleet_.folder() + "/other.yaml";
  integration::write_file(other, integration::read_file(fleet_.file()));
  stop_when_known_to({"a", "d"}, writer);  // it is people who choose here
  for (const std::string& member : all) lose_for_now(member);
  for (const char* member : {"b", "c", "e"}) fleet_.wipe(member);
  for (const char* member : {"c", "d", "e"}) fleet_.give(member, other);
  fleet_.replace_file(fleet_.text(all, from("a")));
  integration::write_file(other, fleet_.text(all, from("d")));
  const std::size_t promises = fleet_.steps_done("promise/").size();
  fleet_.start(all);
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.etcd_pid("a") != 0 && fleet_.etcd_pid("d") != 0; }));
  EXPECT_TRUE(stays([&] { return fleet_.steps_begun("restore/").empty() && fleet_.serving().empty(); }, Seconds{8}));
  // The one in the middle changes sides.
  fleet_.kill("c");
  fleet_.give("c", fleet_.file());
  fleet_.start("c");
  EXPECT_TRUE(stays([&] { return fleet_.steps_begun("restore/").empty() && fleet_.serving().empty(); }, Seconds{8}));
  EXPECT_EQ(fleet_.steps_done("promise/").size(), promises) << "not all were ready for the same";
  integration::write_file(other + ".new", fleet_.text(all, from("a")));
  fs::rename(other + ".new", other);
  ASSERT_TRUE(fleet_.become_voters(all, kRecovered));
  EXPECT_THAT(fleet_.steps_done("restore/"), SizeIs(1));
  EXPECT_NE(fleet_.cluster_of("a"), before);
  expect_nothing_lost(fleet_, writer);
  expect_one_content(fleet_, all);
}

// By their word there is no quorum any more, and then the quorum comes back, whole.
TEST_P(Histories, Attack6_AQuorumThatWasDeclaredLostBootsWithItsOldDataAndGivesWay) {
  const Names all{"a", "b", "c"};
  fleet_.form(all);
  truth::Writer writer(fleet_.client_urls(all));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 10; }));
  const base::ClusterId before = fleet_.cluster_of("a");
  const std::map<std::string, base::MemberId> lost{{"b", fleet_.id_of("b")}, {"c", fleet_.id_of("c")}};
  ASSERT_TRUE(fleet_.put("k", "of both lives"));
  stop_when_known_to({"a"}, writer);
  for (const char* member : {"b", "c"}) lose_for_now(member);
  Wording wording = from("a", lost);
  wording.more = "generation: 2\nrecovery: {survivor: a, openWhen: first}\n";
  fleet_.want(all, wording);
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("restore/").size() == 1; }, kRecovered));
  ASSERT_TRUE(fleet_.put("k", "of the second life"));
  const base::ClusterId cluster = fleet_.cluster_of("a");
  ASSERT_NE(cluster, before);

  wording.member.clear();  // months later
  fleet_.want(all, wording);
  fleet_.start(Names{"b", "c"});
  ASSERT_TRUE(Fleet::eventually(
      [&] {
        for (const char* member : {"b", "c"}) {
          const auto done = fleet_.etcd().put(fleet_.client_url(member), "late", "v", base::Duration{200});
          EXPECT_TRUE(!done || fleet_.cluster_of(member) != before) << "there are two clusters";
        }
        return HasFailure() || fleet_.are_voters(all);
      },
      kRecovered));
  EXPECT_EQ(fleet_.cluster_of("b"), cluster);
  EXPECT_EQ(fleet_.cluster_of("c"), cluster);
  for (const char* member : {"b", "c"}) EXPECT_THAT(fleet_.set_aside(member), SizeIs(1)) << "nothing is deleted";
  EXPECT_EQ(fleet_.get("k"), "of the second life");
  expect_nothing_lost(fleet_, writer);
  expect_one_content(fleet_, all);
}

// Log and database of a while ago, under an agent that knows better.
TEST_P(Histories, Attack8_AnOlderImageOfAWholeDiskIsNoMemberAnyMore) {
  const Names all{"a", "b", "c"};
  fleet_.form(all);
  fleet_.lead("a");
  const std::string image = fleet_.folder() + "/image";
  fleet_.kill("c");
  fleet_.kill_etcd("c");
  fs::copy(fleet_.data_dir("c"), image, fs::copy_options::recursive);
  fleet_.start("c");
  ASSERT_TRUE(fleet_.become_voters(all));
  ASSERT_THAT(fleet_.steps_done("remove/"), IsEmpty());
  const base::MemberId before = fleet_.id_of("c");
  truth::Writer writer(fleet_.client_urls({"a", "b"}));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 50; }));
  ASSERT_TRUE(fleet_.settle("c"));
  lose_for_now("c");
  fs::remove_all(fleet_.data_dir("c"));
  fs::rename(image, fleet_.data_dir("c"));
  fleet_.start("c");
  ASSERT_TRUE(Fleet::eventually([&] {
    const base::MemberId now = fleet_.id_of("c");
    EXPECT_NE(now, before) << "it votes without what it has acknowledged";
    return HasFailure() || (now.value != 0 && fleet_.are_voters(all));
  }));
  EXPECT_THAT(fleet_.steps_done("remove/"), SizeIs(1));
  EXPECT_THAT(fleet_.set_aside("c"), SizeIs(1)) << "nothing is deleted";
  expect_nothing_lost(fleet_, writer);
  expect_one_content(fleet_, all);
}

// What nobody was promised is longer than what everybody was, and its term is older.
TEST_P(Histories, Attack17_ADeposedLeadersTailDoesNotStandAgainstABackupWithAcknowledgedWrites) {
  const Names all{"a", "b", "c"};
  fleet_.form(all, patient(stored()));
  fleet_.lead("a");
  ASSERT_TRUE(fleet_.put("k", "before"));
  for (const std::string& member : all) ASSERT_TRUE(fleet_.settle(member));
  for (const char* member : {"b", "c"}) fleet_.kill(member);
  for (const char* member : {"b", "c"}) fleet_.signal_etcd(member, SIGSTOP);  // both at once
  for (int number = 0; number < 60; ++number) {
    EXPECT_FALSE(fleet_.etcd().put(fleet_.client_url("a"), "tail/" + std::to_string(number), "t", base::Duration{15}));
  }
  for (const char* member : {"b", "c"}) fleet_.kill_etcd(member);
  lose_for_now("a");
  fleet_.start(Names{"b", "c"});
  ASSERT_TRUE(fleet_.put("k", "acknowledged"));
  const std::string backup = back_up();
  ASSERT_FALSE(backup.empty());
  fleet_.lose_disks({"b", "c"});
  fleet_.start("a");
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", backup));
  EXPECT_TRUE(stays([&] { return fleet_.serving().empty() && fleet_.steps_begun("restore/").empty(); }));
  for (const std::string& member : all) {
    ASSERT_TRUE(Fleet::eventually([&] { return fleet_.approve(member, fleet_.plan(member).value("id", "")); }));
  }
  ASSERT_TRUE(fleet_.become_voters(all, kRecovered));
  EXPECT_EQ(fleet_.get("k"), "acknowledged");
  EXPECT_EQ(fleet_.get("tail/59"), "nothing") << "the first may have got through before both stood still";
  expect_one_content(fleet_, all);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Histories, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
