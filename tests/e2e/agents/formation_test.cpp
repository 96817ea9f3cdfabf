// From nothing to one cluster, and never to a second one.
#include <algorithm>
#include <filesystem>

#include <signal.h>

#include "tests/e2e/agents/fleet.h"

namespace quorate::e2e {
namespace {

class Formation : public AgentsTest {};

bool nothing_runs(const Fleet& fleet, const Names& members) {
  return std::none_of(members.begin(), members.end(),
                      [&](const std::string& member) { return fleet.etcd_pid(member) != 0; });
}

TEST_P(Formation, A01_OneMemberForms) {
  fleet_.form({"a"});
  EXPECT_TRUE(fleet_.put("k", "v"));
  EXPECT_EQ(fleet_.steps_done().size(), 2U);  // promise, start
}

TEST_P(Formation, A02_A05_ThreeFormOnceHoweverOftenTheyAreAsked) {
  fleet_.form({"a", "b", "c"});
  const base::ClusterId cluster = fleet_.cluster_of("a");
  ASSERT_TRUE(fleet_.put("k", "v"));
  const auto steps = fleet_.steps_done();
  for (int again = 0; again < 2; ++again) {
    fleet_.kill({"a", "b", "c"});
    fleet_.start({"a", "b", "c"});
    ASSERT_TRUE(fleet_.settle("b"));
  }
  EXPECT_EQ(fleet_.steps_done(), steps);
  EXPECT_EQ(fleet_.cluster_of("c"), cluster);
  EXPECT_EQ(fleet_.get("k"), "v");
}

TEST_P(Formation, A03_TwoOfThreeWaitForTheThirdAndSaySo) {
  fleet_.want({"a", "b", "c"});
  fleet_.start(Names{"a", "b"});
  EXPECT_TRUE(fleet_.plans("a", "NeedsObservation", "nobody can say what is on the nodes of c"));
  EXPECT_TRUE(nothing_runs(fleet_, {"a", "b", "c"}));
  EXPECT_TRUE(fleet_.steps_done().empty());
  fleet_.start("c");
  EXPECT_TRUE(fleet_.become_voters({"a", "b", "c"}));
}

// All agents are gone in the moment in which the first etcd runs: some have promised and started, some have not.
TEST_P(Formation, A04_TheSecondNodeNeverFormsAnotherCluster) {
  fleet_.form({"a"});
  const base::ClusterId cluster = fleet_.cluster_of("a");
  fleet_.kill("a");
  fleet_.kill_etcd("a");
  fleet_.want({"a", "b"});
  fleet_.start("b");
  ASSERT_TRUE(fleet_.plans("b", "NeedsObservation", "nobody can say what is on the nodes of a"));
  EXPECT_EQ(fleet_.etcd_pid("b"), 0);
  EXPECT_TRUE(fleet_.steps_begun("promise/b").empty());
  fleet_.start("a");
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}));
  EXPECT_EQ(fleet_.cluster_of("b"), cluster);
}

TEST_P(Formation, A06_AFormationThatWasCutShortIsCompleted) {
  fleet_.want({"a", "b", "c"});
  fleet_.start(Names{"a", "b", "c"});
  std::string first;
  ASSERT_TRUE(Fleet::eventually([&] {
    for (const char* member : {"a", "b", "c"}) {
      if (fleet_.etcd_pid(member) != 0) first = member;
    }
    return !first.empty();
  }));
  fleet_.kill({"a", "b", "c"});
  const Names begun = fleet_.steps_begun("write-manifest/");
  const Names done = fleet_.steps_done("write-manifest/");
  fleet_.start(Names{"a", "b", "c"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_TRUE(fleet_.settle("a"));
  for (const std::string& removed : fleet_.steps_done("remove/")) {
    // Whoever was to be started, and may have run, is replaced through the quorum that has formed.
    const std::string start = "write-manifest/" + removed.substr(7, 1) + "@";
    const auto of_it = [&](const std::string& step) { return step.compare(0, start.size(), start) == 0; };
    EXPECT_TRUE(std::any_of(begun.begin(), begun.end(), of_it) && std::none_of(done.begin(), done.end(), of_it))
        << removed;
  }
}

TEST_P(Formation, A07_A09_AFirstMemberThatLostEverythingJoinsTheClusterThatIsThere) {
  fleet_.form({"a", "b", "c"});
  const base::ClusterId cluster = fleet_.cluster_of("b");
  ASSERT_TRUE(fleet_.put("k", "v"));
  fleet_.lose_node("a");
  fleet_.start("a");
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.cluster_of("a").value != 0; }));
  EXPECT_EQ(fleet_.cluster_of("a"), cluster);
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.get("k"), "v");
}

TEST_P(Formation, A07_A10_NoNewClusterWhereOneHasBeen) {
  fleet_.form({"a", "b", "c"});
  fleet_.kill({"a", "b", "c"});
  for (const char* member : {"a", "b", "c"}) {
    fleet_.kill_etcd(member);
    fleet_.wipe(member);
  }
  const auto steps = fleet_.steps_done();
  fleet_.start(Names{"a", "b", "c"});
  EXPECT_TRUE(fleet_.plans("a", "NeedsHuman", "DataLost"));
  EXPECT_TRUE(fleet_.plans("c", "NeedsHuman", "DataLost"));
  EXPECT_TRUE(nothing_runs(fleet_, {"a", "b", "c"}));
  EXPECT_EQ(fleet_.steps_done(), steps);
}

TEST_P(Formation, A10_NobodyFormsWithoutBeingTold) {
  Wording wording;
  wording.create = false;
  fleet_.want({"a", "b", "c"}, wording);
  fleet_.start(Names{"a", "b", "c"});
  EXPECT_TRUE(fleet_.plans("b", "NeedsHuman", "ClusterMissing"));
  EXPECT_TRUE(nothing_runs(fleet_, {"a", "b", "c"}));
  EXPECT_TRUE(fleet_.steps_done().empty());
  fleet_.want({"a", "b", "c"});  // the ticket
  EXPECT_TRUE(fleet_.become_voters({"a", "b", "c"}));
}

// All in one process, which is killed and started again.
TEST_P(Formation, A05_UpTwiceIsTheSameCluster) {
  Wording wording;
  wording.create = false;
  fleet_.want({"a", "b", "c"}, wording);
  std::optional<base::ClusterId> cluster;
  for (int again = 0; again < 2; ++again) {
    integration::Process up(
        {{QUORATE_BINARY, "up", "--create", "--state-dir", fleet_.state_dir("up"), "-f", fleet_.file()}, {}});
    const bool formed = Fleet::eventually([&] {
      for (const char* member : {"a", "b", "c"}) {
        if (fleet_.cluster_of(member).value == 0) return false;
      }
      return fleet_.etcd()
          .put(fleet_.client_url("b"), "k" + std::to_string(again), "v", base::Duration{1000})
          .has_value();
    });
    ASSERT_TRUE(formed) << up.log();
    if (!cluster) cluster = fleet_.cluster_of("a");
    for (const char* member : {"a", "b", "c"}) EXPECT_EQ(fleet_.cluster_of(member), *cluster);
    // The members of the life before are there at once, the socket is not.
    const bool synced = Fleet::eventually([&] {
      const std::string socket = fleet_.state_dir("up") + "/agent.sock";
      return fleet_.quorate({"wait", "--for", "synced", "--timeout", "20s", "--agent", socket}).exit_code == 0;
    });
    EXPECT_TRUE(synced) << up.log();
  }
}

INSTANTIATE_TEST_SUITE_P(Etcd, Formation, testing::ValuesIn(integration::kEtcdReleases), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
