// How members come, become voters and go; and what is refused on the way, by version.
#include <string>

#include <gtest/gtest.h>

#include "reconciler/model/etcd_release.h"
#include "tests/contract/contract_fixture.h"

namespace quorate::contract {
namespace {

class Members : public OnWorld<3> {
 protected:
  // As soon as all members have been connected for 5 s.
  base::Result<ports::Added> add(int seat) {
    base::Result<ports::Added> added = base::invalid("nobody asked");
    world().eventually(
        [&] {
          added = etcd().add_learner(at(leader()), {world().peer_url(seat)}, kPatience);
          return added || added.error().message.find("unhealthy") == std::string::npos;
        },
        kSettle);
    return added;
  }
};

TEST_P(Members, LearnerIsAddedCatchesUpIsPromotedAndRemoved) {
  const auto added = add(3);
  ASSERT_TRUE(added) << why(added);
  const base::MemberId id = added->member.id;
  EXPECT_TRUE(added->member.learner);
  EXPECT_TRUE(added->member.name.empty());
  EXPECT_EQ(added->member.peer_urls, std::vector<std::string>{world().peer_url(3)});
  EXPECT_EQ(added->members.size(), 4u);
  expect_refused(etcd().add_learner(at(leader()), {world().peer_url(3)}, kPatience), ErrorKind::Conflict,
                 "one of these peer URLs");
  expect_refused(etcd().add_learner(at(leader()), {world().peer_url(4)}, kPatience), ErrorKind::Conflict,
                 "as many learners as it may have");
  expect_refused(etcd().promote(at(leader()), id, kPatience), ErrorKind::Transient, "has not caught up");

  world().join(3);
  ASSERT_TRUE(world().eventually(
      [&] {
        const auto status = etcd().status(at(3), Duration(500));
        return status && status->learner;
      },
      kSettle));
  EXPECT_EQ(id_of(3), id);
  const auto local = etcd().get(at(3), "none", Consistency::Serializable, kPatience);
  EXPECT_TRUE(local) << why(local);
  const std::string not_here = "learners do not answer this";
  expect_refused(etcd().get(at(3), "none", Consistency::Linearizable, kPatience), ErrorKind::Invalid, not_here);
  expect_refused(etcd().put(at(3), "none", "1", kPatience), ErrorKind::Invalid, not_here);
  expect_refused(etcd().member_list(at(3), Consistency::Linearizable, kPatience), ErrorKind::Invalid, not_here);
  expect_refused(etcd().member_list(at(3), Consistency::Serializable, kPatience), ErrorKind::Invalid, not_here);
  expect_refused(etcd().alarms(at(3), kPatience), ErrorKind::Invalid, not_here);
  const auto snapshot = etcd().snapshot(
      at(3), [](std::string_view) { return true; }, kPatience);
  if (model::learner_sends_snapshots(world().version())) {
    EXPECT_TRUE(snapshot) << why(snapshot);
  } else {
    expect_refused(snapshot, ErrorKind::Invalid, not_here);
  }
  expect_refused(etcd().move_leader(at(leader()), id, kPatience), ErrorKind::Conflict, "it is no voter of the cluster");

  ASSERT_TRUE(world().eventually([&] { return etcd().promote(at(leader()), id, kPatience).has_value(); }, kSettle));
  expect_refused(etcd().promote(at(leader()), id, kPatience), ErrorKind::Conflict, "this member is a voter already");
  ASSERT_TRUE(world().eventually(
      [&] { return etcd().member_list(at(3), Consistency::Linearizable, Duration(500)).has_value(); }, kSettle));

  // A voter that has just come counts as connected after 5 s only; then three of four are a quorum of three.
  base::Result<void> gone;
  ASSERT_TRUE(world().eventually(
      [&] {
        gone = etcd().remove(at(leader()), id, kPatience);
        return gone || gone.error().message.find("unhealthy") == std::string::npos;
      },
      kSettle));
  ASSERT_TRUE(gone) << why(gone);
  expect_refused(etcd().remove(at(leader()), id, kPatience), ErrorKind::Conflict,
                 "no member of the cluster has this ID");
  world().kill(3);
}

TEST_P(Members, UpdatingALearnerMakesItAVoterInTheVersionsThatTheTableNames) {
  const auto added = add(4);
  ASSERT_TRUE(added) << why(added);
  const auto updated = etcd().update_peer_urls(at(leader()), added->member.id, {world().peer_url(5)}, kPatience);
  ASSERT_TRUE(updated) << why(updated);
  const auto list = etcd().member_list(at(leader()), Consistency::Linearizable, kPatience);
  ASSERT_TRUE(list);
  for (const auto& member : list->members) {
    if (member.id != added->member.id) continue;
    EXPECT_EQ(!member.learner, model::member_update_makes_learner_a_voter(world().version()));
  }
  const auto gone = etcd().remove(at(leader()), added->member.id, kPatience);
  EXPECT_TRUE(gone) << why(gone);
}

TEST_P(Members, WithAVoterDownNoHealthyOneMayGoAndNoneMayCome) {
  const int down = follower();
  const base::MemberId down_id = id_of(down);
  const int other = 3 - down - leader();
  world().kill(down);
  const std::string unhealthy = "too unhealthy for this change";
  // The leader notices within a second or so.
  ASSERT_TRUE(
      world().eventually([&] { return !etcd().add_learner(at(leader()), {world().peer_url(5)}, kPatience); }, kSettle));
  expect_refused(etcd().add_learner(at(leader()), {world().peer_url(5)}, kPatience), ErrorKind::Conflict, unhealthy);
  expect_refused(etcd().remove(at(leader()), id_of(other), kPatience), ErrorKind::Conflict, unhealthy);
  world().start_again(down);
  ASSERT_TRUE(world().eventually([&] { return id_of(down) == down_id; }, kSettle));
}

// The last: it takes the cluster apart.
TEST_P(Members, WithoutQuorumOnlyLocalQuestionsAreAnswered) {
  const int left = follower();
  for (int seat = 0; seat < 3; ++seat) {
    if (seat != left) world().kill(seat);
  }
  ASSERT_TRUE(world().eventually(
      [&] {
        const auto status = etcd().status(at(left), Duration(1000));
        return status && status->status.leader.value == 0;
      },
      kSettle));
  const Duration soon(800);
  const auto written = etcd().put(at(left), "lost", "?", soon);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::Ambiguous) << written.error().message;
  const auto local_read = etcd().get(at(left), "lost", Consistency::Serializable, soon);
  EXPECT_TRUE(local_read) << why(local_read);
  const auto read = etcd().get(at(left), "lost", Consistency::Linearizable, soon);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::Transient) << read.error().message;
  const auto local_list = etcd().member_list(at(left), Consistency::Serializable, soon);
  ASSERT_TRUE(local_list) << why(local_list);
  EXPECT_EQ(local_list->members.size(), 3u);
  const auto list = etcd().member_list(at(left), Consistency::Linearizable, soon);
  EXPECT_EQ(list.has_value(), !model::can_list_linearizably(world().version())) << why(list);
  if (!list) {
    EXPECT_EQ(list.error().kind, ErrorKind::Transient) << list.error().message;
  }
  expect_refused(etcd().add_learner(at(left), {world().peer_url(5)}, soon), ErrorKind::Conflict, "too unhealthy");
}

INSTANTIATE_TEST_SUITE_P(Contract, Members, all_worlds(), name_of_world);

// One of five is down: the older rule refuses an addition, the later one does not.
class Five : public OnWorld<5> {};

TEST_P(Five, WithOneOfFiveDownAddingDependsOnTheVersion) {
  const int down = follower();
  world().kill(down);
  base::Result<ports::Added> added = base::invalid("nobody asked");
  const bool accepted = world().eventually(
      [&] {
        added = etcd().add_learner(at(leader()), {world().peer_url(5)}, kPatience);
        return added.has_value();
      },
      Duration(7000));
  EXPECT_EQ(accepted, !model::add_needs_all_voters(world().version())) << why(added);
}

INSTANTIATE_TEST_SUITE_P(Contract, Five, all_worlds(), name_of_world);

}  // namespace
}  // namespace quorate::contract
