// The command line speaks to the agent of its machine: events as they come, one owner of the socket, no way in for
// others.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "reconciler/adapters/peer_grpc/local.h"
#include "tests/integration/process.h"

namespace quorate::peer_grpc {
namespace {

using base::Duration;
using base::ErrorKind;
using Steady = std::chrono::steady_clock;

class Local : public testing::Test {
 protected:
  std::unique_ptr<LocalServer> serve(Answerer answer) {
    auto server = make_local_server({path_, group_}, std::move(answer));
    EXPECT_TRUE(server) << (server ? "" : server.error().message);
    return server ? std::move(*server) : nullptr;
  }
  base::Result<void> call(const std::string& request, Duration within = Duration(10000)) {
    events_.clear();
    return call_local({path_,
                       request,
                       within,
                       [this](const std::string& event) {
                         events_.push_back(event);
                         return true;
                       },
                       {}});
  }
  static void wait_until_gone(const Sink& sink) {
    while (!sink.gone()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  static void expect_kind(const base::Result<void>& result, ErrorKind kind) {
    ASSERT_FALSE(result);
    EXPECT_EQ(static_cast<int>(result.error().kind), static_cast<int>(kind)) << result.error().message;
    EXPECT_FALSE(result.error().help.empty()) << result.error().message;
  }

  integration::TempDir folder_;
  std::string group_;
  std::string path_ = folder_ / "run/agent.sock";
  std::vector<std::string> events_;
};

TEST_F(Local, EventsComeInOrderAndThenTheEnd) {
  const auto server = serve([](const std::string& request, const Sink& sink) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(sink.send(request + std::to_string(i)));
  });
  const auto done = call("{\"do\":\"apply\"}");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(events_, (std::vector<std::string>{"{\"do\":\"apply\"}0", "{\"do\":\"apply\"}1", "{\"do\":\"apply\"}2"}));
  EXPECT_TRUE(call(std::string(500000, 'x')));
  expect_kind(call(std::string(2 << 20, 'x')), ErrorKind::Invalid);
}

TEST_F(Local, TheSocketIsForItsOwnerAndItsGroup) {
  const auto server = serve([](const std::string&, const Sink&) {});
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_TRUE(S_ISSOCK(info.st_mode));
  EXPECT_EQ(info.st_mode & 07777, 0660u);
  ASSERT_EQ(::stat((folder_ / "run").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
}

// As systemd makes it for us: of root's group, and closed to everybody else.
TEST_F(Local, TheOperatorsReachTheSocketThroughItsFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files to other groups";
  const struct group* operators = ::getgrnam("daemon");
  if (operators == nullptr) GTEST_SKIP() << "no group daemon here";
  const gid_t number = operators->gr_gid;
  group_ = "daemon";
  const auto group_of = [](const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info.st_gid;
  };
  ASSERT_EQ(::mkdir((folder_ / "run").c_str(), 0750), 0);
  const auto server = serve([](const std::string&, const Sink&) {});
  EXPECT_EQ(group_of(path_), number);
  EXPECT_EQ(group_of(folder_ / "run"), number);

  ASSERT_EQ(::mkdir((folder_ / "everybody").c_str(), 0755), 0);
  path_ = folder_ / "everybody/agent.sock";
  const auto second = serve([](const std::string&, const Sink&) {});
  EXPECT_EQ(group_of(path_), number);
  EXPECT_EQ(group_of(folder_ / "everybody"), 0U) << "it is not the socket's alone";
}

TEST_F(Local, AGroupThatTheMachineDoesNotKnowIsLeftOut) {
  group_ = "no-such-group-here";
  const auto server = serve([](const std::string&, const Sink& sink) { sink.send("alive"); });
  ASSERT_TRUE(call("x"));
}

TEST_F(Local, NobodyThereIsSaidAtOnce) {
  expect_kind(call("x"), ErrorKind::Transient);
  auto server = serve([](const std::string&, const Sink&) {});
  server.reset();
  EXPECT_NE(::access(path_.c_str(), F_OK), 0);
  expect_kind(call("x"), ErrorKind::Transient);
}

TEST_F(Local, ALivingAgentKeepsItsSocket) {
  const auto server = serve([](const std::string&, const Sink& sink) { sink.send("first"); });
  const auto second = make_local_server({path_, group_}, [](const std::string&, const Sink&) {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::Refused) << second.error().message;
  ASSERT_TRUE(call("x"));
  EXPECT_EQ(events_, std::vector<std::string>{"first"});
}

TEST_F(Local, WhatADeadAgentLeftIsReplacedAndOtherFilesAreNot) {
  // As a killed process leaves it: a socket in the file system that nobody listens at.
  ASSERT_EQ(::mkdir((folder_ / "run").c_str(), 0700), 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(dead, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(dead);
  {
    const auto server = serve([](const std::string&, const Sink& sink) { sink.send("alive"); });
    ASSERT_TRUE(call("x"));
    EXPECT_EQ(events_, std::vector<std::string>{"alive"});
  }
  integration::write_file(path_, "something of somebody");
  const auto refused = make_local_server({path_, group_}, [](const std::string&, const Sink&) {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
  EXPECT_EQ(integration::read_file(path_), "something of somebody");
}

TEST_F(Local, PathsThatAreTooLongOrRelativeAreRefused) {
  EXPECT_FALSE(make_local_server({folder_ / std::string(120, 'x'), ""}, [](const std::string&, const Sink&) {}));
  EXPECT_FALSE(make_local_server({"agent.sock", ""}, [](const std::string&, const Sink&) {}));
}

TEST_F(Local, WhoeverHasEnoughEndsTheRequestOnBothSides) {
  std::atomic<bool> saw_end = false;
  const auto server = serve([&](const std::string&, const Sink& sink) {
    sink.send("one");
    wait_until_gone(sink);
    EXPECT_FALSE(sink.send("nobody hears this"));
    saw_end = true;
  });
  EXPECT_TRUE(call_local({path_, "x", {}, [](const std::string&) { return false; }, {}}));
  const auto start = Steady::now();
  EXPECT_TRUE(call_local({path_, "x", {}, {}, [&] { return Steady::now() - start > Duration(150); }}));
  EXPECT_LT(Steady::now() - start, Duration(2000));
  expect_kind(call("x", Duration(200)), ErrorKind::Ambiguous);
  for (int i = 0; i < 2000 && !saw_end; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(saw_end);
}

TEST_F(Local, AnEventThatIsTooLargeEndsTheCallOpenly) {
  const auto server = serve([](const std::string&, const Sink& sink) {
    EXPECT_TRUE(sink.send(std::string(1 << 20, 'x')));
    EXPECT_FALSE(sink.send(std::string(5 << 20, 'x')));
  });
  expect_kind(call("x"), ErrorKind::Ambiguous);
}

TEST_F(Local, AServerGoesAtOnce) {
  for (int i = 0; i < 5; ++i) {
    const auto start = Steady::now();
    auto server = serve([](const std::string&, const Sink& sink) { sink.send("x"); });
    ASSERT_TRUE(call("x"));
    server.reset();
    EXPECT_LT(Steady::now() - start, Duration(3000));
  }
}

TEST_F(Local, AnAgentThatGoesLeavesTheRequestOpen) {
  auto server = serve([&](const std::string&, const Sink& sink) {
    sink.send("begun");
    wait_until_gone(sink);
  });
  base::Result<void> result;
  std::atomic<bool> begun = false;
  std::thread caller([&] {
    result = call_local({path_,
                         "x",
                         {},
                         [&](const std::string&) {
                           begun = true;
                           return true;
                         },
                         {}});
  });
  while (!begun) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  server.reset();
  caller.join();
  expect_kind(result, ErrorKind::Ambiguous);
}

}  // namespace
}  // namespace quorate::peer_grpc
