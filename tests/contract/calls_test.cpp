// What a healthy cluster of three answers to each call, and what it refuses.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "reconciler/base/digest.h"
#include "reconciler/model/etcd_release.h"
#include "tests/contract/contract_fixture.h"

namespace quorate::contract {
namespace {

class Calls : public OnWorld<3> {};

TEST_P(Calls, ListTheSameMembersBothWays) {
  const auto linear = etcd().member_list(at(0), Consistency::Linearizable, kPatience);
  const auto local = etcd().member_list(at(1), Consistency::Serializable, kPatience);
  ASSERT_TRUE(linear) << why(linear);
  ASSERT_TRUE(local) << why(local);
  EXPECT_EQ(linear->from.cluster, local->from.cluster);
  EXPECT_NE(linear->from.cluster.value, 0u);
  EXPECT_NE(linear->from.member, local->from.member);
  ASSERT_EQ(linear->members.size(), 3u);
  ASSERT_EQ(local->members.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& member = linear->members[i];
    EXPECT_EQ(member.id, local->members[i].id);
    EXPECT_FALSE(member.name.empty() || member.learner);
    EXPECT_EQ(member.peer_urls.size(), 1u);
    EXPECT_EQ(member.client_urls.size(), 1u);
    if (i > 0) {
      EXPECT_LT(linear->members[i - 1].id, member.id);
    }
  }
}

TEST_P(Calls, StatusTellsVersionLeaderAndSizes) {
  ASSERT_TRUE(etcd().put(at(0), "status", "1", kPatience));
  const auto answer = etcd().status(at(0), kPatience);
  ASSERT_TRUE(answer) << why(answer);
  EXPECT_EQ(answer->status.version, base::to_string(world().version()));
  EXPECT_NE(answer->status.leader.value, 0u);
  EXPECT_GT(answer->status.raft_term, 1u);
  EXPECT_GE(answer->status.raft_index, answer->status.raft_applied);
  EXPECT_GT(answer->status.raft_applied, 3u);
  EXPECT_GT(answer->status.revision, 1);
  EXPECT_GE(answer->status.db_size, answer->status.db_size_in_use);
  EXPECT_GT(answer->status.db_size_in_use, 0);
  EXPECT_TRUE(answer->status.errors.empty());
  EXPECT_FALSE(answer->learner);
  EXPECT_EQ(answer->from.revision, answer->status.revision);
}

TEST_P(Calls, ReadBackWhatWasWritten) {
  const auto first = etcd().put(at(0), "key", "one", kPatience);
  const auto second = etcd().put(at(1), "key", std::string("two\0\xff", 5), kPatience);
  ASSERT_TRUE(first && second) << why(first) << why(second);
  EXPECT_GT(*second, *first);
  const auto read = etcd().get(at(2), "key", Consistency::Linearizable, kPatience);
  ASSERT_TRUE(read && *read) << why(read);
  EXPECT_EQ((*read)->value, std::string("two\0\xff", 5));
  EXPECT_EQ((*read)->mod_revision, *second);
  const auto local = etcd().get(at(1), "key", Consistency::Serializable, kPatience);
  ASSERT_TRUE(local && *local) << why(local);
  const auto missing = etcd().get(at(0), "no such key", Consistency::Linearizable, kPatience);
  ASSERT_TRUE(missing) << why(missing);
  EXPECT_FALSE(*missing);
  expect_refused(etcd().put(at(0), "", "x", kPatience), ErrorKind::Invalid, "a key has to have a name");
}

TEST_P(Calls, HashesAreEqualOnAllMembersAtOneRevision) {
  const auto revision = etcd().put(at(0), "hash", "1", kPatience);
  ASSERT_TRUE(revision);
  ASSERT_TRUE(world().eventually(
      [&] {
        const auto a = etcd().hash_kv(at(0), *revision, kPatience);
        const auto b = etcd().hash_kv(at(1), *revision, kPatience);
        const auto c = etcd().hash_kv(at(2), *revision, kPatience);
        return a && b && c && a->hash == b->hash && b->hash == c->hash && a->compact_revision == c->compact_revision;
      },
      kSettle));
  ASSERT_TRUE(etcd().put(at(0), "hash", "2", kPatience));
  const auto before = etcd().hash_kv(at(0), *revision, kPatience);
  const auto now = etcd().hash_kv(at(0), 0, kPatience);
  ASSERT_TRUE(before && now);
  EXPECT_NE(before->hash, now->hash);
  expect_refused(etcd().hash_kv(at(0), *revision + 1000000, kPatience), ErrorKind::Transient, "has not got as far");
}

TEST_P(Calls, CompactOnceAndNotAheadOfTime) {
  ASSERT_TRUE(etcd().put(at(0), "compact", "1", kPatience));
  const auto revision = etcd().put(at(0), "compact", "2", kPatience);
  ASSERT_TRUE(revision);
  const auto done = etcd().compact(at(0), *revision, kPatience);
  ASSERT_TRUE(done) << why(done);
  expect_refused(etcd().compact(at(0), *revision, kPatience), ErrorKind::Conflict, "has been compacted already");
  expect_refused(etcd().compact(at(0), *revision + 1000000, kPatience), ErrorKind::Conflict, "has not got as far");
  expect_refused(etcd().hash_kv(at(0), *revision - 1, kPatience), ErrorKind::Conflict, "has been compacted already");
  const auto smaller = etcd().defragment(at(0), kPatience);
  EXPECT_TRUE(smaller) << why(smaller);
}

TEST_P(Calls, SnapshotEndsWithTheHashOfTheRest) {
  ASSERT_TRUE(etcd().put(at(0), "snapshot", std::string(200000, 'x'), kPatience));
  std::string bytes;
  int pieces = 0;
  const auto from = etcd().snapshot(
      at(0),
      [&](std::string_view piece) {
        ++pieces;
        bytes += piece;
        return true;
      },
      kPatience);
  ASSERT_TRUE(from) << why(from);
  EXPECT_NE(from->cluster.value, 0u);
  EXPECT_NE(from->member.value, 0u);
  EXPECT_GT(from->revision, 1);
  EXPECT_GT(pieces, 1);
  ASSERT_GT(bytes.size(), 200000u);
  std::string trailer;
  for (const char c : bytes.substr(bytes.size() - 32)) {
    constexpr char kDigits[] = "0123456789abcdef";
    trailer += kDigits[static_cast<unsigned char>(c) >> 4];
    trailer += kDigits[static_cast<unsigned char>(c) & 15];
  }
  EXPECT_EQ(base::sha256_hex(std::string_view(bytes).substr(0, bytes.size() - 32)), trailer);
}

TEST_P(Calls, SnapshotStopsWithItsReceiver) {
  int pieces = 0;
  const auto result = etcd().snapshot(
      at(0),
      [&](std::string_view) {
        ++pieces;
        return false;
      },
      kPatience);
  expect_refused(result, ErrorKind::Refused, "whoever receives it stopped");
  EXPECT_EQ(pieces, 1);
}

TEST_P(Calls, OnlyTheLeaderHandsOverAndOnlyToVoters) {
  const int leads = leader();
  const int other = (leads + 1) % 3;
  const base::MemberId target = id_of(other);
  expect_refused(etcd().move_leader(at(other), target, kPatience), ErrorKind::Conflict, "does not lead any more");
  expect_refused(etcd().move_leader(at(leads), {42}, kPatience), ErrorKind::Conflict, "it is no voter of the cluster");
  const auto moved = etcd().move_leader(at(leads), target, kPatience);
  ASSERT_TRUE(moved) << why(moved);
  EXPECT_TRUE(world().eventually(
      [&] {
        const auto status = etcd().status(at(leads), kPatience);
        return status && status->status.leader == target;
      },
      kSettle));
}

TEST_P(Calls, NameTheMemberThatIsNotThere) {
  const base::MemberId nobody{42};
  expect_refused(etcd().remove(at(0), nobody, kPatience), ErrorKind::Conflict, "no member of the cluster has this ID");
  expect_refused(etcd().promote(at(leader()), nobody, kPatience), ErrorKind::Conflict,
                 "no member of the cluster has this ID");
  expect_refused(etcd().update_peer_urls(at(0), nobody, {"http://127.0.0.1:1"}, kPatience), ErrorKind::Conflict,
                 "no member of the cluster has this ID");
  expect_refused(etcd().promote(at(leader()), id_of(1), kPatience), ErrorKind::Conflict,
                 "this member is a voter already");
}

TEST_P(Calls, PeerUrlsChangeAndChangeBackAndAreNeverSharedByTwo) {
  const base::MemberId id = id_of(0);
  expect_refused(etcd().update_peer_urls(at(0), id, {world().peer_url(1)}, kPatience), ErrorKind::Conflict,
                 "one of these peer URLs");
  const auto both = etcd().update_peer_urls(at(0), id, {world().peer_url(0), world().peer_url(5)}, kPatience);
  ASSERT_TRUE(both) << why(both);
  ASSERT_TRUE(world().eventually(
      [&] {
        const auto list = etcd().member_list(at(0), Consistency::Linearizable, kPatience);
        if (!list) return false;
        for (const auto& member : list->members) {
          if (member.id == id) return member.peer_urls.size() == 2;
        }
        return false;
      },
      kSettle));
  const auto back = etcd().update_peer_urls(at(0), id, {world().peer_url(0)}, kPatience);
  EXPECT_TRUE(back) << why(back);
}

TEST_P(Calls, AFullDatabaseRaisesAnAlarmThatIsDisarmedAfterMakingRoom) {
  const int seat = leader();
  const auto none = etcd().alarms(at(seat), kPatience);
  ASSERT_TRUE(none) << why(none);
  ASSERT_TRUE(none->empty());
  const std::string value(1000000, 'x');
  base::Result<std::int64_t> last = 0;
  for (int i = 0; i < 40 && last; ++i) last = etcd().put(at(seat), "fill", value, kPatience);
  expect_refused(last, ErrorKind::Conflict, "the database is full");

  std::vector<model::Alarm> raised;
  ASSERT_TRUE(world().eventually(
      [&] {
        const auto now = etcd().alarms(at(seat), kPatience);
        if (now) raised = *now;
        return !raised.empty();
      },
      kSettle));
  EXPECT_EQ(raised.front().kind, model::AlarmKind::NoSpace);
  const auto list = etcd().member_list(at(seat), Consistency::Linearizable, kPatience);
  ASSERT_TRUE(list) << why(list);

  const auto status = etcd().status(at(seat), kPatience);
  ASSERT_TRUE(status);
  EXPECT_FALSE(status->status.errors.empty());
  const auto compacted = etcd().compact(at(seat), status->status.revision, kPatience);
  ASSERT_TRUE(compacted) << why(compacted);
  for (int each = 0; each < 3; ++each) {
    const auto smaller = etcd().defragment(at(each), kPatience);
    ASSERT_TRUE(smaller) << why(smaller);
  }
  // More than one member may have run full.
  ASSERT_TRUE(world().eventually(
      [&] {
        const auto left = etcd().alarms(at(seat), kPatience);
        for (const model::Alarm& alarm : left.value_or(std::vector<model::Alarm>{})) {
          (void)etcd().disarm(at(seat), alarm, kPatience);
        }
        return left && left->empty();
      },
      kSettle));
  const auto fits = etcd().put(at(seat), "fill", "x", kPatience);
  EXPECT_TRUE(fits) << why(fits);
}

TEST_P(Calls, AnAddressWhereNobodyListensRefusesAtOnce) {
  const Duration start = world().now();
  for (int i = 0; i < 3; ++i) {
    expect_refused(etcd().status(at(5), kPatience), ErrorKind::Transient, "connection refused");
    expect_refused(etcd().put(at(5), "k", "v", kPatience), ErrorKind::Transient, "connection refused");
  }
  EXPECT_LT(world().now() - start, Duration(1000));
}

TEST_P(Calls, SeveralThreadsMayAskAtOnce) {
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number) {
    threads.emplace_back([&, number] {
      for (int i = 0; i < 20; ++i) {
        if (!etcd().status(at((number + i) % 3), kPatience)) ++failures;
        if (etcd().status(at(5), kPatience)) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST_P(Calls, AMemberThatHangsCostsTheDeadlineAndNoMore) {
  const int seat = follower();
  ASSERT_TRUE(etcd().status(at(seat), kPatience));
  world().hang(seat);
  for (int i = 0; i < 2; ++i) {  // over the old connection, then over none
    const Duration start = world().now();
    const auto silent = etcd().status(at(seat), Duration(400));
    const Duration took = world().now() - start;
    ASSERT_FALSE(silent);
    EXPECT_EQ(silent.error().kind, ErrorKind::Transient) << silent.error().message;
    EXPECT_GE(took, Duration(390));
    EXPECT_LT(took, Duration(900));
  }
  world().resume(seat);
  const auto back = etcd().status(at(seat), kPatience);
  EXPECT_TRUE(back) << why(back);
}

TEST_P(Calls, AMemberThatComesBackAnswersTheNextCall) {
  const int seat = follower();
  ASSERT_TRUE(etcd().status(at(seat), kPatience));
  world().kill(seat);
  ASSERT_FALSE(etcd().status(at(seat), Duration(500)));
  world().start_again(seat);
  // Asked more often than gRPC would try again by itself.
  ASSERT_TRUE(world().eventually([&] { return etcd().status(at(seat), Duration(500)).has_value(); }, kSettle));
  EXPECT_TRUE(etcd().status(at(seat), Duration(500)).has_value());
}

INSTANTIATE_TEST_SUITE_P(Contract, Calls, all_worlds(), name_of_world);

}  // namespace
}  // namespace quorate::contract
