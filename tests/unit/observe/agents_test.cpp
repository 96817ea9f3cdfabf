// What the agents of a cluster know together: facts of nodes, records, and who has been silent for how long.
#include "reconciler/observe/agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/judged.h"

namespace quorate::observe {
namespace {

using model::DataState;
using model::Fact;
using std::chrono::hours;
using std::chrono::minutes;
using support::Health;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

base::Time now() {
  return support::world_time();
}
base::MemberId id(std::size_t slot) {
  return support::WorldBuilder::id(slot);
}
std::string name(std::size_t slot) {
  return std::string(1, static_cast<char>('a' + slot));
}

// Members a, b, c and so on; a leads, and its agent looks. Nobody has said anything yet.
class Agents : public testing::Test {
 protected:
  void cluster(std::vector<support::Slot> slots, int leader = 0) {
    observed_ = support::WorldBuilder{std::move(slots)}.leader(leader).build().observed;
    for (model::NodeFacts& node : observed_.nodes) view_.own.facts = node.member == "a" ? node : view_.own.facts;
    view_.own.member = "a";
    view_.records = model::Records{};
  }
  void SetUp() override { cluster({support::up(), support::up(), support::with(Health::SilentSince)}); }

  model::AgentReport& report(std::size_t slot) {
    if (slot == 0) return view_.own;
    for (ports::PeerAnswer& answer : view_.answers) {
      if (answer.member == name(slot) && answer.report) return *answer.report;
    }
    model::AgentReport report;
    report.member = report.facts.member = name(slot);
    view_.answers.push_back({name(slot), report});
    return *view_.answers.back().report;
  }
  // The agent of one has not seen the other for so long; 0: it sees it.
  void sees(std::size_t one, std::size_t other, base::Duration unseen) {
    report(one).sights.push_back({id(other), unseen});
  }
  void silent(std::size_t slot, const std::string& why = "connection refused") {
    view_.answers.push_back({name(slot), base::invalid(why)});
  }
  const model::Observed& looked() {
    add_agents(observed_, view_);
    return observed_;
  }
  Fact<base::Time> silence_of(std::size_t slot) {
    looked();
    return model::member_of(observed_, id(slot))->silent_since;
  }
  const model::NodeFacts& node(std::size_t slot) { return *model::node_of(looked(), name(slot)); }

