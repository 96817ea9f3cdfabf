// fork, a pipe that holds the child back, and exec; between the two only calls that are allowed after a fork.
#include "reconciler/adapters/runtimes/process/held_child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "reconciler/adapters/runtimes/process/process_identity.h"

namespace quorate::adapters::process {
namespace {

constexpr int kGate = 3;
constexpr int kFailure = 4;
constexpr int kNotRun = 127;

tl::unexpected<base::Error> not_started(const std::string& program, int number) {
  const std::string why = "cannot run " + program + ": " + std::generic_category().message(number);
  if (number == ENOENT || number == EACCES || number == ENOEXEC || number == ENOTDIR) {
    return base::invalid(why, "install it, or name its path");
  }
  return tl::unexpected(base::Error{base::ErrorKind::Transient, why, ""});
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// A socket, because to write into a pipe whose reader was killed raises a signal.
Pipe make_gate() {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

struct Ends {
  int input;
  int log;
  int gate;
  int failure;
};

// Leaves 0, 1 and 2, the gate and the failure open; also no end of a pipe that holds back another child.
bool arrange_descriptors(Ends ends) {
  // Out of the way first: any of them may have one of the numbers that they are to get.
  ends.input = ::fcntl(ends.input, F_DUPFD, 16);
  ends.log = ::fcntl(ends.log, F_DUPFD, 16);
  ends.gate = ::fcntl(ends.gate, F_DUPFD, 16);
  ends.failure = ::fcntl(ends.failure, F_DUPFD, 16);
  if (ends.input < 0 || ends.log < 0 || ends.gate < 0 || ends.failure < 0) return false;
  if (::dup2(ends.input, 0) < 0 || ::dup2(ends.log, 1) < 0 || ::dup2(ends.log, 2) < 0) return false;
  if (::dup3(ends.gate, kGate, O_CLOEXEC) < 0 || ::dup3(ends.failure, kFailure, O_CLOEXEC) < 0) return false;
  return ::close_range(kFailure + 1, ~0U, 0) == 0;
}

[[noreturn]] void become(const char* path, char* const* argv, char* const* environment, Ends ends) {
  ::setsid();
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  int failed = 0;
  if (arrange_descriptors(ends)) {
    char go = 0;
    ssize_t got = -1;
    do {
      got = ::read(kGate, &go, 1);
    } while (got < 0 && errno == EINTR);
    if (got != 1) ::_exit(kNotRun);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(path, argv, environment);
    failed = errno;
    [[maybe_unused]] const ssize_t said = ::write(kFailure, &failed, sizeof failed);
  }
  ::_exit(kNotRun);
}

bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<std::string> environment_for_etcd(const char* const* environment) {
  constexpr std::array<std::string_view, 7> kWithheld{
      "ETCD_", "NOTIFY_SOCKET=", "WATCHDOG_USEC=", "WATCHDOG_PID=", "LISTEN_FDS=", "LISTEN_PID=", "LISTEN_FDNAMES="};
  std::vector<std::string> result;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    bool withheld = false;
    for (const std::string_view start : kWithheld) withheld = withheld || variable.substr(0, start.size()) == start;
    if (!withheld) result.emplace_back(variable);
  }
  return result;
}

base::Result<std::string> find_program(const std::string& name) {
  if (name.empty()) return base::invalid("no program is named", "name etcd's path");
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!folders.empty()) {
    const auto end = std::min(folders.find(':'), folders.size());
    const std::string candidate = std::string(folders.substr(0, end)) + "/" + name;
    folders.remove_prefix(std::min(end + 1, folders.size()));
    if (candidate.front() == '/' && candidate.size() > name.size() + 1 && is_program(candidate)) return candidate;
  }
  return not_started(name, ENOENT);
}

base::Result<HeldChild> HeldChild::fork(const std::string& path, const std::string& program,
                                        const std::vector<std::string>& args, const Descriptor& log) {
  std::vector<std::string> words{program};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<std::string> variables = environment_for_etcd(environ);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> environment = pointers(variables);
  const Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Pipe gate = make_gate();
  Pipe failure = make_pipe();
  if (!input || !gate.write || !failure.write) return not_started(program, errno);

  // No signal of ours may run a handler of ours in the child.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  const int number = errno;
  if (pid == 0) {
    become(path.c_str(), argv.data(), environment.data(),
           {input.number(), log.number(), gate.read.number(), failure.write.number()});
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return not_started(program, number);

  HeldChild child;
  child.pid_ = pid;
  child.program_ = program;
  child.gate_ = std::move(gate.write);
  child.failure_ = std::move(failure.read);
  child.process_ = open_pidfd(pid);
  if (!child.process_) return not_started(program, errno);
  return child;
}

HeldChild::~HeldChild() {
  if (pid_ > 0 && held_ && gate_) {
    gate_.close();
    reap();
  }
}

void HeldChild::reap() {
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

base::Result<void> HeldChild::let_go() {
  held_ = false;
  const char go = 1;
  // One that was killed meanwhile takes no byte; it is noticed as an end like any other.
  [[maybe_unused]] const ssize_t sent = ::send(gate_.number(), &go, 1, MSG_NOSIGNAL);
  gate_.close();
  int number = 0;
  ssize_t got = -1;
  do {
    got = ::read(failure_.number(), &number, sizeof number);
  } while (got < 0 && errno == EINTR);
  failure_.close();
  if (got != static_cast<ssize_t>(sizeof number)) return {};
  reap();
  return not_started(program_, number);
}

}  // namespace quorate::adapters::process
