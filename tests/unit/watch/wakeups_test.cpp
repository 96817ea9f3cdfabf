// Wake-ups from several threads, and one that waits for them.
#include "reconciler/watch/wakeups.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::watch {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr base::Duration kLong = seconds{30};

TEST(Wakeups, ManyBecomeOnePassWithEachReasonOnce) {
  Wakeups wakeups;
  for (int time = 0; time < 100; ++time) {
    wakeups.wake("file changed");
    wakeups.wake("etcd ended");
  }
  EXPECT_THAT(wakeups.wait(kLong), ElementsAre("file changed", "etcd ended"));
  EXPECT_THAT(wakeups.wait(base::Duration{0}), IsEmpty());
}

TEST(Wakeups, OneThatComesDuringAPassMakesTheNext) {
  Wakeups wakeups;
  wakeups.wake("first");
  EXPECT_THAT(wakeups.wait(kLong), ElementsAre("first"));
  wakeups.wake("second");
  EXPECT_THAT(wakeups.wait(kLong), ElementsAre("second"));
}

TEST(Wakeups, WakeWhoeverWaitsAlready) {
  Wakeups wakeups;
  std::thread other([&] { wakeups.wake("from elsewhere"); });
  EXPECT_THAT(wakeups.wait(kLong), ElementsAre("from elsewhere"));
  other.join();
}

TEST(Wakeups, LoseNoneOfSeveralThreads) {
  Wakeups wakeups;
  std::atomic<int> running{4};
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      for (int time = 0; time < 10; ++time) wakeups.wake(std::to_string(number) + "/" + std::to_string(time));
      if (--running == 0) wakeups.wake("done");
    });
  }
  std::vector<std::string> all;
  const auto deadline = std::chrono::steady_clock::now() + kLong;
  while ((all.empty() || all.size() < 41) && std::chrono::steady_clock::now() < deadline) {
    for (std::string& reason : wakeups.wait(kLong)) all.push_back(std::move(reason));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(all.size(), 41U);
}

TEST(Wakeups, NobodyWaitsLongerThanAsked) {
  Wakeups wakeups;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(wakeups.wait(base::Duration{20}), IsEmpty());
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds{20});
  EXPECT_THAT(wakeups.wait(base::Duration{-5}), IsEmpty());
}

TEST(Wakeups, TheLongestTimeIsNoTrapForTheClock) {
  Wakeups wakeups;
  std::thread other([&] { wakeups.wake("at last"); });
  EXPECT_THAT(wakeups.wait(base::Duration::max()), ElementsAre("at last"));
  other.join();
}

TEST(Wakeups, StoppedOnesLetNobodyWait) {
  Wakeups wakeups;
  std::thread other([&] { wakeups.stop(); });
  EXPECT_THAT(wakeups.wait(kLong), IsEmpty());
  other.join();
  EXPECT_TRUE(wakeups.stopped());
  wakeups.wake("too late");
  EXPECT_THAT(wakeups.wait(kLong), IsEmpty());
}

TEST(Wakeups, RememberOnlySoManyReasons) {
  Wakeups wakeups;
  for (int time = 0; time < 100'000; ++time) wakeups.wake(std::to_string(time));
  EXPECT_EQ(wakeups.wait(kLong).size(), kReasons);
}

}  // namespace
}  // namespace quorate::watch
