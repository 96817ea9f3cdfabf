// How agents begin and how they end: with what they find, after what happened while nobody kept the member, and with
// what they leave behind.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/e2e/agents/fleet.h"
#include "tests/integration/certificates.h"

namespace quorate::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

class Lives : public AgentsTest {
 protected:
  integration::Ended ask(const std::string& command, const std::string& file) const {
    return fleet_.quorate({command, "-f", file, "--state-dir", fleet_.state_dir("a")});
  }

  // Where `quorate up` keeps the one member is where its agent would.
  Names up(Names more) const {
    Names words{QUORATE_BINARY, "up", "-f", fleet_.file(), "--state-dir", fleet_.state_dir("a")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

std::size_t count_of(const std::string& piece, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++count;
  return count;
}

TEST_P(Lives, J07_AfterAPowerCutUnderAWrongFileTheMemberIsStartedAgain) {
  fleet_.form({"a"});
  fleet_.overwrite_file("members: {a: [\n");
  ASSERT_TRUE(fleet_.agent_said("a", "the last valid file stays in force"));
  fleet_.kill("a");
  fleet_.kill_etcd("a");
  fleet_.start("a");
  ASSERT_TRUE(fleet_.become_voters({"a"}));
  ASSERT_TRUE(fleet_.settle("a"));

  const auto status = ask("status", fleet_.file());
  EXPECT_EQ(status.exit_code, 3) << status.output << status.errors;
  EXPECT_THAT(status.output, HasSubstr("leader  up"));
  EXPECT_THAT(status.output, HasSubstr("the agent here refuses"));
  EXPECT_THAT(status.errors, HasSubstr("the last valid file"));
  EXPECT_EQ(ask("drift", fleet_.file()).exit_code, 3);

  const std::string copy = fleet_.folder() + "/copy.yaml";
  integration::write_file(copy, fleet_.text({"a"}));
  const auto beside = ask("status", copy);
  EXPECT_EQ(beside.exit_code, 0) << beside.output << beside.errors;
  EXPECT_THAT(beside.output, HasSubstr("the agent here refuses"));

  fleet_.want({"a"});
  ASSERT_TRUE(fleet_.agent_said("a", "is right again"));
  const auto after = ask("status", fleet_.file());
  EXPECT_EQ(after.exit_code, 0) << after.output << after.errors;
  EXPECT_THAT(after.output, Not(HasSubstr("refuses")));
}

TEST_P(Lives, J07_AWrongFileThatWasNeverRightIsNotStartedWith) {
  fleet_.overwrite_file("members: {a: [\n");
  fleet_.start("a");
  EXPECT_EQ(fleet_.agent_ended("a", kPatience), 3);
}

TEST_P(Lives, B15_AMemberThatWasDroppedWhileItsNodeWasDownIsCleanedUp) {
  fleet_.form({"a", "b", "c"});
  for (const char* member : {"b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  const std::string step = "remove/c@" + base::to_string(fleet_.id_of("c"));
  fleet_.kill("c");
  fleet_.kill_etcd("c");
  fleet_.want({"a", "b"});
  fleet_.start("c");
  ASSERT_TRUE(fleet_.plans("a", "Actionable", step));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.approve("a", step); }, Seconds(20)));
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}));
  EXPECT_TRUE(Fleet::eventually([&] { return !std::filesystem::exists(fleet_.config("c")); }));
  EXPECT_TRUE(Fleet::eventually([&] { return !fleet_.set_aside("c").empty(); }));
  EXPECT_EQ(fleet_.etcd_pid("c"), 0);
  fleet_.kill("c");
  fleet_.start("c");  // nothing is left for it to do
  EXPECT_EQ(fleet_.agent_ended("c", kPatience), 3);
}

