// Who leaves, in which order, and who stays out; an addition of which the answer was lost.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <signal.h>

#include "tests/e2e/agents/fleet.h"
#include "tests/e2e/agents/held.h"

namespace quorate::e2e {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class Leaving : public AgentsTest {
 protected:
  static Wording patient(const std::string& more = "") {  // nobody is taken for dead
    Wording wording;
    wording.reconcile = "deadAfter: 1h, every: 1s";
    wording.more = more;
    return wording;
  }
  bool approve_all(const std::string& member) {
    return Fleet::eventually([&] {
      const Json plan = fleet_.plan(member);
      return plan.is_object() && plan.value("exit_code", 0) == 5 && fleet_.approve(member, plan.value("id", ""));
    });
  }
};

// The healthy one comes first by name, and its removal would leave two of three up.
TEST_P(Leaving, B06_OfTwoThatLeaveTheOneThatIsDownGoesFirst) {
  const Wording wording = patient("protect: {maxRemovals: 2}\n");
  fleet_.form({"a", "b", "c", "d"}, wording);
  for (const char* member : {"b", "c", "d"}) ASSERT_TRUE(fleet_.settle(member)) << "all are known to be ours";
  fleet_.lead("b");
  truth::Writer writer(fleet_.client_urls({"a", "d"}));
  fleet_.kill("c");
  fleet_.kill_etcd("c");
  fleet_.want({"a", "d"}, wording);
  ASSERT_TRUE(approve_all("a"));
  ASSERT_TRUE(fleet_.become_voters({"a", "d"}));
  EXPECT_THAT(fleet_.steps_done("remove/"), ElementsAre(StartsWith("remove/c@"), StartsWith("remove/b@")));
  EXPECT_THAT(fleet_.steps_done("move-leader/"), SizeIs(1)) << "b led";
  expect_nothing_lost(fleet_, writer);
}

TEST_P(Leaving, B07_TheLastMemberStaysWhoeverAgrees) {
  fleet_.form({"a"});
  ASSERT_TRUE(fleet_.put("k", "v"));
  const auto steps = fleet_.steps_done();
  Wording wording;
  wording.more = "protect: {approve: []}\n";
  fleet_.want({"b"}, wording);
  ASSERT_TRUE(Fleet::eventually([&] {
    return fleet_.plan("a").dump().find("the file lists no voter that lives, and drops a") != std::string::npos;
  }));
  EXPECT_EQ(fleet_.plan("a").dump().find("\"id\": \"remove/a"), std::string::npos);
  EXPECT_TRUE(stays([&] { return fleet_.are_voters({"a"}) && fleet_.steps_begun("remove/").empty(); }));
  EXPECT_EQ(fleet_.get("k"), "v");
  fleet_.want({"a"});
  EXPECT_TRUE(fleet_.settle("a"));
  EXPECT_EQ(fleet_.steps_done(), steps);
}

// Etcd has done it; the agent does not know.
TEST_P(Leaving, B13_AnAdditionWhoseAnswerIsLostIsRecognisedAndNotMadeAgain) {
  fleet_.form({"a"});
  fleet_.kill("a");
  start_held(fleet_, "a", "HOLD_SENDING=Cluster/MemberAdd");
  ASSERT_TRUE(fleet_.settle("a"));
  fleet_.want({"a", "b"});
  fleet_.start("b");
  ASSERT_TRUE(is_held(fleet_, "a"));
  base::MemberId added;
  ASSERT_TRUE(Fleet::eventually([&] {
    const auto list = fleet_.list();
    if (!list || list->members.size() != 2) return false;
    added = list->members[list->members[0].learner ? 0 : 1].id;
    return true;
  })) << "the request has arrived";
  fleet_.resume("a");
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}));
  EXPECT_TRUE(fleet_.settle("a"));
  EXPECT_EQ(fleet_.id_of("b"), added);
  for (const model::JournalEntry& entry : fleet_.journals()) {
    EXPECT_NE(entry.event, model::JournalEvent::Failed) << entry.step << ": " << entry.text;
  }
  EXPECT_THAT(fleet_.steps_begun("add-member/"), SizeIs(1));
  EXPECT_THAT(fleet_.steps_begun("remove/"), IsEmpty());
}

TEST_P(Leaving, C08_AMemberThatWasRemovedAndIsNoLongerListedStaysOutWhenItsMachineReturns) {
  fleet_.form({"a", "b", "c"}, patient());
  truth::Writer writer(fleet_.client_urls({"a", "b"}));
  const base::MemberId removed = fleet_.id_of("c");
  fleet_.kill("c");
  fleet_.kill_etcd("c");
  fleet_.want({"a", "b"}, patient());
  ASSERT_TRUE(approve_all("a"));
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}));
  fleet_.start("c");  // with its data and its memory of the time before
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.set_aside("c").size() == 1; })) << "its node is cleaned";
  EXPECT_TRUE(stays([&] { return fleet_.etcd_pid("c") == 0 && fleet_.are_voters({"a", "b"}); }));
  EXPECT_THAT(fleet_.steps_begun("add-member/"), IsEmpty());
  EXPECT_THAT(fleet_.steps_done("remove/"), ElementsAre("remove/c@" + base::to_string(removed)));
  expect_nothing_lost(fleet_, writer);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Leaving, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
