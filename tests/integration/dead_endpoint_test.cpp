// A member that hangs, be it the leader, or an address that nobody answers at, costs one timeout in total, not one for
// each question.
#include <chrono>

#include <gtest/gtest.h>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/adapters/system/node.h"
#include "reconciler/model/step.h"
#include "reconciler/observe/observe.h"
#include "tests/contract/local_etcd.h"

namespace quorate::integration {
namespace {

using base::Duration;

constexpr Duration kWithin{1500};

class DeadEndpoint : public testing::Test {
 protected:
  DeadEndpoint() {
    for (int seat = 0; seat < 3; ++seat) local_.add_seat();
    local_.found(3);
  }

  struct Look {
    model::Observed observed;
    Duration took;
  };
  Look look(std::size_t threads, std::vector<std::string> more = {}) {
    auto client = etcd_grpc::connect({});
    if (!client) throw std::runtime_error(client.error().message);
    const auto node = adapters::system::make_node();
    const auto clock = adapters::system::make_clock();
    const auto parallel = adapters::system::make_parallel(threads);
    observe::Question question;
    for (int seat = 0; seat < 3; ++seat) question.endpoints.push_back(local_.client_url(seat));
    question.endpoints.insert(question.endpoints.end(), more.begin(), more.end());
    question.within = kWithin;
    const auto begin = std::chrono::steady_clock::now();
    Look result{observe::observe({**client, *node, *parallel, *clock}, question), {}};
    result.took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begin);
    return result;
  }

  // -1: nobody leads.
  int leading_seat(ports::EtcdAdmin& client) {
    for (int seat = 0; seat < 3; ++seat) {
      const auto status = client.status(local_.client_url(seat), kWithin);
      if (status && status->status.leader == status->from.member) return seat;
    }
    return -1;
  }

  contract::LocalEtcd local_{"3.5.16"};
};

}  // namespace

// With a deadline of minutes, as what reads a whole database has.
TEST_F(DeadEndpoint, WhatMayTakeHoursEndsWhenItsMemberHangs) {
  ASSERT_TRUE(local_.wait_until_ready(0)) << local_.log(0);
  etcd_grpc::Access access;
  access.ping_after = access.ping_within = Duration{500};
  const auto client = etcd_grpc::connect(access);
  ASSERT_TRUE(client);
  ASSERT_TRUE((*client)->status(local_.client_url(0), Seconds{10})) << "connected";
  local_.pause(0);
  const auto begin = std::chrono::steady_clock::now();
  const auto hash = (*client)->hash_kv(local_.client_url(0), 0, std::chrono::minutes{2});
  local_.resume(0);
  ASSERT_FALSE(hash);
  EXPECT_EQ(hash.error().kind, base::ErrorKind::Transient) << hash.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, Seconds{30}) << hash.error().message;
}

TEST_F(DeadEndpoint, CostsOneTimeoutInTotal) {
  for (int seat = 0; seat < 3; ++seat) ASSERT_TRUE(local_.wait_until_ready(seat)) << local_.log(seat);
  const Look healthy = look(64);
  ASSERT_TRUE(healthy.observed.membership) << healthy.observed.membership.why();
  EXPECT_EQ(model::quorum_of(healthy.observed).up, 3);
  EXPECT_LT(healthy.took, kWithin);

  auto client = etcd_grpc::connect({});
  ASSERT_TRUE(client);
  const int leader = leading_seat(**client);
  ASSERT_NE(leader, -1);
  local_.pause(leader);
  // The others do not know it yet: an answer may be missing, and costs no more for that.
  const Look leaderless = look(64);
  EXPECT_LT(leaderless.took, kWithin * 18 / 10);
  const auto end = std::chrono::steady_clock::now() + Seconds{30};
  while (leading_seat(**client) == -1 && std::chrono::steady_clock::now() < end) continue;
  const Look hanging = look(64);
  const Look few_threads = look(16);
  local_.resume(leader);
  RecordProperty("healthy_ms", static_cast<int>(healthy.took.count()));
  RecordProperty("hanging_ms", static_cast<int>(hanging.took.count()));
  ASSERT_TRUE(hanging.observed.membership) << hanging.observed.membership.why();
  EXPECT_EQ(model::quorum_of(hanging.observed).voters, 3);
  EXPECT_GE(hanging.took, kWithin);
  EXPECT_LT(hanging.took, kWithin * 18 / 10);
  EXPECT_LT(few_threads.took, kWithin * 18 / 10);  // fifteen questions, of which five wait

  // 192.0.2.0/24 is nobody's: packets to it are lost, or refused where there is no way out.
  const Look lost = look(64, {"http://192.0.2.1:2379", "http://192.0.2.2:2379"});
  EXPECT_TRUE(lost.observed.membership) << lost.observed.membership.why();
  EXPECT_LT(lost.took, kWithin * 18 / 10);
}

}  // namespace quorate::integration
