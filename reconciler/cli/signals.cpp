// signalfd and eventfd, polled together.
#include "reconciler/cli/signals.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "reconciler/base/check.h"

namespace quorate::cli {
namespace {

sigset_t waited_for() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Signals::Signals() {
  const sigset_t set = waited_for();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  nudges_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  QUORATE_CHECK(signals_ >= 0 && nudges_ >= 0);
}

Signals::~Signals() {
  over_ = true;
  nudge();
  if (end_.joinable()) end_.join();
  ::close(signals_);
  ::close(nudges_);
  const sigset_t set = waited_for();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Signals::nudge() {
  const std::uint64_t one = 1;
  (void)!::write(nudges_, &one, sizeof one);
}

void Signals::end_at_next(int code, std::string last_line) {
  end_ = std::thread([this, code, line = std::move(last_line)] {
    while (!over_) {
      const std::optional<int> signal = wait();
      if (!signal || (*signal != SIGINT && *signal != SIGTERM)) continue;
      (void)!::write(STDERR_FILENO, line.data(), line.size());
      std::_Exit(code);
    }
  });
}

std::optional<int> Signals::wait(std::optional<base::Duration> at_most) {
  std::array<pollfd, 2> ready{{{signals_, POLLIN, 0}, {nudges_, POLLIN, 0}}};
  const int timeout = at_most ? static_cast<int>(at_most->count()) : -1;
  if (::poll(ready.data(), ready.size(), timeout) <= 0) return std::nullopt;
  signalfd_siginfo info{};
  if (::read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    return static_cast<int>(info.ssi_signo);
  std::uint64_t count = 0;
  (void)!::read(nudges_, &count, sizeof count);
  return std::nullopt;
}

}  // namespace quorate::cli
