// What is refused, waited for or not believed: a removal too many, an addition too early, a list that one tells.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tests/e2e/agents/fleet.h"

namespace quorate::e2e {
namespace {

constexpr base::Duration kCall{5000};

class Refusal : public AgentsTest {
 protected:
  // That agent stands still right after it has written down that it begins this step.
  void hold_at(const std::string& member, const std::string& step) {
    fleet_.kill(member);
    fleet_.give_variables({"LD_PRELOAD=" QUORATE_HOLD, "HOLD_AT=" + step});
    fleet_.start(member);
    fleet_.give_variables({});
    EXPECT_TRUE(fleet_.settle(member));  // or another one would act in its stead
  }
  bool is_held(const std::string& member) {
    return Fleet::eventually([&] { return fleet_.is_stopped(member); });
  }
  // Etcd that nobody's agent has started, at the addresses of a seat.
  Names by_hand(const std::string& name, const std::string& seat, const std::string& data_dir, Names more) const {
    Names command{integration::etcd_program(GetParam()),
                  "--name=" + name,
                  "--data-dir=" + data_dir,
                  "--listen-client-urls=" + fleet_.client_url(seat),
                  "--advertise-client-urls=" + fleet_.client_url(seat),
                  "--logger=zap",
                  "--log-outputs=stderr"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  Names names_listed() {
    Names names;
    const auto list = fleet_.list();
    for (const auto& each : list ? list->members : std::vector<model::ListedMember>{}) names.push_back(each.name);
    return names;
  }
};

TEST_P(Refusal, B08_ARemovalThatWouldBreakTheQuorumWaitsForTheMemberThatIsDown) {
  Wording wording;
  wording.reconcile = "deadAfter: 1h, every: 1s";
  fleet_.form({"a", "b", "c"}, wording);
  fleet_.lead("a");
  const std::string step = "remove/b@" + base::to_string(fleet_.id_of("b"));
  fleet_.kill("c");
  fleet_.kill_etcd("c");
  fleet_.want({"a", "c"}, wording);
  EXPECT_TRUE(fleet_.plans("a", "Actionable", "2 voters, 1 up, needs 2"));
  EXPECT_TRUE(Fleet::eventually([&] { return fleet_.plan("a").value("exit_code", 0) == 4; }));
  EXPECT_TRUE(stays([&] { return fleet_.steps_begun("remove/").empty(); }, Seconds(3)));
  EXPECT_EQ(names_listed().size(), 3U);
  fleet_.start("c");
  EXPECT_TRUE(Fleet::eventually([&] { return fleet_.plan("a").value("exit_code", 0) == 5; }));
  EXPECT_TRUE(fleet_.steps_begun("remove/").empty()) << "nobody has agreed yet";
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.approve("a", step); }, Seconds(20)));
  ASSERT_TRUE(fleet_.become_voters({"a", "c"}));
  EXPECT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("remove/") == Names{step}; }));
}

// The agent stands still between its word that it removes the member and the removal itself, as under a long pause.
TEST_P(Refusal, B14_AMemberThatSomebodyElseHasRemovedMeanwhileIsDone) {
  fleet_.form({"a", "b", "c"});
  hold_at("a", "remove/c");
  fleet_.lead("a");
  const base::MemberId lost = fleet_.id_of("c");
  const std::string step = "remove/c@" + base::to_string(lost);
  fleet_.lose_node("c");
  ASSERT_TRUE(is_held("a"));
  const auto removed = fleet_.etcd().remove(fleet_.client_url("b"), lost, kCall);
  EXPECT_TRUE(removed) << removed.error().message;
  fleet_.resume("a");
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("remove/") == Names{step}; }));
  for (const model::JournalEntry& entry : fleet_.journals()) {
    EXPECT_NE(entry.event, model::JournalEvent::Failed) << entry.step << ": " << entry.text;
    EXPECT_NE(entry.event, model::JournalEvent::Unclear) << entry.step << ": " << entry.text;
  }
  fleet_.start("c");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.steps_begun("remove/").size(), 1U);
}

TEST_P(Refusal, B16_TheSuccessorIsAddedOnceTheRemovalBeforeItHasBeenSeen) {
  fleet_.form({"a", "b", "c"});
  hold_at("a", "remove/c");
  fleet_.lead("a");
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  fleet_.lose_disks({"c"});
  ASSERT_TRUE(is_held("a"));
  EXPECT_TRUE(stays([&] { return fleet_.steps_begun("add-member/").empty(); }, Seconds(2))) << "the removal is begun";
  fleet_.resume("a");
  std::size_t most = 0;
  ASSERT_TRUE(Fleet::eventually([&] {
    most = std::max(most, names_listed().size());
    return !fleet_.steps_done("promote/").empty() && fleet_.are_voters({"a", "b", "c"});
  }));
  EXPECT_EQ(most, 3U);
  bool removed = false;
  for (const model::JournalEntry& entry : fleet_.journals()) {
    const bool adds = entry.step.compare(0, 11, "add-member/") == 0;
    if (entry.event == model::JournalEvent::Done && entry.step.compare(0, 7, "remove/") == 0) removed = true;
    EXPECT_TRUE(removed || !adds || entry.event != model::JournalEvent::Intent) << entry.step;
  }
  EXPECT_EQ(fleet_.steps_done("add-member/").size(), 1U);
  expect_nothing_lost(fleet_, writer);
}

