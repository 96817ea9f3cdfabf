// Who votes, where nobody but our own member can say it.
#include "reconciler/loop/own_voters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_etcd.h"

namespace quorate::loop {
namespace {

using testing::UnorderedElementsAre;

constexpr base::Duration kWithin{1000};

class OwnVoters : public testing::Test {
 protected:
  OwnVoters() {
    memory_.member_id = etcd_.id_of("a");
    memory_.standing.voters = model::Voters{etcd_.cluster(), 3, 2, 1, {voter("a", "http://a:2380")}};
  }
  model::Voter voter(const std::string& name, const std::string& url) { return {name, etcd_.id_of(name), {url}}; }
  void join_b() {
    clock_.advance(std::chrono::seconds{10});
    ASSERT_TRUE(etcd_.add_learner("http://a:2379", {"http://b:2380"}, kWithin));
    etcd_.join({"b", "http://b:2380", "http://b:2379"}, base::parse_version("3.5.16").value());
    clock_.advance(std::chrono::seconds{10});
  }
  void promote_b() { ASSERT_TRUE(etcd_.promote("http://a:2379", etcd_.id_of("b"), kWithin)); }
  std::optional<model::Voters> seen() {
    model::Observed observed;
    observed.endpoints.push_back({"http://a:2379", model::Fact<base::ClusterId>::known(etcd_.cluster(), {}),
                                  model::Fact<base::MemberId>::known(etcd_.id_of("a"), {})});
    return own_voters(etcd_, observed, memory_, kWithin);
  }

  fakes::FakeClock clock_;
  fakes::FakeEtcd etcd_{clock_, base::parse_version("3.5.16").value(), {{"a", "http://a:2380", "http://a:2379"}}};
  model::Memory memory_;
};

TEST_F(OwnVoters, AVoterThatWasLostInTheMomentOfItsPromotionIsCounted) {
  join_b();
  promote_b();
  etcd_.stop("b");
  const auto voters = seen();
  ASSERT_TRUE(voters);
  EXPECT_THAT(voters->voters, UnorderedElementsAre(voter("a", "http://a:2380"), voter("b", "http://b:2380")));
  EXPECT_EQ(voters->generation, 3) << "nobody has ordered anything";
  EXPECT_GT(voters->index, 1U);
  EXPECT_TRUE(model::is_newer(*voters, *memory_.standing.voters));
}

TEST_F(OwnVoters, ALearnerIsNone) {
  join_b();
  EXPECT_FALSE(seen());
}

TEST_F(OwnVoters, WhatIsRememberedOfALaterEntryStands) {
  join_b();
  promote_b();
  memory_.standing.voters->index = 1'000'000;
  EXPECT_FALSE(seen());
}

TEST_F(OwnVoters, AnotherMemberInTheSamePlaceSaysNothing) {
  join_b();
  promote_b();
  memory_.member_id.value += 1;
  EXPECT_FALSE(seen());
  memory_.member_id = etcd_.id_of("a");
  memory_.standing.voters->cluster.value += 1;
  EXPECT_FALSE(seen());
}

TEST_F(OwnVoters, OfAClusterThatNobodyHasEverConfirmedAreSaidByALogThatHasGoneOn) {
  memory_.standing.voters.reset();
  memory_.cluster_id = etcd_.cluster();
  memory_.generation = 2;
  const auto voters = seen();
  ASSERT_TRUE(voters);
  EXPECT_EQ(voters->generation, 2);
  EXPECT_THAT(voters->voters, UnorderedElementsAre(voter("a", "http://a:2380")));
  const auto status = etcd_.status("http://a:2379", kWithin);
  ASSERT_TRUE(status);
  etcd_.lag("a", status->status.raft_applied - 1);  // it has written down its founder, and nothing since
  EXPECT_FALSE(seen()) << "they may never have formed it";
}

}  // namespace
}  // namespace quorate::loop
