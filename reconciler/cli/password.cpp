// termios without echo, put back by the end of the scope or by the signal that comes first.
#include "reconciler/cli/password.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <termios.h>
#include <unistd.h>

namespace quorate::cli {
namespace {

constexpr std::array<int, 4> kEnds = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

termios shown_then{};  // for the signal: it can be told nothing

void show_again_and_end(int number) {
  ::tcsetattr(STDIN_FILENO, TCSANOW, &shown_then);
  ::signal(number, SIG_DFL);
  ::raise(number);
}

class WithoutEcho {
 public:
  explicit WithoutEcho(const termios& shown) {
    shown_then = shown;
    struct sigaction action {};
    action.sa_handler = show_again_and_end;
    for (std::size_t i = 0; i < kEnds.size(); ++i) {
      ::sigaction(kEnds[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kEnds[i], &action, nullptr);
    }
    termios hidden = shown;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
  }
  WithoutEcho(const WithoutEcho&) = delete;
  WithoutEcho& operator=(const WithoutEcho&) = delete;
  ~WithoutEcho() {
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown_then);
    for (std::size_t i = 0; i < kEnds.size(); ++i) ::sigaction(kEnds[i], &before_[i], nullptr);
  }

 private:
  std::array<struct sigaction, kEnds.size()> before_{};
};

}  // namespace

base::Result<std::string> ask_for_password(const std::string& user, bool may_ask) {
  termios shown{};
  if (!may_ask || ::isatty(STDIN_FILENO) != 1 || ::tcgetattr(STDIN_FILENO, &shown) != 0) {
    return base::invalid("--user " + user + " needs a password, and there is nobody to ask",
                         "put it into a file and name that with --password-file");
  }
  std::string password;
  {
    const WithoutEcho quiet(shown);
    std::cerr << "Password of " << user << ": " << std::flush;
    std::getline(std::cin, password);
  }
  std::cerr << "\n";
  return password;
}

bool may_ask_people(bool no_input) {
  const char* ci = std::getenv("CI");
  const std::string_view word = ci == nullptr ? "" : ci;
  return !no_input && (word.empty() || word == "false" || word == "0");
}

}  // namespace quorate::cli