TEST_P(Lives, WhatTheNodeFileSaysInsteadIsInForceOnItsNodeAndNothingElseChanges) {
  const std::string node_file = fleet_.folder() + "/agent.yaml";
  integration::write_file(node_file, "apiVersion: quorate/v1\nkind: Agent\nnode: a\noverrides: {storage: {dir: " +
                                         fleet_.folder() + "/nvme}}\n");
  fleet_.tell("a", {"--config", node_file});
  fleet_.form({"a", "b", "c"});
  for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member)) << member;
  EXPECT_TRUE(std::filesystem::exists(fleet_.folder() + "/nvme/a/member"));
  EXPECT_FALSE(std::filesystem::exists(fleet_.data_dir("a")));
  EXPECT_TRUE(std::filesystem::exists(fleet_.data_dir("b") + "/member"));
  fleet_.give_variables({"QUORATE_CONFIG=" + node_file});
  for (const char* command : {"plan", "status"}) {
    const auto shown = ask(command, fleet_.file());
    EXPECT_EQ(shown.exit_code, 0) << shown.output << shown.errors;
    EXPECT_THAT(shown.output, HasSubstr("members.a.storage.dir")) << command;
  }
  Wording wording;
  wording.etcd = "snapshotCount: 5000";
  fleet_.want({"a", "b", "c"}, wording);
  for (const char* member : {"a", "b", "c"}) {
    ASSERT_TRUE(Fleet::eventually([&] {
      return integration::read_file(fleet_.config(member)).find("5000") != std::string::npos;
    })) << member;
  }
  ASSERT_TRUE(fleet_.settle("a"));
  EXPECT_THAT(integration::read_file(fleet_.config("a")), HasSubstr("/nvme/a"));
}

TEST_P(Lives, AnAgentKeepsTheMemberOfItsNodeAndNotTheOneThatIsCalledSo) {
  Wording wording;
  wording.member = {{"a", "node: b"}, {"b", "node: a"}};
  fleet_.want({"a", "b"}, wording);
  const std::string node_file = fleet_.folder() + "/agent.yaml";
  integration::write_file(node_file, "apiVersion: quorate/v1\nkind: Agent\nnode: a\n");
  integration::Process of_node_a({{QUORATE_BINARY, "agent", "--config", node_file, "--state-dir", fleet_.state_dir("b"),
                                   "--agent", fleet_.socket("b"), "-f", fleet_.file()},
                                  {}});
  fleet_.start("a");
  EXPECT_TRUE(fleet_.become_voters({"a", "b"})) << of_node_a.log();
}

