// An agent with its thread, beside others that it can only wait for.
#include "reconciler/cli/member_agent.h"

#include <condition_variable>

#include <gtest/gtest.h>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/adapters/http/links.h"
#include "reconciler/adapters/system/entropy.h"
#include "reconciler/adapters/system/host.h"
#include "reconciler/adapters/system/node.h"
#include "tests/support/desired_text.h"
#include "tests/support/temp_folder.h"

namespace quorate::cli {
namespace {

class Silence final : public ports::Events {
 public:
  void say(ports::EventLevel /*level*/, const std::string& /*text*/) override {}
};

// Others of whom one hangs: a question to them ends when the test lets it.
class HungLink final : public PeerLink, private ports::Peers {
 public:
  ports::Peers& peers() override { return *this; }
  void changed() override {
    const std::lock_guard lock(mutex_);
    ++told_;
  }
  void follow(const loop::Followed& /*followed*/) override {}
  void tend() override {}

  void wait_for_a_question() {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return asked_; });
  }
  int told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    hangs_ = false;
    moved_.notify_all();
  }

 private:
  std::vector<ports::PeerAnswer> ask(const std::string& /*cluster*/, const std::vector<ports::Peer>& /*peers*/,
                                     base::Duration /*within*/) override {
    std::unique_lock lock(mutex_);
    asked_ = true;
    moved_.notify_all();
    moved_.wait(lock, [&] { return !hangs_; });
    return {};
  }

  std::mutex mutex_;
  std::condition_variable moved_;
  bool asked_ = false;
  bool hangs_ = true;
  int told_ = 0;
};

TEST(MemberAgent, TellsTheOthersAtOnceWhileItsPassStillWaitsForOneOfThem) {
  const tests::TempFolder folder;
  const auto clock = adapters::system::make_clock();
  const auto entropy = adapters::system::make_entropy();
  const auto host = adapters::system::make_host();
  const auto links = http::make_links({"", "", "", ""});
  auto etcd = etcd_grpc::connect({});
  ASSERT_TRUE(etcd);
  Silence events;
  auto followed = std::make_shared<loop::Followed>();
  followed->desired = support::desired_of(
      "apiVersion: quorate/v1\nname: lab\nmembers: {a: 127.0.0.1, b: 127.0.0.2}\netcd: {version: \"3.5.16\"}\n"
      "runtime: {type: process}\ntls: {mode: \"off\"}\nstorage: {dir: " +
      folder / "data" + "}\n");
  followed->bundles = loop::bundles_of(followed->desired, folder.path()).value();
  MemberAgentOptions options;
  options.member = "a";
  options.state_dir = folder.path();
  options.passed = [](const loop::Pass& /*pass*/) {};
  HungLink* link = nullptr;
  const auto agent =
      MemberAgent::start({**etcd, *host, *links, *clock, *entropy, events}, std::move(options), followed,
                         [&](ports::Reporter& /*reporter*/,
                             const std::function<void()>& /*changed*/) -> base::Result<std::unique_ptr<PeerLink>> {
                           auto made = std::make_unique<HungLink>();
                           link = made.get();
                           return made;
                         });
  ASSERT_TRUE(agent) << agent.error().message;
  link->wait_for_a_question();
  EXPECT_EQ(link->told(), 0);
  (*agent)->wake_all_about("process");
  EXPECT_EQ(link->told(), 1);
  link->let_go();
}

}  // namespace
}  // namespace quorate::cli
