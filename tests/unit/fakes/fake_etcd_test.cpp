// Where the twin is stricter than chance allows in a test of the real one: late effects, lags, emptied members,
// versions.
#include "tests/fakes/fake_etcd.h"

#include <gtest/gtest.h>

namespace quorate::fakes {
namespace {

using base::Duration;
using base::ErrorKind;

class FakeEtcdTwin : public testing::Test {
 protected:
  static Seat seat(const std::string& name) { return {name, "http://" + name + ":2380", "http://" + name + ":2379"}; }
  static std::string at(const std::string& name) { return seat(name).client_url; }

  FakeClock clock_;
  FakeEtcd etcd_{clock_, base::parse_version("3.5.30").value(), {seat("a"), seat("b"), seat("c")}};
};

TEST_F(FakeEtcdTwin, AChangeThatAnswersTooLateHasHappened) {
  etcd_.slow("a", Duration(3000));
  const auto put = etcd_.put(at("a"), "k", "v", Duration(1000));
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::Ambiguous);
  const auto read = etcd_.get(at("b"), "k", ports::Consistency::Linearizable, Duration(1000));
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->value, "v");
}

TEST_F(FakeEtcdTwin, AHungMemberCostsTheWholeDeadlineOfTheClock) {
  etcd_.hang("b");
  const base::Time start = clock_.now();
  const auto status = etcd_.status(at("b"), Duration(700));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Transient);
  EXPECT_EQ(clock_.now() - start, Duration(700));
  EXPECT_EQ(etcd_.put(at("b"), "k", "v", Duration(700)).error().kind, ErrorKind::Ambiguous);
}

TEST_F(FakeEtcdTwin, AnEmptiedMemberDoesNotComeBackUnderItsOldId) {
  etcd_.wipe("c");
  etcd_.start("c");
  EXPECT_EQ(etcd_.status(at("c"), Duration(100)).error().kind, ErrorKind::Transient);
  clock_.advance(Duration(10000));
  ASSERT_TRUE(etcd_.remove(at("a"), etcd_.id_of("c"), Duration(5000)));
  const auto added = etcd_.add_learner(at("a"), {seat("c").peer_url}, Duration(5000));
  ASSERT_TRUE(added) << added.error().message;
  etcd_.join(seat("c"), base::parse_version("3.5.30").value());
  clock_.advance(Duration(1000));
  EXPECT_TRUE(etcd_.promote(at("a"), added->member.id, Duration(5000)));
  EXPECT_EQ(etcd_.id_of("c"), added->member.id);
}

TEST_F(FakeEtcdTwin, ALaggingLearnerIsNotPromotedUntilItCatchesUp) {
  clock_.advance(Duration(6000));
  const auto added = etcd_.add_learner(at("a"), {seat("d").peer_url}, Duration(5000));
  ASSERT_TRUE(added);
  etcd_.join(seat("d"), base::parse_version("3.5.30").value());
  etcd_.lag("d", 8);
  clock_.advance(Duration(10000));
  EXPECT_EQ(etcd_.promote(at("a"), added->member.id, Duration(5000)).error().kind, ErrorKind::Transient);
  etcd_.lag("d", 0);
  EXPECT_TRUE(etcd_.promote(at("a"), added->member.id, Duration(5000)));
}

TEST_F(FakeEtcdTwin, ARemovedMemberStopsAndItsIdIsNeverTakenAgain) {
  clock_.advance(Duration(6000));
  const base::MemberId old = etcd_.id_of("b");
  ASSERT_TRUE(etcd_.remove(at("a"), old, Duration(5000)));
  etcd_.start("b");
  EXPECT_FALSE(etcd_.status(at("b"), Duration(100)));
  clock_.advance(Duration(6000));
  const auto added = etcd_.add_learner(at("a"), {seat("b").peer_url}, Duration(5000));
  ASSERT_TRUE(added);
  EXPECT_NE(added->member.id, old);
}

