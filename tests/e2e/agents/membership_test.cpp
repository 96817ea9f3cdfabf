// Growing and shrinking under writes, one member at a time, and what happens when the agent dies in between.
#include <algorithm>
#include <filesystem>

#include <signal.h>

#include "tests/e2e/agents/fleet.h"

namespace quorate::e2e {
namespace {

class Membership : public AgentsTest {
 protected:
  // The file drops a member: nothing happens before somebody agrees.
  void drop(const std::string& member, const Names& rest) {
    const base::MemberId id = fleet_.id_of(member);
    fleet_.want(rest);
    const std::string step = "remove/" + member + "@" + base::to_string(id);
    ASSERT_TRUE(fleet_.plans(rest.front(), "Actionable", step));
    EXPECT_TRUE(Fleet::eventually([&] { return fleet_.plan(rest.front()).value("exit_code", 0) == 5; }));
    ASSERT_TRUE(Fleet::eventually([&] { return fleet_.approve(rest.front(), step); }, Seconds(20)));
    ASSERT_TRUE(fleet_.become_voters(rest)) << "without " << member;
  }
};

TEST_P(Membership, B01_B10_OneBecomesThreeUnderWrites) {
  fleet_.form({"a"});
  truth::Writer writer(fleet_.client_urls({"a"}));
  fleet_.want({"a", "b", "c"});
  fleet_.start(Names{"b", "c"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_TRUE(fleet_.settle("a"));
  EXPECT_EQ(fleet_.steps_done("add-member/").size(), 2U);
  EXPECT_EQ(fleet_.steps_done("promote/").size(), 2U);
  EXPECT_TRUE(fleet_.steps_done("remove/").empty());
  expect_nothing_lost(fleet_, writer);
}

TEST_P(Membership, B02_ThreeBecomeFiveUnderWrites) {
  fleet_.form({"a", "b", "c"});
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  fleet_.want({"a", "b", "c", "d", "e"});
  fleet_.start(Names{"d", "e"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c", "d", "e"}));
  expect_nothing_lost(fleet_, writer);
}

// Each with an edit and an approval of its own; the second victim leads.
TEST_P(Membership, B03_B05_B06_B15_FiveBecomeThreeByNameAndTheLeaderIsMovedFirst) {
  fleet_.form({"a", "b", "c", "d", "e"});
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  drop("d", {"a", "b", "c", "e"});
  fleet_.lead("e");
  drop("e", {"a", "b", "c"});
  EXPECT_TRUE(fleet_.settle("a"));
  EXPECT_EQ(fleet_.steps_done("remove/").size(), 2U);
  const auto all = fleet_.steps_done();
  const auto starts = [](const std::string& text) {
    return [text](const std::string& step) { return step.compare(0, text.size(), text) == 0; };
  };
  const auto moved = std::find_if(all.begin(), all.end(), starts("move-leader/"));
  const auto removed = std::find_if(all.begin(), all.end(), starts("remove/e"));
  EXPECT_LT(moved - all.begin(), removed - all.begin());
  for (const char* gone : {"d", "e"}) {
    EXPECT_TRUE(Fleet::eventually([&] {
      return fleet_.etcd_pid(gone) == 0 && fleet_.set_aside(gone).size() == 1 &&
             !std::filesystem::exists(fleet_.config(gone));
    })) << gone;
  }
  expect_nothing_lost(fleet_, writer);
}

TEST_P(Membership, B03_TwoRemovalsAtOnceAreRefused) {
  fleet_.form({"a", "b", "c", "d", "e"});
  for (const char* member : {"a", "b", "c", "d", "e"}) ASSERT_TRUE(fleet_.settle(member)) << "all are known to be ours";
  fleet_.want({"a", "b", "c"});
  EXPECT_TRUE(Fleet::eventually([&] {
    const Json plan = fleet_.plan("a");
    return plan.is_object() && plan.value("exit_code", 0) == 4 && plan.dump().find("maxRemovals") != std::string::npos;
  }));
  EXPECT_TRUE(fleet_.are_voters({"a", "b", "c", "d", "e"}));
  EXPECT_TRUE(fleet_.steps_done("remove/").empty());
}

TEST_P(Membership, B04_B07_ThreeBecomeOne) {
  fleet_.form({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("k", "v"));
  drop("b", {"a", "c"});
  drop("a", {"c"});
  EXPECT_TRUE(fleet_.settle("c"));
  EXPECT_EQ(fleet_.get("k"), "v");
  EXPECT_TRUE(Fleet::eventually([&] { return fleet_.etcd_pid("a") == 0 && fleet_.etcd_pid("b") == 0; }));
}

TEST_P(Membership, B09_AMemberThatNobodyListedIsToldOfAndStays) {
  fleet_.form({"a"});
  const auto added = fleet_.etcd().add_learner(fleet_.client_url("a"), {fleet_.peer_url("f")}, base::Duration{5000});
  ASSERT_TRUE(added) << added.error().message;
  integration::EtcdProcess stranger(
      {{integration::etcd_program(GetParam()), "--name=f", "--data-dir=" + fleet_.data_dir("f"),
        "--listen-peer-urls=" + fleet_.peer_url("f"), "--initial-advertise-peer-urls=" + fleet_.peer_url("f"),
        "--listen-client-urls=" + fleet_.client_url("f"), "--advertise-client-urls=" + fleet_.client_url("f"),
        "--initial-cluster=a=" + fleet_.peer_url("a") + ",f=" + fleet_.peer_url("f"),
        "--initial-cluster-state=existing", "--logger=zap", "--log-outputs=stderr"},
       {}});
  ASSERT_TRUE(Fleet::eventually([&] {
    return fleet_.etcd().promote(fleet_.client_url("a"), added->member.id, base::Duration{1000}).has_value();
  })) << stranger.log();
  EXPECT_TRUE(fleet_.plans("a", "Converged", "UnexpectedMember"));
  EXPECT_TRUE(fleet_.are_voters({"a", "f"}));
  EXPECT_TRUE(fleet_.steps_done("remove/").empty());
}

TEST_P(Membership, B11_B12_B13_WhatWasAddedAndNotStartedIsStartedAfterACrash) {
  fleet_.form({"a"});
  fleet_.want({"a", "b"});  // whose agent does not run yet
  ASSERT_TRUE(Fleet::eventually([&] {
    const auto list = fleet_.list();
    return list && list->members.size() == 2;
  }));
  fleet_.kill("a");
  fleet_.start(Names{"a", "b"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}));
  EXPECT_TRUE(fleet_.settle("a"));
  const auto list = fleet_.list();
  ASSERT_TRUE(list);
  EXPECT_EQ(list->members.size(), 2U);
  EXPECT_TRUE(fleet_.steps_done("remove/").empty());
}

// The file changes its mind while the first newcomer is a learner.
TEST_P(Membership, B17_AnEditInMidFlightDoesNotTearTheRunningStep) {
  fleet_.form({"a"});
  fleet_.want({"a", "b"});
  fleet_.start("b");
  ASSERT_TRUE(Fleet::eventually([&] {
    const auto list = fleet_.list();
    return list && list->members.size() == 2;
  }));
  fleet_.want({"a", "c"});
  fleet_.start("c");
  ASSERT_TRUE(Fleet::eventually([&] {
    if (fleet_.are_voters({"a", "c"})) return true;
    // It may have been promoted before the edit was seen: then it takes somebody's word to leave.
    const Json plan = fleet_.plan("a");
    for (const Json& step : plan.is_object() ? plan.value("steps", Json::array()) : Json::array()) {
      const std::string id = step.value("id", "");
      if (id.rfind("remove/b", 0) == 0 && plan.value("exit_code", 0) == 5) fleet_.approve("a", id);
    }
    return false;
  }));
  for (const model::JournalEntry& entry : fleet_.journals()) {
    EXPECT_NE(entry.event, model::JournalEvent::Unclear) << entry.step << ": " << entry.text;
  }
  EXPECT_TRUE(Fleet::eventually([&] { return fleet_.etcd_pid("b") == 0; }));
}

INSTANTIATE_TEST_SUITE_P(Etcd, Membership, testing::ValuesIn(integration::kEtcdReleases), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
