// The quorum is lost for good: the cluster comes back from what survived, once, with everything that was acknowledged,
// or everybody says who is missing.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <signal.h>

#include "tests/e2e/agents/fleet.h"
#include "tests/e2e/agents/held.h"
#include "tests/e2e/agents/squatter.h"

namespace quorate::e2e {
namespace {

class Recovery : public AgentsTest {
 protected:
  static Wording ordered(std::int64_t generation, const std::string& survivor) {
    Wording wording;
    wording.more = "generation: " + std::to_string(generation) + "\nrecovery: {survivor: " + survivor + "}\n";
    return wording;
  }

  // Killed and wiped in one moment, as far as one can: nobody is started again in between.
  void lose(const Names& members) {
    for (const std::string& member : members) fleet_.pause(member);
    for (const std::string& member : members) fleet_.signal_etcd(member, SIGKILL);
    for (const std::string& member : members) {
      fleet_.kill_etcd(member);
      fleet_.wipe(member);
    }
    for (const std::string& member : members) fleet_.resume(member);
  }

  std::vector<std::string> yielded() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(fleet_.folder() + "/data")) {
      const std::string name = entry.path().filename().string();
      if (name.find(".yielded-") != std::string::npos || name.find(".restoring-") != std::string::npos) {
        names.push_back(name);
      }
    }
    return names;
  }
};

TEST_P(Recovery, C12_F04_TwoOfThreeDisksAreLostAndTheSurvivorsDataGoOn) {
  fleet_.form({"a", "b", "c"});
  const base::ClusterId before = fleet_.cluster_of("a");
  truth::Writer writer(fleet_.client_urls({"a"}));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 20; }));
  lose({"b", "c"});
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "quorum is lost for good"));
  ASSERT_TRUE(fleet_.steps_begun("promise/a").size() == 1U) << "nothing is begun unasked";
  fleet_.want({"a", "b", "c"}, ordered(2, "a"));
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_NE(fleet_.cluster_of("a"), before);
  EXPECT_TRUE(fleet_.settle("a"));
  expect_one_content(fleet_, {"a", "b", "c"});
  expect_nothing_lost(fleet_, writer);
  EXPECT_TRUE(Fleet::eventually([&] { return yielded().empty(); }));
  EXPECT_FALSE(fleet_.set_aside("a").empty()) << "what was there is kept";
  EXPECT_EQ(fleet_.steps_done("restore/").size(), 1U);
}

TEST_P(Recovery, C12_AThirdThatIsAwayBlocksUntilItIsDeclaredLostAndComesBackHarmless) {
  fleet_.form({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("k", "v"));
  const base::MemberId lost = fleet_.id_of("c");
  fleet_.kill("c");
  fleet_.signal_etcd("c", SIGSTOP);
  lose({"a"});
  fleet_.want({"a", "b", "c"}, ordered(2, "b"));
  EXPECT_TRUE(fleet_.plans("b", "NeedsObservation", "no quorum without c"));
  EXPECT_TRUE(fleet_.plans("a", "NeedsObservation", "members.c.lost"));
  EXPECT_TRUE(yielded().empty());
  EXPECT_TRUE(fleet_.steps_done("restore/").empty());

  Wording wording = ordered(2, "b");
  wording.member["c"] = "lost: \"" + base::to_string(lost) + "\"";
  fleet_.want({"a", "b", "c"}, wording);
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}, kRecovered));
  EXPECT_EQ(fleet_.get("k"), "v");
  const base::ClusterId cluster = fleet_.cluster_of("a");

  fleet_.signal_etcd("c", SIGCONT);  // with the old data, and nobody who keeps it
  ASSERT_TRUE(fleet_.etcd().put(fleet_.client_url("a"), "k", "w", kAnswer));
  EXPECT_FALSE(fleet_.etcd().put(fleet_.client_url("c"), "k", "x", kAnswer));
  fleet_.start("c");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.cluster_of("c"), cluster);
  EXPECT_EQ(fleet_.get("k"), "w");
  EXPECT_FALSE(fleet_.set_aside("c").empty());
  expect_one_content(fleet_, {"a", "b", "c"});
}

TEST_P(Recovery, J01_F14_AnAgentThatDiesInTheMiddleOfTheRestoreGoesOnWithIt) {
  fleet_.form({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("k", "v"));
  lose({"b", "c"});
  fleet_.want({"a", "b", "c"}, ordered(2, "a"));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_begun("restore/").size() == 1; }));
  fleet_.kill("a");
  EXPECT_TRUE(fleet_.steps_done("restore/").empty());
  EXPECT_EQ(fleet_.etcd_pid("b"), 0);
  fleet_.start("a");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.get("k"), "v");
  expect_one_content(fleet_, {"a", "b", "c"});
}

// What stood there before is still beside it; what was written meanwhile nobody can bring back.
TEST_P(Recovery, C12_ASeedWhoseDiskIsLostRightAfterItsStartIsGivenUpByPeopleAndTheNextOrderGoesOn) {
  const Names all{"a", "b", "c"};
  fleet_.form(all);
  ASSERT_TRUE(fleet_.put("k", "v"));
  const base::MemberId before = fleet_.id_of("a");
  fleet_.kill("a");
  start_held(fleet_, "a", "HOLD_AFTER=write-manifest/a");
  ASSERT_TRUE(fleet_.settle("a"));
  lose({"b", "c"});
  fleet_.want(all, ordered(2, "a"));
  ASSERT_TRUE(is_held(fleet_, "a")) << "it runs by now, and its agent has not seen it serve";
  fleet_.kill("a");
  fleet_.kill_etcd("a");
  fleet_.wipe("a");
  fleet_.start("a");
  ASSERT_TRUE(fleet_.plans("b", "NeedsObservation", "nothing is left of what was restored there"));
  fleet_.want(all, ordered(3, "a"));
  EXPECT_TRUE(stays([&] { return !yielded().empty(); })) << "a generation alone is no word that it is gone";
  Wording gone = ordered(3, "a");
  gone.member["a"] = "lost: \"" + base::to_string(before) + "\"";
  fleet_.want(all, gone);
  ASSERT_TRUE(Fleet::eventually([&] { return yielded().empty(); }));
  fleet_.want(all, ordered(3, "a"));
  ASSERT_TRUE(fleet_.become_voters(all, kRecovered));
  EXPECT_EQ(fleet_.get("k"), "v");
  expect_one_content(fleet_, all);
}

