// When a promise has been kept, and what stood in the place before may be set aside.
#include "reconciler/loop/pledge_end.h"

#include <gtest/gtest.h>

#include "tests/support/cluster_world.h"

namespace quorate::loop {
namespace {

using support::Role;
using support::WorldBuilder;

constexpr const char* kDecision = "d2";

// Three voters of a cluster that was brought back, and what the agent of the third sees.
class PledgeEnds : public testing::Test {
 protected:
  explicit PledgeEnds(Role third = Role::Voter) {
    support::Slot slot;
    slot.role = third;
    auto world = WorldBuilder({support::Slot{}, support::Slot{}, slot}).build();
    view_.desired = world.desired;
    view_.observed = world.observed;
    view_.me = view_.desired.members.back();
    view_.listed = true;
    view_.serving = "http://a:2379";
    auto followed = std::make_shared<Followed>();
    followed->digest = "f1";
    view_.followed = followed;
    model::Records records;
    records.in_force.digest = "f1";
    view_.agents.records = records;
    model::Decision decision;
    decision.id = kDecision;
    decision.seed = view_.desired.members.front().name;
    decision.after = {{0x7e}};
    memory_.standing.pledge = model::Pledge{decision, true, false, 0, ""};
    memory_.formed.emplace();
    memory_.formed->cluster = view_.observed.membership->cluster;
    memory_.formed->decision = kDecision;
    memory_.formed->after = {{0x7e}};
  }
  void drop() {
    view_.listed = false;
    view_.desired.members.pop_back();
  }
  PledgeEnd end() const { return end_of_pledge(view_, memory_); }

  AgentView view_;
  model::Memory memory_;
};

class PledgeOfOneThatIsOut : public PledgeEnds {
 protected:
  PledgeOfOneThatIsOut() : PledgeEnds(Role::Absent) {}
};

}  // namespace

TEST_F(PledgeEnds, WhenItsMemberVotesInTheClusterOfTheDecision) {
  EXPECT_EQ(end(), PledgeEnd::Settled);
  view_.serving.clear();
  EXPECT_EQ(end(), PledgeEnd::NotYet) << "nobody confirms it";
}

TEST_F(PledgeEnds, ButNotWhileOthersNeedWhatItsSeedKeeps) {
  for (const char* name : {"x", "y", "z"}) {
    model::Member joining = view_.me;
    joining.name = name;
    view_.desired.members.push_back(joining);
  }
  EXPECT_EQ(end(), PledgeEnd::NotYet);
}

TEST_F(PledgeOfOneThatIsOut, StaysUntilItsMemberIsBackInTheCluster) {
  EXPECT_EQ(end(), PledgeEnd::NotYet);
}

TEST_F(PledgeOfOneThatIsOut, EndsWhereTheFileDoesNotWantItBack) {
  view_.me.retire = true;
  EXPECT_EQ(end(), PledgeEnd::Settled);
  view_.me.retire = false;
  drop();
  EXPECT_EQ(end(), PledgeEnd::Settled);
}

TEST_F(PledgeOfOneThatIsOut, StaysWhereOnlyAFileThatIsNotInForceHasDroppedIt) {
  drop();
  view_.agents.records->in_force.digest = "f2";
  EXPECT_EQ(end(), PledgeEnd::NotYet);
}

TEST_F(PledgeOfOneThatIsOut, StaysWhileAnotherClusterServes) {
  drop();
  memory_.formed->decision = "d1";
  memory_.formed->after = {{0x99}};
  EXPECT_EQ(end(), PledgeEnd::NotYet);
}

TEST_F(PledgeOfOneThatIsOut, EndsWhereAnotherDecisionWasCarriedOutInstead) {
  drop();
  memory_.formed->decision = "d3";
  EXPECT_EQ(end(), PledgeEnd::Settled) << "in the place of all that this one was to replace";
  view_.listed = true;
  EXPECT_EQ(end(), PledgeEnd::NotYet) << "whoever is wanted puts back what stood there";
}

TEST_F(PledgeOfOneThatIsOut, EndsWhereTheClusterThatWasToBeReplacedHasAQuorumAfterAll) {
  drop();
  memory_.formed->decision = "d1";
  memory_.formed->after = {{0x99}};
  model::Pledge& pledge = *memory_.standing.pledge;
  pledge.decision.after = {memory_.formed->cluster};
  EXPECT_EQ(end(), PledgeEnd::Settled);
  pledge.decision.deliberate = true;
  EXPECT_EQ(end(), PledgeEnd::NotYet) << "it is stopped when all have promised";
}

TEST_F(PledgeOfOneThatIsOut, StaysWhereNobodyKnowsItsPlaceAnyMore) {
  drop();
  view_.me.data_dir.clear();
  EXPECT_EQ(end(), PledgeEnd::NotYet);
}

TEST_F(PledgeEnds, AsBegunWhereSomethingElseHasStartedWhatWasRestoredHere) {
  model::Pledge& pledge = *memory_.standing.pledge;
  pledge.decision.seed = view_.me.name;
  pledge.decision.founders = {{view_.me.name, {}, ""}};
  model::NodeFacts& own = *model::node_of(view_.observed, view_.me.name);
  own.standing.emplace();
  own.standing->pledge = pledge;
  own.process = model::Fact<model::Process>::known({}, {});
  own.data.get()->term = 2;  // it has had a leader
  own.data.get()->cluster = memory_.formed->cluster;
  view_.agents.own.facts = own;
  EXPECT_EQ(end(), PledgeEnd::Begun);
  own.data.get()->term = 1;
  view_.agents.own.facts = own;
  EXPECT_NE(end(), PledgeEnd::Begun) << "as it was restored";
}

}  // namespace quorate::loop
