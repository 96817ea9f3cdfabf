// Threads that wait for the next call: an agent that has much to do makes hundreds of calls a second.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "reconciler/adapters/system/node.h"

namespace quorate::adapters::system {
namespace {

// The jobs of one call; whoever comes takes the next one.
class Batch {
 public:
  explicit Batch(std::vector<std::function<void()>> jobs) : jobs_(std::move(jobs)) {}

  // A job that throws ends the program, as on a thread of its own: who asked for it may not go on without the others.
  void work() noexcept {
    for (std::size_t job = next_++; job < jobs_.size(); job = next_++) {
      jobs_[job]();
      const std::lock_guard lock(mutex_);
      if (++done_ == jobs_.size()) all_done_.notify_all();
    }
  }
  void wait() {
    std::unique_lock lock(mutex_);
    all_done_.wait(lock, [this] { return done_ == jobs_.size(); });
  }

 private:
  const std::vector<std::function<void()>> jobs_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable all_done_;
  std::size_t done_ = 0;
};

class Threads final : public ports::Parallel {
 public:
  explicit Threads(std::size_t at_most) : at_most_(at_most) {}

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

  void run(std::vector<std::function<void()>> jobs) override {
    if (jobs.empty()) return;
    const std::size_t helpers = std::min(at_most_, jobs.size()) - 1;  // the caller's own thread is one of them
    const auto batch = std::make_shared<Batch>(std::move(jobs));
    if (helpers != 0) ask_for(helpers, batch);
    batch->work();
    {
      const std::lock_guard lock(mutex_);  // whoever has not come yet need not come for this
      std::erase(asked_, batch);
    }
    batch->wait();
  }

 private:
  // A call that hangs in another batch holds none of this one up: there is a thread for everyone who is asked for.
  void ask_for(std::size_t helpers, const std::shared_ptr<Batch>& batch) {
    {
      const std::lock_guard lock(mutex_);
      try {
        asked_.insert(asked_.end(), helpers, batch);
        while (idle_ < asked_.size()) {
          threads_.emplace_back([this] { work(); });
          ++idle_;
        }
      } catch (const std::exception&) {
        // No more threads, or no memory for them: those that are there do it.
      }
    }
    news_.notify_all();
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      news_.wait(lock, [this] { return over_ || !asked_.empty(); });
      if (asked_.empty()) return;
      const std::shared_ptr<Batch> batch = std::move(asked_.front());
      asked_.pop_front();
      --idle_;
      lock.unlock();
      batch->work();
      lock.lock();
      ++idle_;
    }
  }

  const std::size_t at_most_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::shared_ptr<Batch>> asked_;
  std::size_t idle_ = 0;  // who waits, or is about to
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<ports::Parallel> make_parallel(std::size_t threads) {
  return std::make_unique<Threads>(std::max<std::size_t>(threads, 1));
}

}  // namespace quorate::adapters::system
