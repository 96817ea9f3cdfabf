// Whom to believe: lists of members that are partial, old, of another cluster, or of half a cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/model/step.h"
#include "reconciler/observe/observe.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_node.h"
#include "tests/fakes/one_by_one.h"
#include "tests/unit/observe/scripted_etcd.h"

namespace quorate::observe {
namespace {

using testing::HasSubstr;

constexpr base::ClusterId kOurs{0xcdf8};
constexpr base::ClusterId kTheirs{0xbad};
constexpr base::Duration kLittle{100};

std::string url(int member) {
  return "http://10.0.0." + std::to_string(10 + member) + ":2379";
}

base::MemberId id(int member) {
  return {static_cast<std::uint64_t>(0xa0 + member)};
}

model::ListedMember listed(int member) {
  return {id(member),
          std::string(1, static_cast<char>('a' + member)),
          {"http://10.0.0." + std::to_string(10 + member) + ":2380"},
          {url(member)},
          false};
}

std::vector<model::ListedMember> list_of(const std::vector<int>& members) {
  std::vector<model::ListedMember> list;
  for (const int member : members) list.push_back(listed(member));
  return list;
}

class Believe : public testing::Test {
 protected:
  // A member that answers everything, with this list.
  Script& answers(int member, const std::vector<int>& list, base::ClusterId cluster = kOurs,
                  const std::string& version = "3.5.21", std::uint64_t term = 4) {
    Script& script = etcd_.at[url(member)];
    const ports::Answered from{cluster, id(member), 100, term};
    ports::StatusAnswer status;
    status.from = from;
    status.status.version = version;
    status.status.leader = id(0);
    status.status.raft_term = term;
    script.status = status;
    script.own_list = script.agreed_list = ports::MemberList{from, list_of(list)};
    script.alarms = std::vector<model::Alarm>{};
    script.reads = true;
    return script;
  }
  // It runs and has no leader.
  Script& without_leader(int member, const std::vector<int>& list) {
    Script& script = answers(member, list);
    script.status->status.leader = {};
    script.agreed_list = transient("etcdserver: no leader");
    script.alarms = transient("etcdserver: no leader");
    script.reads = false;
    return script;
  }

  model::Observed look(const std::vector<std::string>& endpoints) {
    Question question;
    question.endpoints = endpoints;
    question.by = "test";
    question.in_all = in_all_;
    question.silent = silent_;
    model::Observed observed = observe({etcd_, node_, parallel_, clock_, as_nobody_}, question);
    EXPECT_EQ(etcd_.changes, 0);
    return observed;
  }

