// posix_spawn, two pipes and a deadline.
#include "reconciler/adapters/system/program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reconciler/adapters/system/descriptor.h"
#include "reconciler/base/check.h"

namespace quorate::adapters::system {
namespace {

using Moment = std::chrono::steady_clock::time_point;

constexpr std::size_t kOutputAtMost = 16 * 1024 * 1024;
constexpr std::chrono::milliseconds kStep{
    5};  // how often a program that has closed its output is asked whether it ended

tl::unexpected<base::Error> not_started(const std::string& program, int number) {
  const std::string why = std::generic_category().message(number);
  if (number == ENOENT || number == EACCES || number == ENOEXEC || number == ENOTDIR) {
    return base::invalid("cannot run " + program + ": " + why, "install it, or name its path");
  }
  return tl::unexpected(base::Error{base::ErrorKind::Transient, "cannot run " + program + ": " + why, ""});
}

// A file without a name rather than a pipe: a program that does not read its input cannot stop us with a signal.
Descriptor input_file(std::string_view input) {
  Descriptor file(::memfd_create("input", MFD_CLOEXEC));
  std::size_t done = 0;
  while (file && done < input.size()) {
    const ssize_t wrote = ::write(file.number(), input.data() + done, input.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return {};
    done += static_cast<std::size_t>(wrote);
  }
  if (file && ::lseek(file.number(), 0, SEEK_SET) != 0) return {};
  return file;
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

class SpawnSettings {
 public:
  SpawnSettings(int in, int out, int err, Group group) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, in, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, 1);
    posix_spawn_file_actions_adddup2(&actions_, err, 2);
    posix_spawnattr_init(&attributes_);
    // Our masks and handlers are not its business.
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    const int own_group = group == Group::Own ? POSIX_SPAWN_SETPGROUP : 0;
    const int flags = own_group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

class Running {
 public:
  Running(pid_t pid, Group group, Descriptor out, Descriptor err)
      : pid_(pid), group_(group), out_(std::move(out)), err_(std::move(err)) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (ended_) return;
    ::kill(group_ == Group::Own ? -pid_ : pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }

  // False when the time is up or the output too long.
  bool wait_until(Moment deadline) {
    while (!ended_) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      std::array<pollfd, 2> ends{{{out_.number(), POLLIN, 0}, {err_.number(), POLLIN, 0}}};
      ::poll(ends.data(), ends.size(), static_cast<int>(std::min(left, kStep).count()));
      // Asked before the last look at the pipes: what it wrote is in them by then.
      look_whether_it_ended();
      drain(out_, finished.out);
      drain(err_, finished.err);
      if (finished.out.size() > kOutputAtMost || finished.err.size() > kOutputAtMost) return false;
    }
    return true;
  }

  Finished finished;

 private:
  void look_whether_it_ended() {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return;
    ended_ = true;
    finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  static void drain(Descriptor& from, std::string& to) {
    std::array<char, 64 * 1024> piece;
    while (from && to.size() <= kOutputAtMost) {
      const ssize_t got = ::read(from.number(), piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) from.close();
      if (got > 0) to.append(piece.data(), static_cast<std::size_t>(got));
    }
  }

  pid_t pid_;
  Group group_;
  Descriptor out_;
  Descriptor err_;
  bool ended_ = false;
};

}  // namespace

base::Result<Finished> run_program(std::vector<std::string> argv, std::string_view input, base::Duration within,
                                   Group group) {
  QUORATE_CHECK(!argv.empty());
  const Moment deadline = std::chrono::steady_clock::now() + within;
  const std::string program = argv.front();
  const Descriptor in = input_file(input);
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  if (!in || !out.read || !err.read) return not_started(program, errno);

  std::vector<char*> arguments;
  for (std::string& argument : argv) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const SpawnSettings settings(in.number(), out.write.number(), err.write.number(), group);
  pid_t pid = 0;
  const int problem =
      ::posix_spawnp(&pid, program.c_str(), settings.actions(), settings.attributes(), arguments.data(), environ);
  if (problem != 0) return not_started(program, problem);
  out.write.close();
  err.write.close();

  Running running(pid, group, std::move(out.read), std::move(err.read));
  if (!running.wait_until(deadline)) {
    return tl::unexpected(base::Error{
        base::ErrorKind::Ambiguous,
        program + " did not end within " + base::to_string(within) + " or wrote without end, and was killed", ""});
  }
  return std::move(running.finished);
}

}  // namespace quorate::adapters::system
