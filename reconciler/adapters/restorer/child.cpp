// fork, exec and a pidfd; between the first two only calls that are allowed after a fork.
#include "reconciler/adapters/restorer/child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace quorate::adapters::restorer {
namespace {

constexpr int kNotRun = 127;
constexpr int kFailure = 3;
constexpr std::streamoff kOutputKept = 64 * 1024;

tl::unexpected<base::Error> not_started(const std::string& program, int number) {
  const std::string why = "cannot run " + program + ": " + std::generic_category().message(number);
  if (number == ENOENT || number == EACCES || number == ENOEXEC || number == ENOTDIR) {
    return base::invalid(why, "install it, or name its path");
  }
  return tl::unexpected(base::Error{base::ErrorKind::Transient, why, ""});
}

std::vector<std::string> environment_without_etcd() {
  std::vector<std::string> result;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.substr(0, 5) != "ETCD_" && text.substr(0, 14) != "NOTIFY_SOCKET=") result.emplace_back(text);
  }
  return result;
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
  int failure;
};

bool arrange_descriptors(Ends ends) {
  // Out of the way first: any of them may have one of the numbers that they are to get.
  ends.input = ::fcntl(ends.input, F_DUPFD, 16);
  ends.log = ::fcntl(ends.log, F_DUPFD, 16);
  ends.failure = ::fcntl(ends.failure, F_DUPFD, 16);
  if (ends.input < 0 || ends.log < 0 || ends.failure < 0) return false;
  if (::dup2(ends.input, 0) < 0 || ::dup2(ends.log, 1) < 0 || ::dup2(ends.log, 2) < 0) return false;
  if (::dup3(ends.failure, kFailure, O_CLOEXEC) < 0) return false;
  return ::close_range(kFailure + 1, ~0U, 0) == 0;
}

[[noreturn]] void become(char* const* argv, char* const* environment, Ends ends, pid_t parent) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kNotRun);  // we ended before the kernel knew
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  if (arrange_descriptors(ends)) {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(argv[0], argv, environment);
    const int failed = errno;
    [[maybe_unused]] const ssize_t said = ::write(kFailure, &failed, sizeof failed);
  }
  ::_exit(kNotRun);
}

// What came back instead of a program; 0: it runs.
int failure_of(const Descriptor& failure) {
  int number = 0;
  ssize_t got = -1;
  do {
    got = ::read(failure.number(), &number, sizeof number);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof number) ? number : 0;
}

}  // namespace

base::Result<Child> Child::start(const std::vector<std::string>& argv, const std::string& log) {
  const std::string& program = argv.front();
  std::vector<std::string> words = argv;
  std::vector<std::string> variables = environment_without_etcd();
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> environment = pointers(variables);
  const Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor output(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  std::array<int, 2> ends{-1, -1};
  if (!input || !output || ::pipe2(ends.data(), O_CLOEXEC) != 0) return not_started(program, errno);
  const Descriptor failure(ends[0]);
  Descriptor child_end(ends[1]);

  // No signal of ours may run a handler of ours in the child.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  const int number = errno;
  if (pid == 0) {
    become(arguments.data(), environment.data(), {input.number(), output.number(), child_end.number()}, parent);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return not_started(program, number);

  Child child;
  child.pid_ = pid;
  child.log_ = log;
  child_end.close();
  if (const int failed = failure_of(failure); failed != 0) return not_started(program, failed);
  child.process_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!child.process_) return not_started(program, errno);
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      status_(std::exchange(other.status_, std::nullopt)),
      log_(std::move(other.log_)),
      process_(std::move(other.process_)) {}

Child::~Child() {
  kill();
}

std::optional<int> Child::wait(base::Duration within) {
  if (status_ || pid_ < 0) return status_;
  pollfd ended{process_.number(), POLLIN, 0};
  ::poll(&ended, 1, static_cast<int>(std::min<base::Duration::rep>(within.count(), 1'000'000)));
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid_) {
    return std::nullopt;
  }
  // Until it is waited for its number stays its own, and so does that of its group.
  ::kill(-pid_, SIGKILL);
  ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED);
  status_ = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  return status_;
}

std::optional<int> Child::wait(const Deadline& deadline) {
  constexpr base::Duration kBetween{100};
  do {
    if (auto status = wait(deadline.left(kBetween))) return status;
  } while (!deadline.over());
  return std::nullopt;
}

void Child::strike() const {
  if (pid_ > 0 && !status_) ::kill(-pid_, SIGKILL);
}

void Child::ask_to_end() {
  if (pid_ > 0 && !status_) ::kill(pid_, SIGTERM);
}

void Child::kill() {
  if (pid_ < 0 || status_) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // it may not have made its group yet
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string Child::output() const {
  std::ifstream file(log_, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  const std::streamoff kept = std::min(size, kOutputKept);
  std::string text(static_cast<std::size_t>(std::max<std::streamoff>(kept, 0)), '\0');
  file.seekg(size - kept);
  file.read(text.data(), kept);
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

std::optional<base::Error> was_killed(const Child& child, int status, const std::string& doing) {
  constexpr int kBySignal = 128;
  if (status > kBySignal) {
    return base::Error{base::ErrorKind::Transient, doing + " was ended by signal " + std::to_string(status - kBySignal),
                       "see whether this machine has run out of memory"};
  }
  for (const char* const words : {"cannot allocate memory", "out of memory"}) {
    if (child.output().find(words) == std::string::npos) continue;
    return base::Error{base::ErrorKind::Transient, doing + " found no memory", "free memory on this machine"};
  }
  return std::nullopt;
}

std::string Child::last_words(int lines) const {
  const std::string text = output();
  std::size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return "it wrote nothing";
  std::size_t begin = end + 1;
  while (lines-- > 0 && begin > 0) {
    const std::size_t line = text.rfind('\n', begin - 1);
    begin = line == std::string::npos ? 0 : line;
  }
  const std::size_t from = text.find_first_not_of("\n ", begin);
  return text.substr(from, end + 1 - from);
}

}  // namespace quorate::adapters::restorer
