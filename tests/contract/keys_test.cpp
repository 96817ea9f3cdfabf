// Keys that are read together, transactions that happen whole or not at all, and leases that keys hang on.
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/contract/contract_fixture.h"

namespace quorate::contract {
namespace {

using ports::Compare;
using ports::Txn;

constexpr Duration kTtl{2000};  // etcd's shortest, with its own election timeout

class Keys : public OnWorld<3> {
 protected:
  static Compare created(const std::string& key, std::int64_t revision) {
    return {Compare::What::CreateRevision, key, revision};
  }
  static Compare modified(const std::string& key, std::int64_t revision) {
    return {Compare::What::ModRevision, key, revision};
  }
  std::optional<ports::KeyValue> read(const std::string& key) {
    const auto found = etcd().get(at(0), key, Consistency::Linearizable, kPatience);
    EXPECT_TRUE(found) << why(found);
    return found.value_or(std::nullopt);
  }
  std::int64_t lease(Duration ttl = kTtl) {
    const auto granted = etcd().grant_lease(at(0), ttl, kPatience);
    EXPECT_TRUE(granted) << why(granted);
    return granted.value_or(0);
  }
  bool take(int seat, const std::string& key, const std::string& who, std::int64_t with) {
    const auto taken = etcd().transact(at(seat), {{created(key, 0)}, {{key, who, with}}}, kPatience);
    EXPECT_TRUE(taken) << why(taken);
    return taken && taken->done;
  }
};

TEST_P(Keys, TellWhetherAnythingButThoseOfAPrefixWasWrittenOrDeleted) {
  const auto changed = [&](std::int64_t since) {
    const auto answer = etcd().changed_since(at(1), since, "/ours/", kPatience);
    EXPECT_TRUE(answer) << why(answer);
    return answer.value_or(false);
  };
  const auto before = etcd().put(at(0), "theirs", "1", kPatience);
  ASSERT_TRUE(before) << why(before);
  EXPECT_FALSE(changed(*before));
  ASSERT_TRUE(etcd().put(at(0), "/ours/a", "1", kPatience));
  ASSERT_TRUE(etcd().put(at(0), "/ours/b", "1", kPatience));
  ASSERT_TRUE(etcd().transact(at(0), Txn{{}, {{"/ours/a", std::nullopt, 0}, {"/ours/b", "2", 0}}}, kPatience));
  EXPECT_FALSE(changed(*before)) << "all of it was under the prefix";
  EXPECT_TRUE(changed(*before + 100)) << "history that never was";
  const auto later = etcd().transact(at(0), Txn{{}, {{"theirs", std::nullopt, 0}}}, kPatience);
  ASSERT_TRUE(later) << why(later);
  EXPECT_TRUE(changed(*before)) << "a deletion is a change";
  EXPECT_FALSE(changed(later->revision));
  ASSERT_TRUE(etcd().put(at(0), "/ours/c", "1", kPatience));
  const auto newest = etcd().put(at(0), "/ours/c", "2", kPatience);
  ASSERT_TRUE(newest) << why(newest);
  EXPECT_FALSE(changed(later->revision));
  ASSERT_TRUE(etcd().compact(at(0), *newest, kPatience));
  EXPECT_TRUE(changed(later->revision)) << "nobody can tell any more";
  EXPECT_FALSE(changed(*newest));
}

TEST_P(Keys, OfAPrefixComeSortedAndComplete) {
  for (const char* key : {"list/b", "list/a", "list/c/d", "list0", "lis", "list/\xff\xff"}) {
    ASSERT_TRUE(etcd().put(at(0), key, std::string("of ") + key, kPatience));
  }
  const auto all = etcd().get_all(at(1), "list/", Consistency::Linearizable, kPatience);
  ASSERT_TRUE(all) << why(all);
  std::vector<std::string> keys;
  for (const ports::KeyValue& each : *all) {
    keys.push_back(each.key);
    EXPECT_EQ(each.value, "of " + each.key);
    EXPECT_EQ(each.create_revision, each.mod_revision);
    EXPECT_GT(each.create_revision, 1);
    EXPECT_EQ(each.lease, 0);
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"list/a", "list/b", "list/c/d", "list/\xff\xff"}));
  const auto last = etcd().get_all(at(1), "list/\xff", Consistency::Linearizable, kPatience);
  ASSERT_TRUE(last) << why(last);
  EXPECT_EQ(last->size(), 1u);
  const auto none = etcd().get_all(at(1), "nothing/", Consistency::Linearizable, kPatience);
  ASSERT_TRUE(none) << why(none);
  EXPECT_TRUE(none->empty());
  const auto local = etcd().get_all(at(0), "nothing/", Consistency::Serializable, kPatience);
  EXPECT_TRUE(local) << why(local);
  expect_refused(etcd().get_all(at(0), "", Consistency::Linearizable, kPatience), ErrorKind::Invalid,
                 "a key has to have a name");
}

