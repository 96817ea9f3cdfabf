// Handlers that only count: libraries have threads of their own by now, so that no mask would keep the signals to us.
#include "reconciler/cli/interrupts.h"

#include <atomic>
#include <csignal>

namespace quorate::cli {
namespace {

std::atomic<int> ends_seen{0};
std::atomic<int> first_end{0};
std::atomic<bool> wished{false};

void count(int signal) {
  if (signal == SIGUSR1) {
    wished = true;
    return;
  }
  int none = 0;
  first_end.compare_exchange_strong(none, signal);
  ++ends_seen;
}

void catch_with(int signal, void (*what)(int)) {
  struct sigaction action {};
  action.sa_handler = what;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupts::Interrupts() {
  ends_seen = 0;
  first_end = 0;
  wished = false;
  catch_with(SIGUSR1, count);
}

Interrupts::~Interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) catch_with(signal, SIG_DFL);
}

void Interrupts::hold_ends() {
  for (const int signal : {SIGINT, SIGTERM}) catch_with(signal, count);
}

int Interrupts::ends() const {
  return ends_seen;
}

model::ExitCode Interrupts::code() const {
  return first_end == SIGTERM ? model::ExitCode::Terminated : model::ExitCode::Interrupted;
}

bool Interrupts::take_wish() {
  return wished.exchange(false);
}

}  // namespace quorate::cli
