// Whole batches change hands, and come back empty to be filled again.
#include "reconciler/adapters/system/write_aside.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace quorate::adapters::system {
namespace {

// Linux keeps what one write() brings in one piece of memory where it can. Pieces of 1 MiB and more take several times
// as long to get where a host has to give them first.
constexpr std::size_t kBatch = std::size_t{256} << 10;
constexpr std::size_t kMostOnTheWay = 16;  // batches, with the one that is being written

class WriteAside final : public codec::Sink {
 public:
  explicit WriteAside(std::unique_ptr<codec::Sink> next) : next_(std::move(next)) {
    try {
      thread_ = std::thread([this] { hand_on(); });
    } catch (const std::system_error&) {
      // No more threads to be had: whoever calls does it.
    }
  }

  // What was not finished is not wanted.
  ~WriteAside() override {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      waiting_.clear();
    }
    came_.notify_one();
    thread_.join();
  }
  WriteAside(const WriteAside&) = delete;
  WriteAside& operator=(const WriteAside&) = delete;

  base::Result<void> write(std::string_view bytes) override {
    while (!bytes.empty()) {
      if (filling_.capacity() < kBatch) filling_.reserve(kBatch);
      const std::string_view piece = bytes.substr(0, kBatch - filling_.size());
      filling_ += piece;
      bytes.remove_prefix(piece.size());
      if (filling_.size() < kBatch) continue;
      if (auto sent = send(); !sent) return sent;
    }
    return {};
  }

  base::Result<void> finish() override {
    if (!filling_.empty()) {
      if (auto sent = send(); !sent) return sent;
    }
    {
      std::unique_lock lock(mutex_);
      gone_.wait(lock, [this] { return on_the_way_ == 0; });
      if (!result_) return result_;
    }
    return next_->finish();
  }

 private:
  base::Result<void> send() {
    std::unique_lock lock(mutex_);
    if (!thread_.joinable()) {
      if (result_) result_ = next_->write(filling_);
      filling_.clear();
      return result_;
    }
    gone_.wait(lock, [this] { return on_the_way_ < kMostOnTheWay; });
    if (!result_) return result_;
    waiting_.push_back(std::move(filling_));
    ++on_the_way_;
    filling_.clear();
    if (!empty_.empty()) {
      filling_ = std::move(empty_.back());
      empty_.pop_back();
    }
    lock.unlock();
    came_.notify_one();
    return {};
  }

  void hand_on() {
    std::unique_lock lock(mutex_);
    while (true) {
      came_.wait(lock, [this] { return over_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      std::string batch = std::move(waiting_.front());
      waiting_.pop_front();
      if (result_) {
        lock.unlock();
        auto written = next_->write(batch);
        lock.lock();
        result_ = std::move(written);
      }
      batch.clear();
      empty_.push_back(std::move(batch));
      --on_the_way_;
      gone_.notify_one();
    }
  }

  const std::unique_ptr<codec::Sink> next_;
  std::string filling_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::condition_variable gone_;
  std::deque<std::string> waiting_;
  std::vector<std::string> empty_;  // written, and kept for their memory
  std::size_t on_the_way_ = 0;
  base::Result<void> result_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<codec::Sink> write_aside(std::unique_ptr<codec::Sink> next) {
  return std::make_unique<WriteAside>(std::move(next));
}

}  // namespace quorate::adapters::system
