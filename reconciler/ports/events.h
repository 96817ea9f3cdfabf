// What is told to people while something runs: one line each, never a result.
#pragma once

#include <string>

namespace quorate::ports {

enum class EventLevel { Debug, Info, Warning, Error };

class Events {
 public:
  Events() = default;
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  virtual ~Events() = default;

  virtual void say(EventLevel level, const std::string& text) = 0;  // from any thread
};

}  // namespace quorate::ports
