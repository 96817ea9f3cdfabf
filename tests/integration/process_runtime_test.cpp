// The process runtime with small programs: what it starts, watches, takes over, leaves alone and ends.
#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reconciler/adapters/runtimes/process/held_child.h"
#include "reconciler/adapters/runtimes/process/pid_file.h"
#include "reconciler/adapters/runtimes/process/restarts.h"
#include "tests/integration/process_runtime_kit.h"

namespace quorate::integration {
namespace {

using adapters::process::HeldChild;
using adapters::process::PidFile;
using adapters::process::ProcessIdentity;
using adapters::process::Restarts;
using base::Duration;
using model::EndReason;
using model::RunPhase;
using model::RunState;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const WatchedRuntime::How kQuick{false, {Duration(10), Duration(80), Duration(60'000)}, {}};
const WatchedRuntime::How kKeep{true, {Duration(10), Duration(80), Duration(60'000)}, {}};

class ProcessRuntime : public testing::Test {
 protected:
  void TearDown() override {
    for (const std::int64_t pid : pids_) EXPECT_FALSE(is_alive(pid)) << pid << " is left behind";
  }
  std::int64_t running(WatchedRuntime& runtime) {
    const std::int64_t pid = runtime.wait_for(RunPhase::Running).pid;
    pids_.insert(pid);
    return pid;
  }
  std::string script(const std::string& name, const std::string& text) {
    write_file(folder_ / name, "#!/bin/sh\n" + text, 0755);
    return folder_ / name;
  }
  std::string run_dir() const { return folder_ / "state/run"; }
  std::string pid_file() const { return run_dir() + "/a.pid"; }

  TempDir folder_;
  std::set<std::int64_t> pids_;
};

TEST_F(ProcessRuntime, RunsAProgramUntilItIsStopped) {
  WatchedRuntime runtime("a", run_dir());
  EXPECT_EQ(runtime.look().phase, RunPhase::Stopped);
  ASSERT_TRUE(runtime.start("sleep", {"1000"}));
  const std::int64_t pid = running(runtime);
  EXPECT_TRUE(is_alive(pid));
  EXPECT_EQ(::getsid(static_cast<pid_t>(pid)), pid);
  EXPECT_THAT(read_file(pid_file()), HasSubstr("\"pid\":" + std::to_string(pid)));
  struct stat status {};
  ASSERT_EQ(::stat(run_dir().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);

  ASSERT_TRUE(runtime.stop());
  EXPECT_FALSE(is_alive(pid));
  EXPECT_EQ(runtime.look().phase, RunPhase::Stopped);
  EXPECT_EQ(runtime.look().reason, EndReason::None);
  EXPECT_FALSE(std::filesystem::exists(pid_file()));
  EXPECT_TRUE(runtime.stop());
}

TEST_F(ProcessRuntime, PassesLinesOnWithTheNameOfTheMember) {
  WatchedRuntime runtime("a", run_dir());
  ASSERT_TRUE(
      runtime.start(script("talk", "echo first; echo second >&2; printf 'without an end'; exec sleep 1000"), {}));
  running(runtime);
  EXPECT_TRUE(runtime.wait_for_line("a: first"));
  EXPECT_TRUE(runtime.wait_for_line("a: second"));
  ASSERT_TRUE(runtime.stop());
  EXPECT_TRUE(runtime.wait_for_line("a: without an end"));
}

TEST_F(ProcessRuntime, GivesNoFileSignalOrVariableOfOursAway) {
  ::setenv("ETCD_NAME", "wrong", 1);
  ::setenv("NOTIFY_SOCKET", "/run/ours", 1);
  ::setenv("QUORATE_PASSED_ON", "yes", 1);
  const int open_file = ::fcntl(0, F_DUPFD, 200);  // without close-on-exec, and no number that the shell uses itself
  ASSERT_GE(open_file, 200);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  {
    WatchedRuntime runtime("a", run_dir());
    const std::string text = "env; ls /proc/$$/fd >" + folder_ / "files; sed 's/^/fd /' " +
                             folder_ /
                                 "files\n"
                                 "grep SigIgn /proc/$$/status; readlink /proc/$$/fd/0; echo all; exec sleep 1000";
    ASSERT_TRUE(runtime.start(script("show", text), {}));
    running(runtime);
    ASSERT_TRUE(runtime.wait_for_line("a: all"));
    EXPECT_THAT(runtime.lines(), Contains("a: QUORATE_PASSED_ON=yes"));
    EXPECT_THAT(runtime.lines(), Contains("a: SigIgn:\t0000000000000000"));
    EXPECT_THAT(runtime.lines(), Contains("a: /dev/null"));
    EXPECT_EQ(runtime.count_lines("ETCD_NAME") + runtime.count_lines("NOTIFY_SOCKET"), 0);
    EXPECT_GE(runtime.count_lines("a: fd "), 3);
    EXPECT_EQ(runtime.count_lines("a: fd " + std::to_string(open_file)), 0);
  }
  std::signal(SIGPIPE, before);
  ::close(open_file);
  ::unsetenv("ETCD_NAME");
  ::unsetenv("NOTIFY_SOCKET");
}

TEST_F(ProcessRuntime, StartsAKilledOneAgain) {
  WatchedRuntime runtime("a", run_dir());
  ASSERT_TRUE(runtime.start("sleep", {"1000"}));
  const std::int64_t first = running(runtime);
  const auto killed = std::chrono::steady_clock::now();
  ::kill(static_cast<pid_t>(first), SIGKILL);
  const RunState waiting = runtime.wait_for(RunPhase::Waiting);
  EXPECT_EQ(waiting.text, "it was ended by signal 9");
  ASSERT_TRUE(waiting.next);
  EXPECT_EQ(*waiting.next - waiting.since, Duration(100));
  const RunState again = runtime.wait_for(RunPhase::Running);
  pids_.insert(again.pid);
  const auto took = std::chrono::steady_clock::now() - killed;
  RecordProperty("restart_ms", static_cast<int>(std::chrono::duration_cast<Duration>(took).count()));
  EXPECT_NE(again.pid, first);
  EXPECT_EQ(again.restarts, 1);
  EXPECT_EQ(again.reason, EndReason::Other);
  EXPECT_FALSE(again.crash_loop);
}

// Its agent has not come to writing Keep yet, and etcd would begin anew under its old ID.
TEST_F(ProcessRuntime, StartsNoneAgainThatHadALogAndHasNone) {
  WatchedRuntime::How how;
  how.has_lost_its_log = [] { return true; };
  WatchedRuntime runtime("a", run_dir(), how);
  ASSERT_TRUE(runtime.start("sleep", {"1000"}));
  ::kill(static_cast<pid_t>(running(runtime)), SIGKILL);
  runtime.wait_for(RunPhase::Waiting);
  running(runtime);  // it never had a log: a port was taken, perhaps
  ASSERT_TRUE(runtime.start("sh", {"-c", "echo starting local member; exec sleep 1001"}));
  ASSERT_TRUE(runtime.wait_for_line("starting local member"));
  const std::int64_t second = runtime.look().pid;
  pids_.insert(second);
  ::kill(static_cast<pid_t>(second), SIGKILL);
  const RunState stopped = runtime.wait_for(RunPhase::Stopped);
  EXPECT_EQ(stopped.text, "it had a log, and nothing of it is there");
}

TEST_F(ProcessRuntime, RecognisesACrashLoopAndGoesOnTrying) {
  WatchedRuntime runtime("a", run_dir(), kQuick);
  ASSERT_TRUE(runtime.start(script("fail", "echo 'panic: nothing works'; exit 2"), {}));
  const RunState second = runtime.wait_for([](const RunState& state) { return state.restarts == 1; });
  EXPECT_FALSE(second.crash_loop);
  const RunState loop = runtime.wait_for([](const RunState& state) { return state.crash_loop; });
  EXPECT_EQ(loop.phase, RunPhase::Waiting);
  EXPECT_EQ(loop.text, "panic: nothing works");
  runtime.wait_for([](const RunState& state) { return state.restarts >= 5; });
  // It is on its way: to ask for it once more shortens no pause.
  ASSERT_TRUE(runtime.start(folder_ / "fail", {}));
  runtime.wait_for([](const RunState& state) { return state.crash_loop && state.phase == RunPhase::Waiting; });
  ASSERT_TRUE(runtime.stop());
  EXPECT_EQ(runtime.look().phase, RunPhase::Stopped);
  EXPECT_EQ(runtime.look().restarts, 0);
}

TEST_F(ProcessRuntime, ForgetsEarlierEndsOnceItRunsWell) {
  WatchedRuntime runtime("a", run_dir(), {false, {Duration(10), Duration(80), Duration(300)}, {}});
  const std::string text = "[ -e " + folder_ / "tried" + " ] && exec sleep 1000; touch " + folder_ / "tried; exit 1";
  ASSERT_TRUE(runtime.start(script("second", text), {}));
  const RunState again = runtime.wait_for([](const RunState& state) { return state.restarts == 1; });
  pids_.insert(again.pid);
  EXPECT_EQ(again.reason, EndReason::Other);
  runtime.wait_for([](const RunState& state) {
    return state.phase == RunPhase::Running && state.restarts == 0 && state.reason == EndReason::None;
  });
  EXPECT_EQ(runtime.look().pid, again.pid);
}

TEST(Restarts, WaitLongerEachTimeUpToALimit) {
  SteadyEntropy longest;
  Restarts restarts({}, longest);
  std::vector<std::int64_t> pauses;
  for (int end = 0; end < 11; ++end) pauses.push_back(restarts.pause_after(Duration(10)).count());
  EXPECT_THAT(pauses, testing::ElementsAre(100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000));
  EXPECT_TRUE(restarts.crash_loop());
  EXPECT_EQ(restarts.pause_after(Duration(60'000)), Duration(100));
  EXPECT_FALSE(restarts.crash_loop());
}

TEST_F(ProcessRuntime, KillsWhatDoesNotEndAndAllThatItStarted) {
  WatchedRuntime runtime("a", run_dir());
  ASSERT_TRUE(
      runtime.start(script("deaf", "trap '' TERM\nsleep 1000 & echo $! >" + folder_ / "below; echo ready; wait"), {}));
  const std::int64_t pid = running(runtime);
  ASSERT_TRUE(runtime.wait_for_line("a: ready"));
  const std::int64_t below = std::stoll(read_file(folder_ / "below"));
  EXPECT_TRUE(is_alive(below));
  ASSERT_TRUE(runtime.stop(Duration(50)));
  EXPECT_FALSE(is_alive(pid));
  EXPECT_TRUE(wait_until_gone(below));
  EXPECT_TRUE(runtime.wait_for_line("a: does not end in time, and is killed"));
}

TEST_F(ProcessRuntime, EndsWhatStandsStill) {
  WatchedRuntime runtime("a", run_dir());
  ASSERT_TRUE(runtime.start("sleep", {"1000"}));
  const std::int64_t pid = running(runtime);
  ::kill(static_cast<pid_t>(pid), SIGSTOP);
  ASSERT_TRUE(runtime.stop());
  EXPECT_FALSE(is_alive(pid));
}

TEST_F(ProcessRuntime, LeavesOneWithTheSameLaunchAlone) {
  std::int64_t pid = 0;
  {
    WatchedRuntime earlier("a", run_dir(), kKeep);
    ASSERT_TRUE(earlier.start("sleep", {"1000"}));
    pid = running(earlier);
    ASSERT_TRUE(earlier.start("sleep", {"1000"}));
    EXPECT_EQ(earlier.look().pid, pid);
  }
  WatchedRuntime later("a", run_dir());
  EXPECT_EQ(later.look().phase, RunPhase::Running);
  EXPECT_EQ(later.look().pid, pid);
  ASSERT_TRUE(later.start("sleep", {"1000"}));
  EXPECT_EQ(later.look().pid, pid);
  EXPECT_EQ(later.look().restarts, 0);
}

TEST_F(ProcessRuntime, AnotherLaunchTakesItsPlace) {
  std::int64_t pid = 0;
  {
    WatchedRuntime earlier("a", run_dir(), kKeep);
    ASSERT_TRUE(earlier.start("sleep", {"1000"}));
    pid = running(earlier);
  }
  WatchedRuntime later("a", run_dir());
  ASSERT_TRUE(later.start("sleep", {"1001"}));
  EXPECT_FALSE(is_alive(pid));
  const std::int64_t second = later.look().pid;
  EXPECT_TRUE(is_alive(second));
  ASSERT_TRUE(later.start("sleep", {"1002"}));
  EXPECT_FALSE(is_alive(second));
  pids_.insert(later.look().pid);
}

// What a process of ours says about the member that it started, before it ends without a word.
std::int64_t pid_from_a_process_that_dies(const std::function<std::int64_t()>& start) {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return -1;
  const pid_t agent = ::fork();
  if (agent == 0) {
    const std::int64_t pid = start();
    [[maybe_unused]] const ssize_t wrote = ::write(ends[1], &pid, sizeof pid);
    ::_exit(0);
  }
  std::int64_t pid = -1;
  ::close(ends[1]);
  if (::read(ends[0], &pid, sizeof pid) != static_cast<ssize_t>(sizeof pid)) pid = -1;
  ::close(ends[0]);
  ::waitpid(agent, nullptr, 0);
  return pid;
}

TEST_F(ProcessRuntime, OutlivesTheProcessThatStartedItAndIsWatchedOn) {
  const std::string talk = script("talk", "while :; do echo alive; sleep 0.05; done");
  const std::int64_t pid = pid_from_a_process_that_dies([&] {
    // Never destroyed: the process ends under it, as after kill -9.
    auto* runtime = new WatchedRuntime("a", run_dir(), kKeep);
    return runtime->start(talk, {}) ? runtime->look().pid : -1;
  });
  ASSERT_GT(pid, 0);
  pids_.insert(pid);
  WatchedRuntime later("a", run_dir(), kQuick);
  ASSERT_EQ(later.look().phase, RunPhase::Running);
  EXPECT_EQ(later.look().pid, pid);
  EXPECT_TRUE(later.wait_for_line("a: alive"));  // it goes on writing, and we go on reading
  ASSERT_TRUE(later.start(talk, {}));
  EXPECT_EQ(later.look().pid, pid);

  ::kill(static_cast<pid_t>(pid), SIGKILL);  // no child of ours, and its end is seen all the same
  later.wait_for(RunPhase::Waiting);
  const std::int64_t again = running(later);
  EXPECT_NE(again, pid);
}

TEST_F(ProcessRuntime, NothingIsStartedThatIsNotWrittenDown) {
  const std::string mark = folder_ / "mark";
  const std::int64_t pid = pid_from_a_process_that_dies([&]() -> std::int64_t {
    const adapters::process::Descriptor log(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    auto child = HeldChild::fork("/usr/bin/touch", "touch", {mark}, log);
    if (!child) return -1;
    const std::int64_t held = child->pid();
    new HeldChild(std::move(*child));  // never let go, never destroyed
    return held;
  });
  ASSERT_GT(pid, 0);
  EXPECT_TRUE(wait_until_gone(pid));
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(ProcessRuntime, LeavesAProcessAloneThatOnlyHasTheNumber) {
  ASSERT_TRUE(adapters::process::make_run_dir(run_dir()));
  Process other({{"sh", "-c", "echo $$; exec sleep 1234"}, {}});
  Process same_words({{"sh", "-c", "echo $$; exec sleep 1000"}, {}});
  const auto pid_of = [](Process& process) -> std::int64_t {
    const auto any = [](const std::string&) { return true; };
    return process.wait_for_line(any, Seconds(10)) ? std::stoll(process.lines().front()) : -1;
  };
  const std::int64_t other_pid = pid_of(other);
  const std::int64_t same_pid = pid_of(same_words);
  ASSERT_GT(other_pid, 0);
  ASSERT_GT(same_pid, 0);
  const std::string digest = adapters::process::launch_digest("sleep", {"1000"});
  ProcessIdentity reused = *adapters::process::identity_of(same_pid);
  --reused.started;
  ProcessIdentity before_boot = *adapters::process::identity_of(same_pid);
  before_boot.boot = "another";
  for (const ProcessIdentity& identity : {*adapters::process::identity_of(other_pid), reused, before_boot}) {
    ASSERT_TRUE(adapters::process::write_pid_file(pid_file(), {identity, digest, 0}));
    WatchedRuntime runtime("a", run_dir());
    EXPECT_EQ(runtime.look().phase, RunPhase::Stopped);
    ASSERT_TRUE(runtime.start("sleep", {"1000"}));
    EXPECT_NE(running(runtime), same_pid);
  }
  EXPECT_TRUE(is_alive(other_pid));
  EXPECT_TRUE(is_alive(same_pid));
}

TEST_F(ProcessRuntime, MakesNothingOfAPidFileThatMakesNoSense) {
  ASSERT_TRUE(adapters::process::make_run_dir(run_dir()));
  const std::string self = std::to_string(::getpid());
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), self, "{\"pid\":" + self + "}",
        std::string(R"({"pid":-1,"started":1,"boot":"","launch":""})"),
        std::string(R"({"pid":1,"started":1,"boot":"","launch":""})"),
        std::string(R"({"pid":18446744073709551615,"started":1,"boot":"","launch":""})"),
        std::string(R"({"pid":"2","started":[],"boot":{},"launch":null})"), std::string(10'000, '[')}) {
    write_file(pid_file(), text, 0600);
    EXPECT_FALSE(adapters::process::read_pid_file(pid_file())) << text;
    WatchedRuntime runtime("a", run_dir());
    EXPECT_EQ(runtime.look().phase, RunPhase::Stopped);
  }
  std::filesystem::remove(pid_file());
  std::filesystem::create_symlink("/etc/passwd", pid_file());
  EXPECT_FALSE(adapters::process::read_pid_file(pid_file()));
}

TEST_F(ProcessRuntime, RefusesAnotherRelease) {
  WatchedRuntime::How how = kQuick;
  how.version_of = [](const std::string& program) -> base::Result<std::string> {
    EXPECT_THAT(program, testing::EndsWith("/sleep"));
    return "3.5.16";
  };
  WatchedRuntime runtime("a", run_dir(), how);
  for (const char* wanted : {"3.4", "3.5.1", "3.5.17"}) {
    const auto started = runtime.start("sleep", {"1000"}, wanted);
    ASSERT_FALSE(started) << wanted;
    EXPECT_EQ(started.error().kind, base::ErrorKind::Refused);
    EXPECT_THAT(started.error().message, HasSubstr(std::string("is etcd 3.5.16, and not ") + wanted));
    EXPECT_EQ(runtime.look().phase, RunPhase::Stopped);
    EXPECT_EQ(runtime.look().reason, EndReason::WrongVersion);
  }
  ASSERT_TRUE(runtime.stop());
  for (const char* wanted : {"3.5", "3.5.16"}) {
    ASSERT_TRUE(runtime.start("sleep", {"1000"}, wanted));
    pids_.insert(runtime.look().pid);
    ASSERT_TRUE(runtime.stop());
  }
}

TEST_F(ProcessRuntime, SaysWhichProgramIsMissing) {
  WatchedRuntime runtime("a", run_dir());
  for (const std::string& program : {std::string("no-such-etcd"), folder_ / "missing"}) {
    const auto started = runtime.start(program, {});
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().kind, base::ErrorKind::Invalid);
    EXPECT_THAT(started.error().message, HasSubstr(program));
    EXPECT_EQ(runtime.look().phase, RunPhase::Stopped);
    EXPECT_FALSE(std::filesystem::exists(pid_file()));
  }
}

TEST_F(ProcessRuntime, KeepsItsLogSmallAndLosesNoLine) {
  WatchedRuntime runtime("a", run_dir());
  const std::string line(1000, 'x');
  const std::string text = "i=0; yes " + line + " | head -n 20000; echo written; exec sleep 1000";
  ASSERT_TRUE(runtime.start(script("much", text), {}));
  running(runtime);
  ASSERT_TRUE(runtime.wait_for_line("a: written", Seconds(60)));
  EXPECT_EQ(runtime.count_lines(line), 20'000);
  ASSERT_TRUE(runtime.stop());
  EXPECT_LE(std::filesystem::file_size(run_dir() + "/a.log"), 17U << 20);
  EXPECT_LE(std::filesystem::file_size(run_dir() + "/a.log.1"), 40U << 20);
}

}  // namespace
}  // namespace quorate::integration
