// Whole batches change hands, so that few pieces cost a wake-up.
#include "reconciler/adapters/etcd_grpc/read_ahead.h"

#include <system_error>
#include <thread>
#include <utility>

namespace quorate::etcd_grpc {
namespace {

constexpr std::size_t kAhead = std::size_t{4} << 20;

}  // namespace

void ReadAhead::fill(const std::function<bool(std::string& piece)>& read) {
  std::string piece;
  while (read(piece)) {
    std::unique_lock lock(mutex_);
    gone_.wait(lock, [this] { return bytes_ < kAhead || unwanted_; });
    if (unwanted_) break;
    bytes_ += piece.size();
    pieces_.push_back(std::move(piece));
    if (pieces_.size() == 1) came_.notify_one();
  }
  const std::lock_guard lock(mutex_);
  over_ = true;
  came_.notify_one();
}

bool ReadAhead::drain(const std::function<bool(std::string_view piece)>& take) {
  std::vector<std::string> batch;
  for (;;) {
    batch.clear();
    {
      std::unique_lock lock(mutex_);
      came_.wait(lock, [this] { return !pieces_.empty() || over_; });
      if (pieces_.empty()) return true;
      std::swap(batch, pieces_);
      bytes_ = 0;
    }
    gone_.notify_one();
    for (const std::string& piece : batch) {
      if (!take(piece)) return false;
    }
  }
}

void ReadAhead::refuse() {
  const std::lock_guard lock(mutex_);
  unwanted_ = true;
  gone_.notify_one();
}

bool ReadAhead::run(const std::function<bool(std::string& piece)>& read,
                    const std::function<bool(std::string_view piece)>& take, const std::function<void()>& stop) {
  ReadAhead ahead;
  std::thread reader;
  try {
    reader = std::thread([&] { ahead.fill(read); });
  } catch (const std::system_error&) {  // no more threads to be had: one after the other
    std::string piece;
    while (read(piece)) {
      if (take(piece)) continue;
      stop();
      return false;
    }
    return true;
  }
  struct End {  // also where `take` throws
    ReadAhead& ahead;
    std::thread& reader;
    const std::function<void()>& stop;
    bool all = false;
    ~End() {
      if (!all) {
        ahead.refuse();
        stop();
      }
      reader.join();
    }
  } end{ahead, reader, stop};
  end.all = ahead.drain(take);
  return end.all;
}

}  // namespace quorate::etcd_grpc