TEST_P(Keys, OfMoreThanAPageComeWhole) {
  for (int i = 0; i < 300; i += 100) {
    Txn txn;
    for (int each = i; each < i + 100; ++each) txn.then.push_back({"many/" + std::to_string(1000 + each), "x", 0});
    const auto done = etcd().transact(at(0), txn, kPatience);
    ASSERT_TRUE(done) << why(done);
  }
  const auto all = etcd().get_all(at(0), "many/", Consistency::Linearizable, kPatience);
  ASSERT_TRUE(all) << why(all);
  ASSERT_EQ(all->size(), 300u);
  EXPECT_EQ(all->front().key, "many/1000");
  EXPECT_EQ(all->back().key, "many/1299");
}

TEST_P(Keys, AreWrittenTogetherAtOneRevisionWhenAllComparisonsHold) {
  const auto revision = etcd().put(at(0), "txn/a", "1", kPatience);
  ASSERT_TRUE(revision);
  ASSERT_TRUE(etcd().put(at(0), "txn/old", "1", kPatience));
  const auto done =
      etcd().transact(at(1),
                      {{modified("txn/a", *revision), created("txn/b", 0), modified("txn/b", 0)},
                       {{"txn/a", std::string("two\0", 4), 0}, {"txn/b", "", 0}, {"txn/old", std::nullopt, 0}}},
                      kPatience);
  ASSERT_TRUE(done) << why(done);
  EXPECT_TRUE(done->done);
  EXPECT_GT(done->revision, *revision);
  const auto a = read("txn/a");
  const auto b = read("txn/b");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->value, std::string("two\0", 4));
  EXPECT_EQ(a->create_revision, *revision);
  EXPECT_EQ(a->mod_revision, done->revision);
  EXPECT_EQ(b->create_revision, done->revision);
  EXPECT_FALSE(read("txn/old"));
}

TEST_P(Keys, StayAsTheyAreWhenOneComparisonFails) {
  const auto first = etcd().put(at(0), "stay/a", "1", kPatience);
  const auto second = etcd().put(at(0), "stay/a", "2", kPatience);
  ASSERT_TRUE(first && second);
  for (const Compare& wrong : {created("stay/a", 0), created("stay/a", *second), modified("stay/a", *first),
                               modified("stay/none", 1), created("stay/none", *first)}) {
    const auto answer = etcd().transact(
        at(2), {{created("stay/a", *first), wrong}, {{"stay/a", "3", 0}, {"stay/b", "3", 0}}}, kPatience);
    ASSERT_TRUE(answer) << why(answer);
    EXPECT_FALSE(answer->done);
    EXPECT_GE(answer->revision, *second);
  }
  EXPECT_EQ(read("stay/a")->value, "2");
  EXPECT_FALSE(read("stay/b"));
}

