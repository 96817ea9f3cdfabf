// The terminal is asked, never stdin that holds a file.
#include "reconciler/cli/who.h"

#include <array>
#include <cstdlib>
#include <iostream>

#include <pwd.h>
#include <unistd.h>

namespace quorate::cli {

std::string who_asks(const Arguments& arguments) {
  if (!arguments.by.empty()) return arguments.by;
  const char* through = std::getenv("SUDO_USER");
  if (through != nullptr && *through != '\0') return through;
  std::array<char, 4096> space{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, space.data(), space.size(), &found) != 0 || found == nullptr) {
    return std::to_string(::getuid());
  }
  return found->pw_name;
}

base::Error no_agent() {
  return {base::ErrorKind::Transient, "no agent answers on this machine",
          "run this where quorate agent or quorate up runs, or name its socket with --agent"};
}

bool may_ask(const Arguments& arguments) {
  const char* ci = std::getenv("CI");
  const bool in_ci = ci != nullptr && std::string(ci) == "true";
  return !arguments.no_input && !in_ci && ::isatty(0) == 1 && ::isatty(2) == 1;
}

std::string ask_person(const std::string& question) {
  std::cerr << question << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer;
}

}  // namespace quorate::cli
