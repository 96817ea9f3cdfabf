// The lock of a cluster: one holder, an end of its own, and nothing written by who has lost it.
#include "tests/unit/apply/scene.h"

namespace quorate::apply {
namespace {

using base::ErrorKind;
using testing::HasSubstr;

class Lock : public SceneTest {
 protected:
  base::Result<Fence> take(const std::string& owner) {
    return take_lock(etcd_, at("a"), etcd_.cluster(), owner, kWithin);
  }
  base::Result<void> write(const Fence& fence, const std::string& key = "/quorate/x") {
    return write_fenced(etcd_, fence, {{key, "v", 0}}, kWithin);
  }
};

}  // namespace

TEST_F(Lock, SaysWhoHoldsIt) {
  const auto fence = take("a on node-1");
  ASSERT_TRUE(fence);
  EXPECT_EQ(records().lock_owner, "a on node-1");
  const auto second = take("b");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::Conflict);
  EXPECT_THAT(second.error().message, HasSubstr("a on node-1 holds the lock"));
  EXPECT_TRUE(write(*fence)) << "who is refused takes nothing away";
}

TEST_F(Lock, IsFreeOnceItIsReleased) {
  const auto fence = take("a");
  ASSERT_TRUE(fence);
  release_lock(etcd_, *fence, kWithin);
  EXPECT_FALSE(value_of(std::string(model::kLockKey)));
  EXPECT_TRUE(take("b"));
}

TEST_F(Lock, EndsByItselfWhenItsHolderIsGone) {
  ASSERT_TRUE(take("a"));
  clock_.advance(kLeaseTtl - std::chrono::seconds{1});
  EXPECT_FALSE(take("b"));
  clock_.advance(std::chrono::seconds{2});
  EXPECT_TRUE(take("b"));
}

TEST_F(Lock, OfAnotherClusterHoldsAllTheSame) {
  ASSERT_TRUE(take_lock(etcd_, at("a"), {0xbad}, "of a life before a restore", kWithin));
  const auto second = take("b");
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another agent holds the lock"));
}

TEST_F(Lock, WithoutAnEtcdThereIsNone) {
  etcd_.stop("a");
  const auto fence = take("a");
  ASSERT_FALSE(fence);
  EXPECT_NE(fence.error().kind, ErrorKind::Conflict);
}

TEST_F(Lock, FencesWhatIsWrittenUnderIt) {
  const auto fence = take("a");
  ASSERT_TRUE(fence);
  EXPECT_TRUE(write(*fence));
  EXPECT_EQ(value_of("/quorate/x"), "v");
}

TEST_F(Lock, WhoHasLostItWritesNothing) {
  const auto fence = take("a");
  ASSERT_TRUE(fence);
  clock_.advance(kLeaseTtl + std::chrono::seconds{1});
  const auto late = write(*fence);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::Conflict);
  EXPECT_THAT(late.error().message, HasSubstr("the lock was lost"));
  ASSERT_TRUE(take("a"));  // taken again, it is another one, by whomever
  EXPECT_FALSE(write(*fence));
  EXPECT_FALSE(value_of("/quorate/x"));
}

TEST_F(Lock, OutlivesEveryStopThatItIsHeldFor) {
  constexpr base::Duration kAfterKill{30000};  // of the runtime
  for (const base::Duration patience : {base::Duration{0}, base::Duration{30000}, base::Duration{600000}}) {
    auto fence = take_lock(etcd_, at("a"), etcd_.cluster(), "a", kWithin, long_lease_ttl(patience));
    ASSERT_TRUE(fence);
    clock_.advance(patience + kAfterKill + 2 * kWithin);
    EXPECT_TRUE(write(*fence)) << base::to_string(patience);
    ASSERT_TRUE(release_lock(etcd_, *fence, kWithin));
  }
}

TEST_F(Lock, WhatWasPlannedForAFileThatIsNoLongerInForceIsNotWritten) {
  const std::string key(model::kInForceKey);
  ASSERT_TRUE(etcd_.put(at("a"), key, "one", kWithin));
  auto fence = take("a");
  ASSERT_TRUE(fence);
  fence->in_force_key = key;
  fence->in_force_revision = etcd_.get(at("a"), key, ports::Consistency::Linearizable, kWithin).value()->mod_revision;
  EXPECT_TRUE(write(*fence));
  ASSERT_TRUE(etcd_.put(at("a"), key, "another", kWithin));
  const auto late = write(*fence, "/quorate/y");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::Conflict);
  EXPECT_FALSE(value_of("/quorate/y"));
}

}  // namespace quorate::apply