TEST_F(FakeEtcdTwin, AnotherLeadsAfterAnElectionsTime) {
  const base::MemberId before = etcd_.leader();
  for (const char* name : {"a", "b", "c"}) {
    if (etcd_.id_of(name) == before) etcd_.stop(name);
  }
  EXPECT_NE(etcd_.leader(), before);
  for (const char* name : {"a", "b", "c"}) {
    if (etcd_.id_of(name) == before) continue;
    const auto hasty = etcd_.put(at(name), "k", "v", Duration(100));
    EXPECT_EQ(hasty.error().kind, ErrorKind::Ambiguous);
    EXPECT_TRUE(etcd_.put(at(name), "k", "v", Duration(5000)));
    break;
  }
}

TEST_F(FakeEtcdTwin, LeasesAreMeasuredByTimeThatNobodySets) {
  const auto lease = etcd_.grant_lease(at("a"), Duration(10000), Duration(1000));
  ASSERT_TRUE(lease);
  ASSERT_TRUE(etcd_.transact(at("a"), {{}, {{"k", "v", *lease}}}, Duration(1000)));
  clock_.set(clock_.now() + std::chrono::hours(5));
  EXPECT_TRUE(etcd_.keep_lease_alive(at("a"), *lease, Duration(1000)));
  clock_.set(clock_.now() - std::chrono::hours(50));
  clock_.advance(Duration(10000));
  const auto gone = etcd_.get(at("b"), "k", ports::Consistency::Linearizable, Duration(1000));
  ASSERT_TRUE(gone);
  EXPECT_FALSE(*gone);
}

TEST_F(FakeEtcdTwin, LeasesBeginAnewUnderANewLeader) {
  const auto lease = etcd_.grant_lease(at("a"), Duration(10000), Duration(1000));
  ASSERT_TRUE(lease);
  clock_.advance(Duration(9000));
  for (const char* name : {"a", "b", "c"}) {
    if (etcd_.id_of(name) != etcd_.leader()) continue;
    etcd_.stop(name);
    break;
  }
  clock_.advance(Duration(9000));
  int kept = 0;
  for (const char* name : {"a", "b", "c"}) kept += etcd_.keep_lease_alive(at(name), *lease, Duration(1000)) ? 1 : 0;
  EXPECT_EQ(kept, 2);
}

TEST_F(FakeEtcdTwin, LeasesDoNotRunOutWhileNobodyLeads) {
  const auto lease = etcd_.grant_lease(at("a"), Duration(10000), Duration(1000));
  ASSERT_TRUE(lease);
  etcd_.stop("b");
  etcd_.stop("c");
  clock_.advance(Duration(60000));
  EXPECT_EQ(etcd_.grant_lease(at("a"), Duration(10000), Duration(100)).error().kind, ErrorKind::Ambiguous);
  etcd_.start("b");
  clock_.advance(Duration(2000));
  EXPECT_TRUE(etcd_.keep_lease_alive(at("a"), *lease, Duration(1000)));
}

TEST_F(FakeEtcdTwin, ATransactionThatAnswersTooLateHasHappened) {
  etcd_.slow("a", Duration(3000));
  const auto late = etcd_.transact(at("a"), {{}, {{"k", "v", 0}}}, Duration(1000));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::Ambiguous);
  const auto read = etcd_.get(at("b"), "k", ports::Consistency::Linearizable, Duration(1000));
  EXPECT_TRUE(read && *read);
}

TEST_F(FakeEtcdTwin, AnAlarmThatATestRaisesStopsWriting) {
  etcd_.raise({etcd_.id_of("a"), model::AlarmKind::Corrupt});
  EXPECT_EQ(etcd_.put(at("b"), "k", "v", Duration(1000)).error().kind, ErrorKind::Refused);
  const auto alarms = etcd_.alarms(at("b"), Duration(1000));
  ASSERT_TRUE(alarms);
  ASSERT_EQ(alarms->size(), 1u);
  EXPECT_EQ(alarms->front().kind, model::AlarmKind::Corrupt);
}

}  // namespace
}  // namespace quorate::fakes
