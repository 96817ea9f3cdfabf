// Who does work on the side while a stream goes on.
#pragma once

#include <cstddef>
#include <functional>

namespace quorate::codec {

class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  virtual ~Workers() = default;

  virtual std::size_t count() const = 0;  // how many jobs go on at once; at least 1
  virtual void start(std::function<void()> job) = 0;
  virtual void wait() = 0;  // until all that were started have ended
};

// Does it at once.
class NoWorkers final : public Workers {
 public:
  std::size_t count() const override { return 1; }
  void start(std::function<void()> job) override { job(); }
  void wait() override {}
};

}  // namespace quorate::codec