// At the address of a member that is down answers somebody's cluster of one, of the same member name.
TEST_P(Refusal, B18_AnotherClusterAtTheAddressOfAMemberIsNotTouchedAndStopsEverything) {
  fleet_.form({"a", "b", "c"});
  const base::MemberId before = fleet_.id_of("c");
  const auto steps = fleet_.steps_done();
  fleet_.kill("c");
  fleet_.kill_etcd("c");
  {
    integration::EtcdProcess stranger(
        {by_hand("c", "c", fleet_.folder() + "/strange",
                 {"--listen-peer-urls=" + fleet_.peer_url("c"), "--initial-advertise-peer-urls=" + fleet_.peer_url("c"),
                  "--initial-cluster=c=" + fleet_.peer_url("c"), "--initial-cluster-token=strange"}),
         {}});
    ASSERT_TRUE(stranger.wait_until_ready()) << stranger.log();
    const base::MemberId strange = fleet_.id_of("c");
    EXPECT_TRUE(fleet_.plans("a", "NeedsObservation", "two clusters answer"));
    EXPECT_TRUE(stays([&] { return fleet_.steps_done() == steps && fleet_.id_of("c") == strange; }));
    const auto theirs =
        fleet_.etcd().get_all(fleet_.client_url("c"), "/quorate/", ports::Consistency::Serializable, kCall);
    ASSERT_TRUE(theirs) << theirs.error().message;
    EXPECT_TRUE(theirs->empty()) << "somebody has written into it";
  }
  fleet_.start("c");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.id_of("c"), before);
  EXPECT_EQ(fleet_.steps_done(), steps);
}

// As after --force-new-cluster on a copy of its disk: the same cluster ID, and a list that names itself alone.
TEST_P(Refusal, B18_AMemberThatHoldsItselfForTheWholeClusterIsNotBelieved) {
  fleet_.form({"a", "b", "c"});
  const base::MemberId before = fleet_.id_of("c");
  const auto steps = fleet_.steps_done();
  fleet_.kill("c");
  // Killed, it may have in its database what its log does not call committed yet, and would keep its list of three.
  fleet_.signal_etcd("c", SIGTERM);
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.etcd_pid("c") == 0; }));
  const std::string copy = fleet_.folder() + "/copy";
  std::filesystem::copy(fleet_.data_dir("c"), copy, std::filesystem::copy_options::recursive);
  {
    // Where the others do not look for it: only clients meet it.
    integration::EtcdProcess alone(
        {by_hand("c", "c", copy, {"--listen-peer-urls=" + fleet_.peer_url("f"), "--force-new-cluster"}), {}});
    ASSERT_TRUE(alone.wait_until_ready()) << alone.log();
    EXPECT_TRUE(fleet_.plans("a", "NeedsObservation", "answers with two member lists"));
    EXPECT_TRUE(stays([&] { return fleet_.steps_done() == steps; }));
  }
  fleet_.start("c");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.id_of("c"), before);
  EXPECT_EQ(fleet_.steps_done(), steps);
}

// The one that is meant may even be without its data: whom to replace is nobody's guess to make.
TEST_P(Refusal, C03_TwoMembersOfOneNameStopEverythingUntilOneIsGone) {
  fleet_.form({"a", "b", "c"});
  const auto steps = fleet_.steps_done();
  base::MemberId added;
  ASSERT_TRUE(Fleet::eventually([&] {  // etcd refuses additions for the first seconds
    const auto done = fleet_.etcd().add_learner(fleet_.client_url("a"), {fleet_.peer_url("f")}, kCall);
    if (done) added = done->member.id;
    return done.has_value();
  }));
  {
    std::string all = "c=" + fleet_.peer_url("f");
    for (const char* member : {"a", "b", "c"})
      all += "," + std::string(*member == 'c' ? "other" : member) + "=" + fleet_.peer_url(member);
    integration::EtcdProcess second(
        {by_hand("c", "f", fleet_.data_dir("f"),
                 {"--listen-peer-urls=" + fleet_.peer_url("f"), "--initial-advertise-peer-urls=" + fleet_.peer_url("f"),
                  "--initial-cluster=" + all, "--initial-cluster-state=existing"}),
         {}});
    ASSERT_TRUE(Fleet::eventually([&] {
      const auto names = names_listed();
      return std::count(names.begin(), names.end(), "c") == 2;
    })) << second.log();
    EXPECT_TRUE(fleet_.plans("a", "NeedsHuman", "AmbiguousMember"));
    fleet_.lose_disks({"c"});
    EXPECT_TRUE(stays([&] { return fleet_.steps_done() == steps && fleet_.list()->members.size() == 4; }));
    EXPECT_TRUE(fleet_.plans("b", "NeedsHuman", "AmbiguousMember"));
  }
  ASSERT_TRUE(Fleet::eventually([&] {
    return fleet_.etcd().remove(fleet_.client_url(fleet_.leader()), added, kCall).has_value() ||
           fleet_.list()->members.size() == 3;
  }));
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.steps_done("remove/").size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Refusal, testing::Values(std::string("3.5.16")), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(SlowEtcd, Refusal, testing::Values(std::string("3.4.23")), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
