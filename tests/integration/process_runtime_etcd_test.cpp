// The process runtime with real etcd: it runs, comes back, and says in etcd's words why it cannot.
#include <csignal>
#include <filesystem>
#include <map>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/integration/certificates.h"
#include "tests/integration/etcd_process.h"
#include "tests/integration/process_runtime_kit.h"
#include "tests/support/skip.h"

namespace quorate::integration {
namespace {

using base::Duration;
using model::EndReason;
using model::RunPhase;
using model::RunState;
using testing::HasSubstr;

const adapters::process::Pauses kShort{Duration(50), Duration(400), Duration(60'000)};

// Somebody else listens there.
class Occupied {
 public:
  Occupied(const std::string& address, int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int yes = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, address.c_str(), &name.sin_addr);
    works = ::bind(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 && ::listen(socket_, 1) == 0;
  }
  Occupied(const Occupied&) = delete;
  Occupied& operator=(const Occupied&) = delete;
  ~Occupied() { ::close(socket_); }
  bool works = false;

 private:
  int socket_;
};

class EtcdRuntime : public testing::TestWithParam<std::string> {
 protected:
  struct Seat {
    std::string name;
    int client = 0;
    int peer = 0;
  };
  Seat seat(const std::string& name) { return {name, free_port(), free_port()}; }
  static std::string peer_url(const Seat& seat) { return "http://" + own_address(1) + ":" + std::to_string(seat.peer); }
  static std::string client_url(const Seat& seat) {
    return "http://" + own_address(1) + ":" + std::to_string(seat.client);
  }
  std::string program() const { return etcd_program(GetParam()); }
  std::vector<std::string> args(const Seat& seat, const std::string& everyone, const std::string& data_dir) const {
    return {"--logger=zap",
            "--name=" + seat.name,
            "--data-dir=" + data_dir,
            "--listen-client-urls=" + client_url(seat),
            "--advertise-client-urls=" + client_url(seat),
            "--listen-peer-urls=" + peer_url(seat),
            "--initial-advertise-peer-urls=" + peer_url(seat),
            "--initial-cluster=" + everyone};
  }
  std::vector<std::string> args(const Seat& seat) const {
    return args(seat, seat.name + "=" + peer_url(seat), data_dir(seat));
  }
  std::string data_dir(const Seat& seat) const { return folder_ / "data-" + seat.name; }
  std::string run_dir() const { return folder_ / "run"; }
  Etcdctl etcdctl(const Seat& seat) const { return {GetParam(), client_url(seat), {}}; }
  bool answers(const Seat& seat) const {
    const auto deadline = std::chrono::steady_clock::now() + Seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
      if (etcdctl(seat)({"endpoint", "health"}).exit_code == 0) return true;
    }
    return false;
  }
  static std::map<std::string, std::string> bytes_below(const std::string& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files[entry.path()] = read_file(entry.path());
    }
    return files;
  }

  TempDir folder_;
};

TEST_P(EtcdRuntime, RunsComesBackAndStops) {
  const Seat a = seat("a");
  WatchedRuntime runtime("a", run_dir());
  ASSERT_TRUE(runtime.start(program(), args(a)));
  const std::int64_t first = runtime.wait_for(RunPhase::Running).pid;
  ASSERT_TRUE(answers(a));
  ASSERT_EQ(etcdctl(a)({"put", "key", "value"}).exit_code, 0);
  ::kill(static_cast<pid_t>(first), SIGKILL);
  runtime.wait_for(RunPhase::Waiting);
  const std::int64_t second = runtime.wait_for(RunPhase::Running).pid;
  EXPECT_NE(first, second);
  ASSERT_TRUE(answers(a));
  EXPECT_EQ(etcdctl(a).get("key"), "value");
  EXPECT_TRUE(runtime.wait_for_line("a: {\"level\":\"info\""));

  ::kill(static_cast<pid_t>(second), SIGSTOP);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(runtime.stop());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, Seconds(7));
  EXPECT_FALSE(is_alive(second));
}

// Who waits for it need not ask again and again.
TEST_P(EtcdRuntime, TellsWhenToLookForItsLogAndForAnAnswer) {
  const Seat a = seat("a");
  WatchedRuntime runtime("a", run_dir());
  ASSERT_TRUE(runtime.start(program(), args(a)));
  runtime.wait_for(RunPhase::Running);
  std::size_t changes = 1;
  ASSERT_TRUE(runtime.wait_for_changes(changes));
  EXPECT_TRUE(std::filesystem::exists(data_dir(a) + "/member/wal"));
  while (etcdctl(a)({"put", "key", "value"}).exit_code != 0) ASSERT_TRUE(runtime.wait_for_changes(++changes));
}

TEST_P(EtcdRuntime, SaysWhileItRunsThatItsPeersAreOfAnotherCluster) {
  const Seat a = seat("a");
  const Seat b = seat("b");
  const std::string everyone = "a=" + peer_url(a) + ",b=" + peer_url(b);
  WatchedRuntime one("a", folder_ / "run-a");
  WatchedRuntime other("b", folder_ / "run-b");
  auto of_one = args(a, everyone, data_dir(a));
  auto of_other = args(b, everyone, data_dir(b));
  of_one.push_back("--initial-cluster-token=one");
  of_other.push_back("--initial-cluster-token=other");
  ASSERT_TRUE(one.start(program(), of_one));
  ASSERT_TRUE(other.start(program(), of_other));
  const RunState state = one.wait_for([](const RunState& each) { return each.reason != EndReason::None; });
  EXPECT_EQ(state.phase, RunPhase::Running);
  EXPECT_EQ(state.reason, EndReason::ClusterIdMismatch);
  EXPECT_THAT(state.text, HasSubstr("cluster ID mismatch"));
}

// C07
TEST_P(EtcdRuntime, KeepsItsDataWhenItsPortIsTakenAndComesBackWhenItIsFree) {
  const Seat a = seat("a");
  WatchedRuntime runtime("a", run_dir(), {false, kShort, {}});
  ASSERT_TRUE(runtime.start(program(), args(a)));
  ASSERT_TRUE(answers(a));
  ASSERT_EQ(etcdctl(a)({"put", "key", "value"}).exit_code, 0);
  ASSERT_TRUE(runtime.stop());
  {
    const Occupied occupied(own_address(1), a.client);
    ASSERT_TRUE(occupied.works);
    const auto before = bytes_below(data_dir(a));
    ASSERT_TRUE(runtime.start(program(), args(a)));
    const RunState loop = runtime.wait_for([](const RunState& state) { return state.crash_loop; });
    EXPECT_EQ(loop.reason, EndReason::PortTaken);
    EXPECT_THAT(loop.text, HasSubstr("bind: address already in use"));
    EXPECT_EQ(bytes_below(data_dir(a)), before);
  }
  ASSERT_TRUE(answers(a));
  EXPECT_EQ(etcdctl(a).get("key"), "value");
}

TEST_P(EtcdRuntime, SaysWhichFlagItDoesNotKnow) {
  WatchedRuntime runtime("a", run_dir(), {false, kShort, {}});
  ASSERT_TRUE(runtime.start(program(), {"--no-such-flag=1"}));
  const RunState waiting = runtime.wait_for(RunPhase::Waiting);
  EXPECT_EQ(waiting.reason, EndReason::BadFlag);
  EXPECT_EQ(waiting.text, "flag provided but not defined: -no-such-flag");
}

TEST_P(EtcdRuntime, SaysWhatIsWrongWithItsConfigurationFile) {
  write_file(folder_ / "etcd.yaml", "name: a\nheartbeat-interval: soon\n");
  WatchedRuntime runtime("a", run_dir(), {false, kShort, {}});
  ASSERT_TRUE(runtime.start(program(), {"--config-file=" + folder_ / "etcd.yaml"}));
  const RunState waiting = runtime.wait_for(RunPhase::Waiting);
  EXPECT_EQ(waiting.reason, EndReason::BadConfig);
  EXPECT_THAT(waiting.text, HasSubstr("heartbeat-interval"));
}

TEST_P(EtcdRuntime, SaysThatACertificateIsOfAnotherKey) {
  const Seat a = seat("a");
  const Authority authority(folder_.path(), "ca");
  authority.issue(folder_ / "one.crt", folder_ / "one.key", {own_address(1)});
  authority.issue(folder_ / "two.crt", folder_ / "two.key", {own_address(1)});
  std::vector<std::string> secured = args(a);
  const std::string https = "https" + client_url(a).substr(4);
  secured.insert(secured.end(), {"--listen-client-urls=" + https, "--advertise-client-urls=" + https,
                                 "--cert-file=" + folder_ / "one.crt", "--key-file=" + folder_ / "two.key"});
  WatchedRuntime runtime("a", run_dir(), {false, kShort, {}});
  ASSERT_TRUE(runtime.start(program(), secured));
  const RunState waiting = runtime.wait_for(RunPhase::Waiting);
  EXPECT_EQ(waiting.reason, EndReason::BadCertificate);
  EXPECT_THAT(waiting.text, HasSubstr("private key does not match public key"));
}

TEST_P(EtcdRuntime, IsTakenOverWithoutARestart) {
  const Seat a = seat("a");
  std::int64_t pid = 0;
  {
    WatchedRuntime earlier("a", run_dir(), {true, kShort, {}});
    ASSERT_TRUE(earlier.start(program(), args(a)));
    ASSERT_TRUE(answers(a));
    pid = earlier.look().pid;
  }
  ASSERT_EQ(etcdctl(a)({"put", "key", "value"}).exit_code, 0);
  WatchedRuntime later("a", run_dir());
  ASSERT_TRUE(later.start(program(), args(a)));
  EXPECT_EQ(later.look().pid, pid);
  EXPECT_EQ(etcdctl(a).get("key"), "value");
  ASSERT_TRUE(later.stop());
  EXPECT_FALSE(is_alive(pid));
  EXPECT_GT(later.count_lines("a: {\"level\":"), 0);  // its last lines
}

// C08
TEST_P(EtcdRuntime, IsNotStartedAgainAfterItWasRemoved) {
  const std::vector<Seat> seats{seat("a"), seat("b"), seat("c")};
  std::string everyone;
  for (const Seat& each : seats) everyone += (everyone.empty() ? "" : ",") + each.name + "=" + peer_url(each);
  std::vector<std::unique_ptr<WatchedRuntime>> runtimes;
  for (const Seat& each : seats) {
    runtimes.push_back(std::make_unique<WatchedRuntime>(each.name, run_dir()));
    ASSERT_TRUE(runtimes.back()->start(program(), args(each, everyone, data_dir(each))));
  }
  for (const Seat& each : seats) ASSERT_TRUE(answers(each));
  const Json members = etcdctl(seats[0]).json({"member", "list"});
  std::string id;
  for (const Json& member : members["members"]) {
    if (member["name"] == "c") {
      char hex[20];
      std::snprintf(hex, sizeof hex, "%lx", member["ID"].get<std::uint64_t>());
      id = hex;
    }
  }
  ASSERT_FALSE(id.empty());
  // etcd refuses until all have been connected for five seconds.
  const auto deadline = std::chrono::steady_clock::now() + Seconds(30);
  int exit_code = 1;
  while (exit_code != 0 && std::chrono::steady_clock::now() < deadline) {
    exit_code = etcdctl(seats[0])({"member", "remove", id}).exit_code;
  }
  ASSERT_EQ(exit_code, 0);
  const RunState ended = runtimes[2]->wait_for(RunPhase::Ended);
  EXPECT_EQ(ended.reason, EndReason::RemovedFromCluster);
  EXPECT_EQ(ended.text, "server error: the member has been permanently removed from the cluster");
  EXPECT_FALSE(ended.next);
  EXPECT_EQ(runtimes[0]->look().phase, RunPhase::Running);

  // An order starts it all the same, and it ends for the same reason.
  ASSERT_TRUE(runtimes[2]->start(program(), args(seats[2], everyone, data_dir(seats[2]))));
  EXPECT_EQ(runtimes[2]->wait_for(RunPhase::Ended).reason, EndReason::RemovedFromCluster);
}

class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    mounted = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=8m") == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted) ::umount2(path_.c_str(), MNT_DETACH);
  }
  bool mounted = false;

 private:
  std::string path_;
};

TEST_P(EtcdRuntime, SaysThatItsDiskIsFull) {
  const SmallDisk disk(folder_ / "small");
  if (!disk.mounted) return tests::skip_unless_ci_is_root("no right to mount a tmpfs");
  const Seat a = seat("a");
  WatchedRuntime runtime("a", run_dir(), {false, kShort, {}});
  ASSERT_TRUE(runtime.start(program(), args(a, "a=" + peer_url(a), folder_ / "small/data")));
  const RunState waiting = runtime.wait_for(RunPhase::Waiting);
  EXPECT_EQ(waiting.reason, EndReason::DiskFull);
  EXPECT_EQ(waiting.text, "failed to create WAL: no space left on device");
  ASSERT_TRUE(runtime.stop());
}

INSTANTIATE_TEST_SUITE_P(Releases, EtcdRuntime, testing::ValuesIn(kEtcdReleases), name_of_release);

}  // namespace
}  // namespace quorate::integration
