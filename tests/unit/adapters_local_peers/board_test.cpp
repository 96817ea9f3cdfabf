// Agents of one process: asked and told at once, and one that hangs holds up nobody.
#include "reconciler/adapters/local_peers/board.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "reconciler/adapters/system/entropy.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_reporter.h"

namespace quorate::local_peers {
namespace {

using base::Duration;
using base::ErrorKind;

class OnBoard : public testing::Test {
 protected:
  std::unique_ptr<Seat> join(fakes::FakeReporter& reporter, const std::string& member) {
    auto seat = board_.join("prod", member, reporter, [this](const std::string& who) { heard_(who); });
    EXPECT_TRUE(seat) << (seat ? "" : seat.error().message);
    return seat ? std::move(*seat) : nullptr;
  }

  fakes::FakeClock clock_;
  std::unique_ptr<ports::Entropy> entropy_ = adapters::system::make_entropy();
  Board board_{clock_, *entropy_};
  fakes::Heard heard_;
  fakes::FakeReporter a_{"etcd-a"};
  fakes::FakeReporter b_{"etcd-b"};
  fakes::FakeReporter c_{"etcd-c"};
  const std::vector<ports::Peer> peers_{{"etcd-b", "127.0.0.1", 1}, {"etcd-c", "127.0.0.1", 2}};
};

TEST_F(OnBoard, AgentsAnswerEachOtherInTheOrderOfTheQuestion) {
  const auto a = join(a_, "etcd-a");
  const auto b = join(b_, "etcd-b");
  const auto c = join(c_, "etcd-c");
  const auto answers = a->ask("prod", peers_, Duration(5000));
  ASSERT_EQ(answers.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(answers[i].member, peers_[i].member);
    ASSERT_TRUE(answers[i].report) << answers[i].report.error().message;
    EXPECT_EQ(answers[i].report->member, peers_[i].member);
    EXPECT_EQ(answers[i].report->nonce.size(), 32u);
  }
  EXPECT_NE(answers[0].report->nonce, answers[1].report->nonce);
}

TEST_F(OnBoard, OneThatHangsCostsItsDeadlineAndNotTheAnswersOfOthers) {
  const auto a = join(a_, "etcd-a");
  const auto b = join(b_, "etcd-b");
  const auto c = join(c_, "etcd-c");
  b_.hang(true);
  for (int round = 0; round < 2; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const auto answers = a->ask("prod", peers_, Duration(100));
    EXPECT_GE(std::chrono::steady_clock::now() - start, Duration(100));
    ASSERT_FALSE(answers[0].report);
    EXPECT_EQ(answers[0].report.error().kind, ErrorKind::Transient);
    EXPECT_TRUE(answers[1].report);
  }
  b_.hang(false);
  EXPECT_TRUE(a->ask("prod", peers_, Duration(5000))[0].report);
}

TEST_F(OnBoard, WhoIsNotThereIsKnownAtOnce) {
  const auto a = join(a_, "etcd-a");
  const auto start = std::chrono::steady_clock::now();
  const auto answers = a->ask("prod", peers_, Duration(60000));
  EXPECT_LT(std::chrono::steady_clock::now() - start, Duration(10000));
  EXPECT_EQ(answers[0].report.error().message, "the agent of etcd-b does not run in this process");
}

TEST_F(OnBoard, AReporterThatSpeaksForAnotherMemberIsNotBelieved) {
  const auto a = join(a_, "etcd-a");
  const auto wrong = join(c_, "etcd-b");
  EXPECT_EQ(a->ask("prod", peers_, Duration(5000))[0].report.error().kind, ErrorKind::Invalid);
}

TEST_F(OnBoard, OneMemberHasOneAgent) {
  auto first = join(b_, "etcd-b");
  fakes::FakeReporter second("etcd-b", "boot-2");
  const auto refused = board_.join("prod", "etcd-b", second, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Conflict);
  first.reset();
  EXPECT_TRUE(board_.join("prod", "etcd-b", second, {}));
}

TEST_F(OnBoard, OthersAreToldOfComingsChangesAndGoings) {
  const auto a = join(a_, "etcd-a");
  auto b = join(b_, "etcd-b");
  EXPECT_EQ(heard_.of("etcd-b"), 1);
  b->changed();
  EXPECT_EQ(heard_.of("etcd-b"), 2);
  b.reset();
  EXPECT_EQ(heard_.of("etcd-b"), 3);
  EXPECT_EQ(heard_.of("etcd-a"), 0);
}

TEST_F(OnBoard, ManyThreadsMayAskTellComeAndGo) {
  const auto a = join(a_, "etcd-a");
  const auto c = join(c_, "etcd-c");
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto answers = a->ask("prod", peers_, Duration(5000));
        EXPECT_TRUE(answers[1].report);
        c->changed();
      }
    });
  }
  for (int i = 0; i < 50; ++i) (void)join(b_, "etcd-b");
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(heard_.of("etcd-c"), 200);
}

}  // namespace
}  // namespace quorate::local_peers