  ScriptedEtcd etcd_;
  ScriptedEtcd stranger_;                  // the client that logs in nowhere
  ports::EtcdAdmin* as_nobody_ = nullptr;  // null: no user is named, and there is one client for all
  std::optional<base::Duration> in_all_;
  std::map<std::string, base::Duration> silent_;
  fakes::FakeNode node_;
  fakes::OneByOne parallel_;
  fakes::FakeClock clock_;
};

}  // namespace

TEST_F(Believe, ThreeThatAgreeAreAMembership) {
  for (int member : {0, 1, 2}) answers(member, {0, 1, 2});
  const auto seen = look({url(0), url(1), url(2)});
  ASSERT_TRUE(seen.membership);
  EXPECT_EQ(seen.membership->cluster, kOurs);
  EXPECT_TRUE(seen.membership->linearizable);
  ASSERT_EQ(seen.membership->members.size(), 3u);
  for (const auto& member : seen.membership->members) EXPECT_TRUE(model::is_up(member));
  EXPECT_EQ(model::leader_of(seen), id(0));
  ASSERT_EQ(seen.endpoints.size(), 3u);
  EXPECT_EQ(*seen.endpoints[1].member, id(1));
}

TEST_F(Believe, MembersFoundOnlyThroughTheListAreAskedInASecondRound) {
  for (int member : {0, 1, 2}) answers(member, {0, 1, 2});
  const auto seen = look({url(1)});
  ASSERT_TRUE(seen.membership);
  EXPECT_EQ(model::quorum_of(seen).up, 3);
  EXPECT_EQ(etcd_.asked.at(url(0)), 1);
  EXPECT_EQ(etcd_.asked.at(url(2)), 1);
}

TEST_F(Believe, WhoWasSilentIsAskedForItsStatusAndForTheRestOnceItSpeaks) {
  for (int member : {0, 1, 2}) answers(member, {0, 1, 2});
  silent_ = {{url(1), kLittle}, {url(2), kLittle}};
  etcd_.at.erase(url(2));
  const auto seen = look({url(0), url(1), url(2)});
  ASSERT_TRUE(seen.membership) << seen.membership.why();
  EXPECT_TRUE(seen.membership->linearizable);
  EXPECT_EQ(model::quorum_of(seen).up, 2);
  EXPECT_TRUE(seen.endpoints[1].cluster);
  EXPECT_FALSE(seen.endpoints[2].cluster);
  EXPECT_GT(etcd_.times.at(0), kLittle);
  EXPECT_EQ(etcd_.times.at(1), kLittle) << "others are not kept waiting for it";
}

TEST_F(Believe, NoPasswordGoesToAnAddressThatOneListAloneNames) {
  answers(0, {0, 1, 2});
  as_nobody_ = &stranger_;
  const auto seen = look({url(0)});
  EXPECT_FALSE(seen.membership);
  EXPECT_EQ(etcd_.asked.count(url(1)) + etcd_.asked.count(url(2)), 0u);
  EXPECT_EQ(stranger_.asked.at(url(1)), 1);
  EXPECT_EQ(stranger_.asked.count(url(0)), 0u);
}

TEST_F(Believe, WhoeverAMajorityListsIsAskedWithThePassword) {
  for (int member : {0, 1, 2}) answers(member, {0, 1, 2});
  as_nobody_ = &stranger_;
  look({url(0), url(1)});
  EXPECT_EQ(etcd_.asked.at(url(2)), 1);
  EXPECT_TRUE(stranger_.asked.empty());
}

TEST_F(Believe, OneEndpointSufficesWithAPasswordToo) {
  for (int member : {0, 1, 2}) answers(member, {0, 1, 2});
  for (int member : {1, 2}) {  // without a token the status is all that is given
    stranger_.at[url(member)].status = etcd_.at[url(member)].status;
  }
  as_nobody_ = &stranger_;
  const auto seen = look({url(0)});
  ASSERT_TRUE(seen.membership);
  EXPECT_EQ(model::quorum_of(seen).up, 3);
  EXPECT_EQ(stranger_.asked.at(url(2)), 1);
  EXPECT_EQ(etcd_.asked.at(url(2)), 1) << "once a majority has answered";
}

TEST_F(Believe, TheWholeLookHasOneEnd) {
  for (int member : {0, 1, 2}) answers(member, {0, 1, 2});
  in_all_ = base::Duration{3000};
  etcd_.at_each_status = [&](base::Duration) { clock_.advance(base::Duration{2000}); };
  look({url(0), url(1), url(2)});
  EXPECT_THAT(etcd_.times, testing::ElementsAre(base::Duration{2000}, base::Duration{1000}, base::Duration{0}));
}

TEST_F(Believe, AnEndpointGivenTwiceIsAskedOnce) {
  for (int member : {0, 1, 2}) answers(member, {0, 1, 2});
  const auto seen = look({url(0), url(1), url(0), url(2), url(1)});
  EXPECT_EQ(seen.endpoints.size(), 3u);
  for (const auto& [endpoint, times] : etcd_.asked) EXPECT_EQ(times, 1) << endpoint;
}

TEST_F(Believe, AListThatNamesHundredsOfMembersIsNotFollowedForever) {
  std::vector<int> many;
  for (int member = 0; member < 200; ++member) many.push_back(member);
  answers(0, many);
  const auto seen = look({url(0)});
  EXPECT_FALSE(seen.membership);
  EXPECT_LE(etcd_.asked.size(), 40u);
}

TEST_F(Believe, B18OneEndpointsWordIsNotEnoughForAListOfThree) {
  answers(0, {0, 1, 2});
  const auto seen = look({url(0)});
  ASSERT_FALSE(seen.membership);
  EXPECT_THAT(seen.membership.why(), HasSubstr("1 of 3 voters answered, too few to believe their member list"));
  EXPECT_THAT(seen.membership.why(), HasSubstr(url(1) + ": connection refused"));
}

TEST_F(Believe, B18APartialListLosesAgainstTheOneThatAMajorityHas) {
  answers(0, {0, 1, 2});
  answers(1, {0, 1, 2});
  Script& behind = answers(2, {2});  // still reading its log
  behind.agreed_list = transient("etcdserver: no leader");
  behind.reads = false;
  const auto seen = look({url(2), url(0), url(1)});
  ASSERT_TRUE(seen.membership);
  EXPECT_EQ(seen.membership->members.size(), 3u);
}

TEST_F(Believe, B18APartialListInA34ClusterDoesNotCountWhateverItIsCalled) {
  answers(0, {0, 1, 2}, kOurs, "3.4.23");
  answers(1, {0, 1, 2}, kOurs, "3.4.23");
  answers(2, {0, 2}, kOurs, "3.4.23");
  const auto seen = look({url(2), url(0), url(1)});
  ASSERT_TRUE(seen.membership);
  EXPECT_TRUE(seen.membership->linearizable);
  EXPECT_EQ(seen.membership->members.size(), 3u);
}

TEST_F(Believe, AListOf34WithoutAMajorityThatHasTheSameIsNotAgreed) {
  answers(0, {0, 1, 2}, kOurs, "3.4.23");
  answers(1, {0, 1}, kOurs, "3.4.23");
  answers(2, {1, 2}, kOurs, "3.4.23");
  const auto seen = look({url(0), url(1), url(2)});
  ASSERT_TRUE(seen.membership);
  EXPECT_FALSE(seen.membership->linearizable);
}

TEST_F(Believe, TheAgreedListIsPreferredToWhatAMemberRemembers) {
  for (int member : {0, 1, 2}) answers(member, {0, 1, 2});
  etcd_.at[url(0)].own_list->members = list_of({0, 1});  // not applied yet
  etcd_.at[url(0)].own_list->from.term = 9;
  etcd_.at[url(0)].agreed_list = transient("too slow");
  const auto seen = look({url(0), url(1), url(2)});
  ASSERT_TRUE(seen.membership);
  EXPECT_TRUE(seen.membership->linearizable);
  EXPECT_EQ(seen.membership->members.size(), 3u);
}

TEST_F(Believe, TwoClustersAreNobodysMembershipAndBothAreNamed) {
  for (int member : {0, 1}) answers(member, {0, 1});
  answers(5, {5}, kTheirs);
  const auto seen = look({url(0), url(1), url(5)});
  ASSERT_FALSE(seen.membership);
  EXPECT_THAT(seen.membership.why(), HasSubstr("two clusters answer: "));
  EXPECT_THAT(seen.membership.why(), HasSubstr("cdf8"));
  EXPECT_THAT(seen.membership.why(), HasSubstr("bad"));
  EXPECT_EQ(*seen.endpoints[2].cluster, kTheirs);
}

TEST_F(Believe, AnotherClusterThatShowsItsStatusAloneIsAnotherClusterAllTheSame) {
  for (int member : {0, 1, 2}) answers(member, {0, 1, 2});
  Script& other = answers(5, {5}, kTheirs);
  other.own_list = transient("permission denied");
  other.agreed_list = transient("permission denied");
  const auto seen = look({url(0), url(1), url(2), url(5)});
  ASSERT_FALSE(seen.membership);
  EXPECT_THAT(seen.membership.why(), HasSubstr("at " + url(5)));
}

TEST_F(Believe, HalvesOfAClusterThatWasForcedApartAreNotTakenForOne) {
  answers(0, {0, 1, 2}, kOurs, "3.5.21", 4);
  answers(1, {0, 1, 2}, kOurs, "3.5.21", 4);
  answers(2, {2}, kOurs, "3.5.21", 7).status->status.leader = id(2);  // --force-new-cluster keeps the cluster ID
  const auto seen = look({url(0), url(1), url(2)});
  ASSERT_FALSE(seen.membership);
  EXPECT_THAT(seen.membership.why(), HasSubstr("two member lists"));
}

TEST_F(Believe, ALearnerAsTheOnlyEndpointSaysWhyItCannotSay) {
  Script& learner = answers(3, {0, 1, 2});
  learner.status->learner = true;
  learner.own_list = learner.agreed_list = transient("etcdserver: rpc not supported for learner");
  learner.reads = false;
  const auto seen = look({url(3)});
  ASSERT_FALSE(seen.membership);
  EXPECT_THAT(seen.membership.why(), HasSubstr("no member list: etcdserver: rpc not supported for learner"));
  EXPECT_TRUE(seen.endpoints[0].cluster);
}

TEST_F(Believe, AnEndpointThatIsAnotherMemberIsNotTakenForTheOneThatIsListedThere) {
  answers(0, {0, 1, 2});
  answers(1, {0, 1, 2});
  etcd_.at[url(2)] = etcd_.at[url(1)];  // a balancer, or a wrong DNS name
  const auto seen = look({url(0), url(1), url(2)});
  ASSERT_TRUE(seen.membership);
  const auto* third = model::member_of(seen, id(2));
  ASSERT_FALSE(third->status);
  EXPECT_EQ(third->status.why(), url(2) + " is another member");
  EXPECT_EQ(model::quorum_of(seen).up, 2);
}

TEST_F(Believe, TheWordsOfADeadEndpointAreKept) {
  answers(0, {0, 1, 2});
  answers(1, {0, 1, 2});
  etcd_.at[url(2)].status = transient("the certificate of 10.0.0.12 has expired");
  const auto seen = look({url(0), url(1), url(2)});
  ASSERT_TRUE(seen.membership);
  EXPECT_EQ(model::member_of(seen, id(2))->status.why(), "the certificate of 10.0.0.12 has expired");
  EXPECT_EQ(seen.endpoints[2].cluster.why(), "the certificate of 10.0.0.12 has expired");
  EXPECT_EQ(model::member_of(seen, id(2))->silent_since.why(), "no agent watches it");
}

TEST_F(Believe, NobodyAtAllSaysSoForEachAddress) {
  const auto seen = look({url(0), url(1)});
  ASSERT_FALSE(seen.membership);
  EXPECT_EQ(seen.membership.why(), url(0) + ": connection refused; " + url(1) + ": connection refused");
  EXPECT_FALSE(seen.alarms);
}

TEST_F(Believe, NoEndpointIsNoAnswer) {
  EXPECT_EQ(look({}).membership.why(), "there is no endpoint to ask");
}

TEST_F(Believe, C12WithoutALeaderTheListIsKnownAndNotAgreed) {
  without_leader(0, {0, 1, 2});
  without_leader(1, {0, 1, 2});
  const auto seen = look({url(0), url(1), url(2)});
  ASSERT_TRUE(seen.membership);
  EXPECT_FALSE(seen.membership->linearizable);
  EXPECT_EQ(model::quorum_of(seen).up, 0);
  EXPECT_EQ(model::member_of(seen, id(0))->serves.why(), "no leader");
}

TEST_F(Believe, C12WithOneOfThreeLeftTheListIsNotBelieved) {
  without_leader(0, {0, 1, 2});
  EXPECT_FALSE(look({url(0), url(1), url(2)}).membership);
}

TEST_F(Believe, C12AMajorityOfAListThatAnotherMemberHasSeenReplacedIsNone) {
  without_leader(0, {0, 1, 2, 3, 4, 5}).status->status.raft_applied = 200;
  without_leader(1, {0, 1, 2, 3, 4, 5}).status->status.raft_applied = 200;
  without_leader(2, {0, 1, 2, 3, 4}).status->status.raft_applied = 100;  // it has not heard of the sixth
  const auto seen = look({url(0), url(1), url(2)});
  ASSERT_FALSE(seen.membership);
  EXPECT_THAT(seen.membership.why(), HasSubstr("3 of 6 voters answered"));
}

TEST_F(Believe, C12OfTwoListsWithAMajorityTheOneThatReachesFurtherIsBelieved) {
  without_leader(0, {0, 1, 2, 3}).status->status.raft_applied = 200;
  without_leader(1, {0, 1, 2}).status->status.raft_applied = 100;
  without_leader(2, {0, 1, 2}).status->status.raft_applied = 100;
  const auto seen = look({url(0), url(1), url(2)});
  ASSERT_TRUE(seen.membership);
  EXPECT_EQ(seen.membership->members.size(), 4u);
}

TEST_F(Believe, AMemberThatNeverStartedIsNotAskedAndSaysSo) {
  for (int member : {0, 1}) answers(member, {0, 1});
  model::ListedMember joining{id(7), "", {"http://10.0.0.17:2380"}, {}, true};
  for (int member : {0, 1}) {
    etcd_.at[url(member)].own_list->members.push_back(joining);
    etcd_.at[url(member)].agreed_list->members.push_back(joining);
  }
  const auto seen = look({url(0), url(1)});
  ASSERT_TRUE(seen.membership);
  EXPECT_EQ(model::member_of(seen, id(7))->status.why(), "it has not started");
}

TEST_F(Believe, WhetherThereIsSomethingToCompactIsAskedOnlyWhileAnAlarmStands) {
  for (int member : {0, 1, 2}) answers(member, {0, 1, 2}).status->status.revision = 50'000;
  const auto calm = look({url(0), url(1), url(2)});
  EXPECT_FALSE(calm.compact_revision);
  EXPECT_THAT(etcd_.counted, testing::IsEmpty());
  etcd_.at[url(0)].alarms = std::vector<model::Alarm>{{id(0), model::AlarmKind::NoSpace}};
  const auto alarmed = look({url(0), url(1), url(2)});
  ASSERT_TRUE(alarmed.compact_revision);
  EXPECT_EQ(*alarmed.compact_revision, 0);
  EXPECT_THAT(etcd_.counted, testing::ElementsAre(48'999));
  EXPECT_EQ(etcd_.hashes, 0) << "a full database is large, and would be read at each look";
  ASSERT_TRUE(alarmed.alarms);
  EXPECT_EQ(alarmed.alarms->size(), 1u);
}

TEST_F(Believe, WhatIsCompactedAlreadyNeedsNoCompaction) {
  Script& only = answers(0, {0});
  only.alarms = std::vector<model::Alarm>{{id(0), model::AlarmKind::NoSpace}};
  only.status->status.revision = 50'000;
  etcd_.compacted = 49'000;
  EXPECT_EQ(*look({url(0)}).compact_revision, 49'000);
}

TEST_F(Believe, AShortHistoryHasNothingToCompact) {
  Script& only = answers(0, {0});
  only.alarms = std::vector<model::Alarm>{{id(0), model::AlarmKind::NoSpace}};
  only.status->status.revision = 900;
  EXPECT_EQ(*look({url(0)}).compact_revision, 0);
  EXPECT_THAT(etcd_.counted, testing::IsEmpty());
}

}  // namespace quorate::observe
