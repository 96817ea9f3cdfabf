// Forking, pipes and signals for the tests that run real programs.
#include "tests/integration/process.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quorate::integration {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// One end in the parent, one in the child.
struct Pipe {
  int read = -1;
  int write = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe2");
    read = ends[0];
    write = ends[1];
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// The child dies with its parent, so that an aborted test leaves nothing running. Between fork and exec only calls that
// are safe in a process with threads are made.
int start(const Command& command, int input, int output, int errors) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = command.environment;
  const char* path = std::getenv("PATH");
  environment.push_back(std::string("PATH=") + (path != nullptr ? path : "/usr/bin:/bin"));
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const int parent = ::getpid();
  const int pid = ::fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::dup2(input, 0);
    ::dup2(output, 1);
    ::dup2(errors, 2);
    ::execvpe(argv[0], argv.data(), envp.data());
    constexpr std::string_view kMessage = "cannot be started\n";
    [[maybe_unused]] const auto written = ::write(2, kMessage.data(), kMessage.size());
    ::_exit(127);
  }
  ::setpgid(pid, pid);  // whoever comes first: afterwards the group exists for certain
  return pid;
}

int open_nothing() {
  const int handle = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (handle < 0) fail("/dev/null");
  return handle;
}

int wait_for(int pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// False at the end of the stream.
bool read_more(int from, std::string& into) {
  std::array<char, 65536> buffer{};
  const auto count = ::read(from, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  into.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

bool is_free(const std::string& address, int port, int& bound) {
  const int handle = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (handle < 0) fail("socket");
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, address.c_str(), &name.sin_addr);
  socklen_t size = sizeof name;
  const bool good = ::bind(handle, reinterpret_cast<sockaddr*>(&name), size) == 0 &&
                    ::getsockname(handle, reinterpret_cast<sockaddr*>(&name), &size) == 0;
  bound = ntohs(name.sin_port);
  ::close(handle);
  return good;
}

}  // namespace

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "quorate-test.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) fail("mkdtemp");
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;  // a folder that stays is no reason to end the test program
  std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& content, int mode) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (!file || ::chmod(path.c_str(), static_cast<mode_t>(mode)) != 0) throw std::runtime_error("cannot write " + path);
}

std::string own_address(int number) {
  const int pid = ::getpid();
  return "127." + std::to_string(64 + (pid >> 8) % 128) + "." + std::to_string(pid & 255) + "." +
         std::to_string(number);
}

int free_port(int addresses) {
  static std::set<int> given;
  for (int attempt = 0; attempt < 100; ++attempt) {
    int port = 0;
    bool good = is_free(own_address(1), 0, port) && !given.contains(port);
    for (int number = 2, same = 0; good && number <= addresses; ++number) {
      good = is_free(own_address(number), port, same);
    }
    if (good) {
      given.insert(port);
      return port;
    }
  }
  throw std::runtime_error("no free port");
}

Ended run(const Command& command) {
  Pipe out, err;
  const int nothing = open_nothing();
  const int pid = start(command, nothing, out.write, err.write);
  for (const int handle : {nothing, out.write, err.write}) ::close(handle);

  Ended ended;
  std::array<pollfd, 2> streams{{{out.read, POLLIN, 0}, {err.read, POLLIN, 0}}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (::poll(streams.data(), streams.size(), -1) < 0 && errno != EINTR) fail("poll");
    for (pollfd& stream : streams) {
      if (stream.fd < 0 || stream.revents == 0) continue;
      if (!read_more(stream.fd, stream.fd == out.read ? ended.output : ended.errors)) stream.fd = -1;
    }
  }
  ::close(out.read);
  ::close(err.read);
  ended.exit_code = wait_for(pid);
  return ended;
}

Process::Process(const Command& command) {
  Pipe out;
  const int nothing = open_nothing();
  pid_ = start(command, nothing, out.write, out.write);
  ::close(nothing);
  ::close(out.write);
  output_ = out.read;
  watcher_ = std::thread([this] { watch(); });
}

Process::~Process() {
  kill();
  watcher_.join();
  ::close(output_);
}

// Reads until the last holder of the pipe is gone, so that a full pipe never stops the program.
void Process::watch() {
  std::string text;
  while (read_more(output_, text)) {
    const std::lock_guard lock(mutex_);
    for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
      lines_.push_back(text.substr(0, end));
    }
    changed_.notify_all();
  }
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
  // Under the lock its number is given back, so that kill() never signals a stranger.
  const std::lock_guard lock(mutex_);
  if (!text.empty()) lines_.push_back(text);
  exit_code_ = wait_for(pid_);
  changed_.notify_all();
}

bool Process::wait_for_line(const std::function<bool(const std::string&)>& wanted, Seconds patience) {
  std::unique_lock lock(mutex_);
  std::size_t seen = 0;
  bool found = false;
  changed_.wait_for(lock, patience, [&] {
    while (!found && seen < lines_.size()) found = wanted(lines_[seen++]);
    return found || exit_code_.has_value();
  });
  return found;
}

std::optional<int> Process::wait_for_exit(Seconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return exit_code_.has_value(); });
  return exit_code_;
}

void Process::signal(int number) {
  const std::lock_guard lock(mutex_);
  if (!exit_code_) ::kill(pid_, number);
}

void Process::kill() {
  std::unique_lock lock(mutex_);
  if (exit_code_) return;
  ::kill(-pid_, SIGKILL);
  changed_.wait(lock, [&] { return exit_code_.has_value(); });
}

void Process::pause() {
  const std::lock_guard lock(mutex_);
  if (exit_code_) return;
  ::kill(-pid_, SIGSTOP);
  siginfo_t stopped{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED | WEXITED | WNOWAIT) < 0 && errno == EINTR)
    continue;
}

bool Process::is_stopped() const {
  const std::lock_guard lock(mutex_);
  siginfo_t stopped{};
  if (exit_code_) return false;
  return ::waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED | WNOWAIT | WNOHANG) == 0 &&
         stopped.si_pid == pid_;
}

void Process::resume() {
  const std::lock_guard lock(mutex_);
  if (!exit_code_) ::kill(-pid_, SIGCONT);
}

std::vector<std::string> Process::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

std::string Process::log() const {
  constexpr std::size_t kMost = 30;  // a member that finds no peers says so a hundred times a second
  const std::vector<std::string> all = lines();
  std::string text;
  for (std::size_t at = all.size() - std::min(all.size(), kMost); at < all.size(); ++at) text += all[at] + "\n";
  return text;
}

}  // namespace quorate::integration