  model::Observed observed_;
  AgentsView view_;
};

}  // namespace

// ------------------------------------------------------------------------------------------------------------ nodes
TEST_F(Agents, ANodesFactsAreThoseOfItsOwnAgent) {
  report(1).facts.promised = Fact<std::string>::known("d1", now());
  view_.own.facts.promised = Fact<std::string>::known("d2", now());
  EXPECT_EQ(*node(1).promised, "d1");
  EXPECT_EQ(*node(0).promised, "d2");
}

TEST_F(Agents, ASilentAgentMakesEveryFactOfItsNodeUnknownWithTheReason) {
  model::node_of(observed_, "b")->data = Fact<model::DataDir>::known({}, now());
  silent(1, "no route to host");
  const model::NodeFacts& facts = node(1);
  const std::string why = "its agent does not answer: no route to host";
  ASSERT_FALSE(facts.data || facts.manifest || facts.process || facts.certificates || facts.binaries || facts.disk ||
               facts.promised || facts.incarnation || facts.run);
  for (const std::string& said :
       {facts.data.why(), facts.manifest.why(), facts.process.why(), facts.certificates.why(), facts.binaries.why(),
        facts.disk.why(), facts.promised.why(), facts.incarnation.why(), facts.run.why()}) {
    EXPECT_EQ(said, why);
  }
  EXPECT_EQ(facts.data.at(), now());
}

TEST_F(Agents, AMemberThatTheFileNoLongerListsHasANodeToo) {
  report(8).facts.promised = Fact<std::string>::known("d1", now());
  EXPECT_EQ(*node(8).promised, "d1");
  EXPECT_TRUE(
      std::is_sorted(observed_.nodes.begin(), observed_.nodes.end(),
                     [](const model::NodeFacts& one, const model::NodeFacts& two) { return one.member < two.member; }));
}

TEST_F(Agents, DataOfAnotherClusterAreForeignWhoeverReportsThem) {
  model::DataDir data;
  data.state = DataState::Valid;
  data.cluster = {0xbad};
  report(1).facts.data = Fact<model::DataDir>::known(data, now());
  EXPECT_EQ(node(1).data->state, DataState::Foreign);
}

// ----------------------------------------------------------------------------------------------------------- silence
TEST_F(Agents, AQuorumOfWitnessesWithTheLeadersAgentProvesASilence) {
  sees(0, 2, minutes{9});
  sees(1, 2, minutes{7});
  const auto silence = silence_of(2);
  ASSERT_TRUE(silence) << silence.why();
  EXPECT_EQ(*silence, now() - minutes{7}) << "the shortest counts";
}

TEST_F(Agents, OneWitnessOfThreeVotersIsTooFew) {
  sees(0, 2, minutes{9});
  EXPECT_EQ(silence_of(2).why(), "1 agents of voters do not see it, needs 2");
}

TEST_F(Agents, WithoutTheLeadersAgentNothingIsProven) {
  cluster({support::up(), support::up(), support::with(Health::SilentSince), support::up(), support::up()}, 4);
  for (const std::size_t witness : {0u, 1u, 3u}) sees(witness, 2, minutes{9});
  EXPECT_THAT(silence_of(2).why(), HasSubstr("the agent of the leader has not said"));
  sees(4, 2, minutes{9});
  EXPECT_TRUE(silence_of(2));
}

TEST_F(Agents, OneWhoSeesItSpoilsIt) {
  cluster({support::up(), support::up(), support::with(Health::SilentSince), support::up(), support::up()});
  for (const std::size_t witness : {0u, 1u, 3u}) sees(witness, 2, minutes{9});
  sees(4, 2, base::Duration{0});
  EXPECT_EQ(silence_of(2).why(), "the agent of e sees it");
}

TEST_F(Agents, AnAgentThatDoesNotSpeakOfItIsNoWitnessEitherWay) {
  sees(0, 2, minutes{9});
  sees(1, 0, base::Duration{0});  // sees others, and was blind for this one
  EXPECT_THAT(silence_of(2).why(), HasSubstr("needs 2"));
}

TEST_F(Agents, ALearnersAgentIsNoWitness) {
  support::Slot learner;
  learner.role = support::Role::Learner;
  cluster({support::up(), support::up(), support::with(Health::SilentSince), learner});
  sees(0, 2, minutes{9});
  sees(3, 2, minutes{9});
  EXPECT_THAT(silence_of(2).why(), HasSubstr("1 agents of voters"));
  cluster({support::up(), support::up(), support::with(Health::SilentSince), learner});
  sees(1, 2, minutes{9});
  sees(3, 2, base::Duration{0});  // and cannot deny it: a connection to it would be that of the leader as well
  EXPECT_TRUE(silence_of(2));
}

TEST_F(Agents, AnAgentOfNobodyInTheListIsNoWitness) {
  sees(0, 2, minutes{9});
  sees(8, 2, minutes{9});
  EXPECT_FALSE(silence_of(2));
}

TEST_F(Agents, AMemberWhoseOwnAgentAnswersIsNotDead) {
  sees(0, 2, minutes{9});
  sees(1, 2, minutes{9});
  report(2);
  EXPECT_EQ(silence_of(2).why(), "its own agent answers");
}

TEST_F(Agents, AnAgentWhoseDataCannotBeUsedDoesNotKeepItsMemberAlive) {
  for (const auto state : {DataState::Fresh, DataState::Damaged, DataState::Reverted, DataState::Valid}) {
    cluster({support::up(), support::up(), support::with(Health::SilentSince)});
    view_.answers.clear();
    view_.own.sights.clear();
    sees(0, 2, minutes{9});
    sees(1, 2, minutes{9});
    model::DataDir data;
    data.state = state;
    data.member = id(2);
    report(2).facts.data = Fact<model::DataDir>::known(data, now());
    EXPECT_FALSE(silence_of(2)) << "nobody could say whether it runs";
    report(2).facts.process = Fact<model::Process>::known({}, now());
    EXPECT_EQ(silence_of(2).is_known(), state != DataState::Valid);
    report(2).facts.process = Fact<model::Process>::known({true, 7, ""}, now());
    EXPECT_FALSE(silence_of(2)) << "it runs";
  }
}

TEST_F(Agents, DataOfAnotherMemberDoNotKeepThisOneAlive) {
  sees(0, 2, minutes{9});
  sees(1, 2, minutes{9});
  model::DataDir data;
  data.state = DataState::Valid;
  data.member = base::MemberId{0x9999};
  report(2).facts.data = Fact<model::DataDir>::known(data, now());
  report(2).facts.process = Fact<model::Process>::known({}, now());
  EXPECT_TRUE(silence_of(2));
}

TEST_F(Agents, ASightOfAnEarlierMemberOfThatNameIsNoneOfThisOne) {
  sees(0, 2, minutes{9});
  report(1).sights.push_back({base::MemberId{0x9999}, minutes{9}});
  EXPECT_FALSE(silence_of(2));
}

TEST_F(Agents, OfAMemberThatIsUpNobodySaysThatItIsSilent) {
  sees(0, 1, minutes{9});
  sees(1, 1, minutes{9});
  EXPECT_FALSE(silence_of(1));
}

// ----------------------------------------------------------------------------------------------------------- records
TEST_F(Agents, WhatEtcdHasCountsBeforeWhatAgentsRemember) {
  view_.own.formed = model::Formed{{0x1}, "remembered", 1, {}};
  view_.own.applied = model::Applied{"remembered", {}};
  view_.records->formed = model::Formed{{0x1}, "recorded", 1, {}};
  view_.records->applied = model::Applied{"recorded", {}};
  EXPECT_EQ(looked().formed->decision, "recorded");
  EXPECT_EQ(looked().applied->digest, "recorded");
}

TEST_F(Agents, WithoutRecordsTheMemoryOfAnyAgentWillDo) {
  view_.records = base::invalid("no quorum");
  report(1).formed = model::Formed{{0x1}, "remembered", 1, {}};
  report(1).applied = model::Applied{"remembered", {"x"}};
  EXPECT_EQ(looked().formed->decision, "remembered");
  EXPECT_EQ(looked().applied->digest, "remembered");
  EXPECT_EQ(looked().announced.why(), "no quorum");
}

TEST_F(Agents, WhereNobodyRemembersAnythingItIsUnknown) {
  EXPECT_EQ(looked().formed.why(), "no agent remembers one");
  EXPECT_EQ(looked().applied.why(), "no agent remembers one");
  EXPECT_TRUE(looked().announced);
}

TEST_F(Agents, HealsOlderThanADayAreLeftOut) {
  view_.records->heals = {now() - hours{25}, now() - hours{24}, now() - hours{23}, now()};
  EXPECT_THAT(*looked().heals_of_the_day, ElementsAre(now() - hours{23}, now()));
}

TEST_F(Agents, WhatIsAnnouncedAndWhenItChangedLastComeFromTheRecords) {
  view_.records->announced.condemned = {id(2)};
  view_.records->last_change = now() - minutes{3};
  EXPECT_THAT(looked().announced->condemned, ElementsAre(id(2)));
  EXPECT_EQ(*looked().last_change, now() - minutes{3});
}

TEST_F(Agents, WhileNoMemberListIsKnownOnlyNodesAreAdded) {
  observed_.membership = Fact<model::Membership>::unknown("connection refused", now());
  sees(0, 2, minutes{9});
  silent(1);
  EXPECT_THAT(looked().nodes, SizeIs(3));
}

}  // namespace quorate::observe
