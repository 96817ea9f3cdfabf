// Datagrams of lines; what systemd does not take is no trouble of ours.
#include "reconciler/cli/systemd.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace quorate::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Systemd::Systemd() : socket_(environment("NOTIFY_SOCKET")), watchdog_(!environment("WATCHDOG_USEC").empty()) {}

void Systemd::status(const std::string& text) const {
  std::string line = text.substr(0, 500);
  std::replace(line.begin(), line.end(), '\n', ' ');
  say("STATUS=" + line);
}

void Systemd::alive() const {
  if (watchdog_) say("WATCHDOG=1");
}

void Systemd::say(const std::string& words) const {
  sockaddr_un address{};
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // a name of the kernel's, no file
  const int to = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (to < 0) return;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  (void)::sendto(to, words.data(), words.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), length);
  ::close(to);
}

}  // namespace quorate::cli