TEST_P(Lives, AgentsMoveToAnotherPortWithTheirFileAndGoOn) {
  fleet_.form({"a", "b", "c"});
  for (const char* member : {"b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  fleet_.move_agents();
  Wording wording;
  wording.etcd = "snapshotCount: 5000";  // what no agent does before a majority follows the file
  fleet_.want({"a", "b", "c"}, wording);
  for (const char* member : {"a", "b", "c"}) {
    ASSERT_TRUE(Fleet::eventually([&] {
      return integration::read_file(fleet_.config(member)).find("5000") != std::string::npos;
    })) << member;
  }
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_TRUE(fleet_.settle("a"));
}

// At the same port: the old server has to go before the new one can come.
TEST_P(Lives, AgentsTakeNewCertificatesFromTheirFileAndGoOn) {
  const auto named = [&](const std::string& name) {
    const integration::Authority authority(fleet_.folder(), name);
    const std::string pair = fleet_.folder() + "/" + name + "-agent";
    authority.issue(pair + ".crt", pair + ".key", {fleet_.address("a"), fleet_.address("b"), fleet_.address("c")});
    return "mode: \"off\", agent: {cert: " + pair + ".crt, key: " + pair + ".key, ca: " + authority.certificate() + "}";
  };
  Wording wording;
  wording.tls = named("first");
  fleet_.form({"a", "b", "c"}, wording);
  for (const char* member : {"b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  wording.tls = named("second");
  wording.etcd = "snapshotCount: 5000";
  fleet_.want({"a", "b", "c"}, wording);
  for (const char* member : {"a", "b", "c"}) {
    ASSERT_TRUE(Fleet::eventually([&] {
      return integration::read_file(fleet_.config(member)).find("5000") != std::string::npos;
    })) << member;
  }
  EXPECT_TRUE(fleet_.settle("a"));
}

TEST_P(Lives, AMemberOutlivesItsAgentAndTheNextOneTakesItOver) {
  fleet_.form({"a"});
  const int pid = fleet_.etcd_pid("a");
  fleet_.signal("a", SIGTERM);
  EXPECT_EQ(fleet_.agent_ended("a", kPatience), 143);
  EXPECT_EQ(fleet_.etcd_pid("a"), pid);
  fleet_.tell("a", {"--stop-members"});
  fleet_.start("a");
  ASSERT_TRUE(fleet_.settle("a"));
  EXPECT_EQ(fleet_.etcd_pid("a"), pid);
  fleet_.signal("a", SIGTERM);
  EXPECT_EQ(fleet_.agent_ended("a", kPatience), 143);
  EXPECT_EQ(fleet_.etcd_pid("a"), 0);
}

TEST_P(Lives, SighupReadsTheFileAgain) {
  fleet_.form({"a"});
  fleet_.replace_file("members: {a: [\n");
  const auto told = [&] { return count_of("the last valid file stays in force", fleet_.log("a")); };
  ASSERT_TRUE(Fleet::eventually([&] { return told() > 0; }));
  const std::size_t before = told();
  fleet_.signal("a", SIGHUP);
  EXPECT_TRUE(Fleet::eventually([&] { return told() > before; }));
}

TEST_P(Lives, UpStopsItsMembersWhenItIsToldToEnd) {
  fleet_.want({"a"});
  integration::Process process({up({}), {}});
  ASSERT_TRUE(fleet_.become_voters({"a"})) << process.log();
  EXPECT_NE(fleet_.etcd_pid("a"), 0);
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait_for_exit(kPatience), 143) << process.log();
  EXPECT_EQ(fleet_.etcd_pid("a"), 0);
}

TEST_P(Lives, UpKeepsItsMembersWhereItIsToldTo) {
  fleet_.want({"a"});
  integration::Process process({up({"--keep-members"}), {}});
  ASSERT_TRUE(fleet_.become_voters({"a"})) << process.log();
  const int pid = fleet_.etcd_pid("a");
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait_for_exit(kPatience), 143) << process.log();
  EXPECT_EQ(fleet_.etcd_pid("a"), pid);
  EXPECT_TRUE(fleet_.are_voters({"a"}));
}

// As systemd listens to a service of Type=notify.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    good_ = ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~NotifySocket() { ::close(socket_); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  bool good() const { return good_; }
  // What comes until a message begins so.
  bool hears(const std::string& start) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      pollfd wanted{socket_, POLLIN, 0};
      if (::poll(&wanted, 1, 1000) <= 0) continue;
      char text[1024];
      const ssize_t length = ::recv(socket_, text, sizeof text, 0);
      if (length > 0 && std::string(text, static_cast<std::size_t>(length)).compare(0, start.size(), start) == 0)
        return true;
    }
    return false;
  }

 private:
  int socket_;
  bool good_ = false;
};

TEST_P(Lives, SystemdIsToldThatTheAgentIsReadyWhatItDoesAndThatItLives) {
  NotifySocket systemd(fleet_.folder() + "/notify");
  ASSERT_TRUE(systemd.good());
  fleet_.give_variables({"NOTIFY_SOCKET=" + fleet_.folder() + "/notify", "WATCHDOG_USEC=60000000"});
  fleet_.want({"a"});
  fleet_.start("a");
  EXPECT_TRUE(systemd.hears("READY=1"));
  EXPECT_TRUE(systemd.hears("STATUS="));
  EXPECT_TRUE(systemd.hears("WATCHDOG=1"));
  fleet_.signal("a", SIGTERM);
  EXPECT_TRUE(systemd.hears("STOPPING=1"));
  EXPECT_EQ(fleet_.agent_ended("a", kPatience), 143);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Lives, testing::Values(std::string("3.5.16")), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