TEST_P(Keys, ATransactionWithAMistakeInItHasNoEffect) {
  expect_refused(etcd().transact(at(0), {{}, {{"twice", "1", 0}, {"twice", "2", 0}}}, kPatience), ErrorKind::Invalid,
                 "writes each key once only");
  expect_refused(etcd().transact(at(0), {{}, {{"good", "1", 0}, {"", "2", 0}}}, kPatience), ErrorKind::Invalid,
                 "a key has to have a name");
  expect_refused(etcd().transact(at(0), {{}, {{"good", "1", 0}, {"hangs", "2", 0x42}}}, kPatience), ErrorKind::Conflict,
                 "the lease is gone");
  Txn large;
  for (int each = 0; each < 129; ++each) large.then.push_back({"large/" + std::to_string(each), "x", 0});
  expect_refused(etcd().transact(at(0), large, kPatience), ErrorKind::Invalid, "more operations than etcd allows");
  for (const char* key : {"twice", "good", "hangs", "large/0"}) EXPECT_FALSE(read(key)) << key;
}

TEST_P(Keys, OfALeaseGoWhenItIsRevoked) {
  const std::int64_t id = lease(Duration(60000));
  ASSERT_NE(id, 0);
  ASSERT_TRUE(take(1, "revoked", "me", id));
  EXPECT_EQ(read("revoked")->lease, id);
  const auto done = etcd().revoke_lease(at(2), id, kPatience);
  ASSERT_TRUE(done) << why(done);
  EXPECT_FALSE(read("revoked"));
  const auto again = etcd().revoke_lease(at(2), id, kPatience);
  EXPECT_TRUE(again) << why(again);
  expect_refused(etcd().keep_lease_alive(at(1), id, kPatience), ErrorKind::Conflict, "the lease is gone");
}

TEST_P(Keys, OfALeaseGoWhenItsTimeIsUpAndNoSooner) {
  const Duration start = world().now();
  const std::int64_t id = lease();
  ASSERT_TRUE(take(0, "expired", "me", id));
  ASSERT_TRUE(world().eventually([&] { return !read("expired"); }, kSettle));
  EXPECT_GE(world().now() - start, kTtl - Duration(100));
  expect_refused(etcd().keep_lease_alive(at(1), id, kPatience), ErrorKind::Conflict, "the lease is gone");
  expect_refused(etcd().transact(at(1), {{}, {{"expired", "again", id}}}, kPatience), ErrorKind::Conflict,
                 "the lease is gone");
}

TEST_P(Keys, ALeaseLivesAsLongAsItIsKeptAlive) {
  const std::int64_t id = lease();
  ASSERT_TRUE(take(0, "kept", "me", id));
  const Duration start = world().now();
  EXPECT_FALSE(world().eventually(
      [&] {
        const auto kept = etcd().keep_lease_alive(at(follower()), id, kPatience);
        EXPECT_TRUE(kept) << why(kept);
        return !kept || !read("kept");
      },
      2 * kTtl));
  EXPECT_GE(world().now() - start, 2 * kTtl);
  EXPECT_TRUE(read("kept"));
  EXPECT_TRUE(etcd().revoke_lease(at(0), id, kPatience));
}

TEST_P(Keys, OfTwoThatTakeALockOneGetsIt) {
  const std::int64_t one = lease(Duration(60000));
  const std::int64_t other = lease(Duration(60000));
  bool first = false;
  bool second = false;
  std::thread rival([&] { second = take(1, "lock", "other", other); });
  first = take(0, "lock", "one", one);
  rival.join();
  EXPECT_NE(first, second);
  const auto held = read("lock");
  ASSERT_TRUE(held);
  EXPECT_EQ(held->value, first ? "one" : "other");
  EXPECT_EQ(held->lease, first ? one : other);
  // What is done under the lock compares its create revision: once the lock was lost, nothing happens any more.
  const Txn step{{created("lock", held->create_revision)}, {{"done under lock", "1", 0}}};
  ASSERT_TRUE(etcd().revoke_lease(at(0), held->lease, kPatience));
  ASSERT_TRUE(take(2, "lock", "third", first ? other : one));
  const auto late = etcd().transact(at(0), step, kPatience);
  ASSERT_TRUE(late) << why(late);
  EXPECT_FALSE(late->done);
  EXPECT_FALSE(read("done under lock"));
  EXPECT_TRUE(etcd().revoke_lease(at(0), first ? other : one, kPatience));
  EXPECT_FALSE(read("lock"));
}

