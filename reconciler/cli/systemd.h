// Word to systemd by its notify socket: ready, what we do, that we live. Without one nothing is said.
#pragma once

#include <string>

namespace quorate::cli {

class Systemd {
 public:
  Systemd();  // NOTIFY_SOCKET and WATCHDOG_USEC of the environment

  void ready() const { say("READY=1"); }
  void stopping() const { say("STOPPING=1"); }
  void status(const std::string& text) const;  // from any thread
  void alive() const;                          // often enough, for its watchdog

 private:
  void say(const std::string& words) const;

  std::string socket_;
  bool watchdog_ = false;
};

}  // namespace quorate::cli