// On each node, since without a quorum nobody's word reaches further.
TEST_P(Recovery, C12_WithoutAnOrderItIsShownAndWaitsForAYesOnEachNode) {
  fleet_.form({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("k", "v"));
  lose({"b", "c"});
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "restore/a@"));
  ASSERT_TRUE(fleet_.plans("b", "NeedsHuman", "RecoverySource"));
  const std::string plan = fleet_.plan("a").value("id", "");
  const auto agree = [&](const std::string& member) {
    const auto ended = fleet_.quorate({"approve", plan, "-f", fleet_.file(), "--agent", fleet_.socket(member)});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  };
  agree("a");
  agree("b");
  EXPECT_FALSE(Fleet::eventually([&] { return !yielded().empty(); }, Seconds{5}));
  agree("c");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.get("k"), "v");
}

// What was said without a quorum stands nowhere but on the node that it was said on.
TEST_P(Recovery, J01_AYesOutlivesTheAgentThatItWasGivenTo) {
  fleet_.form({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("k", "v"));
  lose({"b", "c"});
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "restore/a@"));
  ASSERT_TRUE(fleet_.plans("b", "NeedsHuman", "RecoverySource"));
  const std::string plan = fleet_.plan("a").value("id", "");
  for (const char* member : {"a", "b", "c"}) {
    const auto ended = fleet_.quorate({"approve", plan, "-f", fleet_.file(), "--agent", fleet_.socket(member)});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    fleet_.kill(member);
    fleet_.start(member);
  }
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_begun("restore/").size() == 1; }));
  fleet_.kill("a");
  fleet_.start("a");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.get("k"), "v");
}

// Their nodes are gone for good, and with them whoever could say so.
TEST_P(Recovery, C12_VotersThatAreNoLongerListedAreGivenUpByTheirGenerationAndTheSurvivorGoesOnOnNewNodes) {
  fleet_.form({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("k", "v"));
  const base::ClusterId before = fleet_.cluster_of("a");
  for (const char* member : {"b", "c"}) fleet_.lose_node(member);
  Wording wording = ordered(2, "a");
  for (const char* member : {"d", "e"}) wording.member[member] = "lost: never";  // new, not emptied
  fleet_.want({"a", "d", "e"}, wording);
  fleet_.start(Names{"d", "e"});
  ASSERT_TRUE(fleet_.plans("a", "NeedsObservation", "1 of 3 voters answered"));
  const auto abandoning = [&](int generation) {
    wording.more = "generation: 2\nrecovery: {survivor: a, abandon: " + std::to_string(generation) + "}\n";
    fleet_.want({"a", "d", "e"}, wording);
  };
  abandoning(0);
  EXPECT_TRUE(stays([&] { return yielded().empty() && fleet_.steps_done("restore/").empty(); })) << "recorded later";
  abandoning(1);
  ASSERT_TRUE(fleet_.become_voters({"a", "d", "e"}, kRecovered));
  EXPECT_NE(fleet_.cluster_of("a"), before);
  EXPECT_EQ(fleet_.get("k"), "v");
  EXPECT_FALSE(fleet_.set_aside("a").empty()) << "what was there is kept";
  EXPECT_EQ(fleet_.steps_done("restore/").size(), 1U);
  expect_one_content(fleet_, {"a", "d", "e"});
}

// The addresses from before are somebody else's by now.
TEST_P(Recovery, Attack20_AllNodesAreRenumberedAndNothingIsLost) {
  const Names all{"a", "b", "c"};
  Wording wording;
  wording.more = "recovery: {quorumLoss: auto}\nprotect: {approve: [destructive]}\n";
  fleet_.form(all, wording);
  for (const std::string& member : all) ASSERT_TRUE(fleet_.settle(member)) << "they know each other by address";
  ASSERT_TRUE(fleet_.put("k", "v"));
  const base::ClusterId before = fleet_.cluster_of("a");
  fleet_.kill(all);
  std::vector<std::unique_ptr<Squatter>> others;
  for (const std::string& member : all) {
    fleet_.kill_etcd(member);
    others.emplace_back();
    ASSERT_TRUE(Fleet::eventually([&] {
      others.back() = std::make_unique<Squatter>(fleet_.address(member), fleet_.peer_port());
      return others.back()->good();
    }));
    fleet_.move(member, integration::own_address(10 + static_cast<int>(others.size())), {});
  }
  fleet_.want(all, wording);
  fleet_.start(all);
  ASSERT_TRUE(fleet_.become_voters(all, kRecovered));
  EXPECT_NE(fleet_.cluster_of("a"), before);
  EXPECT_EQ(fleet_.get("k"), "v");
  expect_one_content(fleet_, all);
  EXPECT_EQ(fleet_.steps_done("restore/").size(), 1U);
  EXPECT_TRUE(fleet_.settle("a"));
}

INSTANTIATE_TEST_SUITE_P(Etcd, Recovery, testing::Values("3.5.16"), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(SlowEtcd, Recovery, testing::ValuesIn(integration::newest_etcd_releases()),
                         integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
