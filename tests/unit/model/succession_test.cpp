// A cluster has a successor from the moment when the seed of one is started.
#include "reconciler/model/succession.h"

#include <gtest/gtest.h>

namespace quorate::model {

TEST(Succession, BeginsWithTheStartOfTheSeedAndWithItAlone) {
  const base::ClusterId before{1};
  Observed observed;
  EXPECT_FALSE(has_successor(observed, before));
  NodeFacts node;
  node.member = "b";
  node.standing.emplace();
  Decision decision;
  decision.seed = "a";
  decision.after = {before};
  node.standing->pledge = Pledge{decision, true, true, 1, ""};
  observed.nodes = {node};
  EXPECT_FALSE(has_successor(observed, before)) << "nobody speaks for the seed but the seed";
  observed.nodes[0].member = "a";
  EXPECT_TRUE(has_successor(observed, before));
  EXPECT_FALSE(has_successor(observed, {2}));
  observed.nodes[0].standing->pledge->started = false;
  EXPECT_FALSE(has_successor(observed, before)) << "it may still be given up";
}

TEST(Succession, WhatWasRestoredHasBegunWhenItHasHadALeader) {
  Decision decision;
  decision.after = {base::ClusterId{1}};
  DataDir data;
  data.state = DataState::Valid;
  data.cluster = {2};
  data.term = 1;
  EXPECT_FALSE(has_begun(decision, data)) << "as etcdutl leaves it";
  data.term = 2;
  EXPECT_TRUE(has_begun(decision, data));
  data.state = DataState::Damaged;
  EXPECT_TRUE(has_begun(decision, data)) << "what it holds may still be all that there is";
  data.cluster = {1};
  EXPECT_FALSE(has_begun(decision, data)) << "what is to be replaced";
  EXPECT_FALSE(has_begun(decision, DataDir{}));
}

TEST(Succession, WhatHasBegunGoesOnWhereAllKeepToItAndNothingElseServes) {
  Decision decision;
  decision.id = "d1";
  decision.seed = "a";
  decision.founders = {{"a", {}, ""}, {"b", {}, ""}};
  decision.after = {base::ClusterId{1}};
  Observed observed;
  for (const char* member : {"a", "b"}) {
    NodeFacts node;
    node.member = member;
    node.standing.emplace();
    node.standing->pledge = Pledge{decision, true, false, 1, ""};
    node.process = Fact<Process>::known({}, {});
    observed.nodes.push_back(node);
  }
  DataDir data;
  data.state = DataState::Valid;
  data.cluster = {2};
  data.term = 2;
  observed.nodes[0].data = Fact<DataDir>::known(data, {});
  observed.nodes[1].data = Fact<DataDir>::known(DataDir{}, {});
  EXPECT_TRUE(may_be_taken_up(decision, observed));
  auto other = observed;
  other.nodes[1].standing->pledge.reset();
  EXPECT_FALSE(may_be_taken_up(decision, other)) << "b has gone back, and may be part of another cluster";
  other = observed;
  other.nodes[1].standing.reset();
  EXPECT_FALSE(may_be_taken_up(decision, other)) << "nobody hears b";
  other = observed;
  other.membership = Fact<Membership>::known({{1}, true, {}}, {});
  EXPECT_FALSE(may_be_taken_up(decision, other)) << "the cluster before serves again";
  other.membership = Fact<Membership>::known({{2}, true, {}}, {});
  EXPECT_TRUE(may_be_taken_up(decision, other)) << "it is this one";
  other = observed;
  other.formed = Fact<Formed>::known({{3}, "d2", 2, {"b"}, {base::ClusterId{1}}}, {});
  EXPECT_FALSE(may_be_taken_up(decision, other)) << "another decision was carried out in its place";
}

TEST(Succession, IsKnownOfOneThatWasFormed) {
  Observed observed;
  observed.formed = Fact<Formed>::known({{2}, "d", 2, {"a"}, {base::ClusterId{1}}}, {});
  EXPECT_TRUE(has_successor(observed, {1}));
  EXPECT_FALSE(has_successor(observed, {2}));
}

TEST(Succession, AnotherDecisionMayBeCarriedOutInItsPlace) {
  Decision decision;
  decision.id = "d1";
  decision.after = {base::ClusterId{1}};
  EXPECT_FALSE(is_superseded(decision, {{2}, "d1", 2, {"a"}, {base::ClusterId{1}}}));
  EXPECT_TRUE(is_superseded(decision, {{3}, "d2", 2, {"a"}, {base::ClusterId{1}}}));
  EXPECT_TRUE(is_superseded(decision, {{3}, "d2", 3, {"a"}, {base::ClusterId{2}, base::ClusterId{1}}}));
  EXPECT_FALSE(is_superseded(decision, {{1}, "d0", 1, {"a"}, {}}));
}

}  // namespace quorate::model
