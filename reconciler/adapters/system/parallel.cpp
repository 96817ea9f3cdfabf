// Threads that live as long as one call.
#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "reconciler/adapters/system/node.h"

namespace quorate::adapters::system {
namespace {

class Threads final : public ports::Parallel {
 public:
  explicit Threads(std::size_t at_most) : at_most_(at_most) {}

  void run(std::vector<std::function<void()>> jobs) override {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t job = next++; job < jobs.size(); job = next++) jobs[job]();
    };
    std::vector<std::thread> threads;
    try {
      // The caller's own thread is one of them.
      while (threads.size() + 1 < std::min(at_most_, jobs.size())) threads.emplace_back(work);
    } catch (const std::system_error&) {
      // No more threads to be had: those that are there do it.
    }
    work();
    for (std::thread& thread : threads) thread.join();
  }

 private:
  std::size_t at_most_;
};

}  // namespace

std::unique_ptr<ports::Parallel> make_parallel(std::size_t threads) {
  return std::make_unique<Threads>(threads);
}

}  // namespace quorate::adapters::system
