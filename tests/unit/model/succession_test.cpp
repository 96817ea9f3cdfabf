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
