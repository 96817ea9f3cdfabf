// A queue, and threads that take from it.
#include "reconciler/adapters/system/workers.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace quorate::adapters::system {
namespace {

constexpr unsigned kMostByDefault = 4;

class Threads final : public codec::Workers {
 public:
  explicit Threads(std::size_t threads) {
    if (threads == 0) threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMostByDefault);
    try {
      while (threads_.size() < threads) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // No more threads to be had: those that are there do it.
    }
  }

  ~Threads() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    news_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  std::size_t count() const override { return std::max<std::size_t>(threads_.size(), 1); }

  void start(std::function<void()> job) override {
    if (threads_.empty()) return job();
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
      ++unfinished_;
    }
    news_.notify_one();
  }

  void wait() override {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return unfinished_ == 0; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      news_.wait(lock, [this] { return over_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
      if (--unfinished_ == 0) idle_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable news_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> jobs_;
  std::size_t unfinished_ = 0;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<codec::Workers> make_workers(std::size_t threads) {
  return std::make_unique<Threads>(threads);
}

}  // namespace quorate::adapters::system