TEST_P(Keys, AChangeAtAMemberThatHangsIsAmbiguous) {
  const std::int64_t id = lease(Duration(60000));
  const int seat = follower();
  ASSERT_TRUE(etcd().status(at(seat), kPatience));
  world().hang(seat);
  const Duration brief{300};
  // Over the connection that was up: it may have got there.
  const auto txn = etcd().transact(at(seat), {{}, {{"hang", "1", 0}}}, brief);
  world().resume(seat);
  ASSERT_FALSE(txn);
  EXPECT_EQ(static_cast<int>(txn.error().kind), static_cast<int>(ErrorKind::Ambiguous)) << txn.error().message;
  ASSERT_TRUE(world().eventually([&] { return etcd().status(at(seat), kPatience).has_value(); }, kSettle));
  world().hang(seat);
  const auto granted = etcd().grant_lease(at(seat), kTtl, brief);
  world().resume(seat);
  ASSERT_FALSE(granted);
  EXPECT_EQ(static_cast<int>(granted.error().kind), static_cast<int>(ErrorKind::Ambiguous)) << granted.error().message;
  ASSERT_TRUE(world().eventually([&] { return etcd().status(at(seat), kPatience).has_value(); }, kSettle));
  world().hang(seat);
  const Duration start = world().now();
  const auto kept = etcd().keep_lease_alive(at(seat), id, brief);
  const Duration took = world().now() - start;
  world().resume(seat);
  ASSERT_FALSE(kept);
  EXPECT_LT(took, Duration(900));
  expect_refused(etcd().transact(at(5), {{}, {{"hang", "1", 0}}}, kPatience), ErrorKind::Transient,
                 "connection refused");
  EXPECT_TRUE(etcd().revoke_lease(at(0), id, kPatience));
}

// Keep this one last: it fills the database.
TEST_P(Keys, AFullDatabaseRefusesWritesAndLeasesButNotDeletionsAndKeepAlives) {
  const int seat = leader();
  const std::int64_t id = lease(Duration(60000));
  ASSERT_TRUE(take(0, "full/lock", "me", id));
  base::Result<std::int64_t> last = 0;
  for (int i = 0; i < 40 && last; ++i) last = etcd().put(at(seat), "full/fill", std::string(1000000, 'x'), kPatience);
  expect_refused(last, ErrorKind::Conflict, "the database is full");
  ASSERT_TRUE(world().eventually(
      [&] {
        const auto alarms = etcd().alarms(at(seat), kPatience);
        return alarms && !alarms->empty();
      },
      kSettle));

  expect_refused(etcd().transact(at(seat), {{}, {{"full/small", "x", 0}}}, kPatience), ErrorKind::Conflict,
                 "the database is full");
  expect_refused(etcd().grant_lease(at(seat), kTtl, kPatience), ErrorKind::Conflict, "the database is full");
  const auto kept = etcd().keep_lease_alive(at(seat), id, kPatience);
  EXPECT_TRUE(kept) << why(kept);
  const auto deleted = etcd().transact(
      at(seat), {{modified("full/fill", read("full/fill")->mod_revision)}, {{"full/fill", {}, 0}}}, kPatience);
  EXPECT_TRUE(deleted && deleted->done) << why(deleted);
  const auto revoked = etcd().revoke_lease(at(seat), id, kPatience);
  EXPECT_TRUE(revoked) << why(revoked);
  EXPECT_FALSE(read("full/lock"));
}

INSTANTIATE_TEST_SUITE_P(Contract, Keys, all_worlds(), name_of_world);

}  // namespace
}  // namespace quorate::contract
