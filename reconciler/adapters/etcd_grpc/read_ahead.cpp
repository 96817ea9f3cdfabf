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

ReadAhead::End ReadAhead::drain(const std::function<bool(std::string_view piece)>& take, base::Duration patience) {
  std::vector<std::string> batch;
  for (;;) {
    batch.clear();
    {
      std::unique_lock lock(mutex_);
      if (!came_.wait_for(lock, patience, [this] { return !pieces_.empty() || over_; })) return End::Stalled;
      if (pieces_.empty()) return End::All;
      std::swap(batch, pieces_);
      bytes_ = 0;
    }
    gone_.notify_one();
    for (const std::string& piece : batch) {
      if (!take(piece)) return End::Refused;
    }
  }
}

void ReadAhead::refuse() {
  const std::lock_guard lock(mutex_);
  unwanted_ = true;
  gone_.notify_one();
}

ReadAhead::End ReadAhead::run(const std::function<bool(std::string& piece)>& read,
                              const std::function<bool(std::string_view piece)>& take,
                              const std::function<void()>& stop, base::Duration patience) {
  ReadAhead ahead;
  std::thread reader;
  try {
    reader = std::thread([&] { ahead.fill(read); });
  } catch (const std::system_error&) {  // no more threads to be had: one after the other
    std::string piece;
    while (read(piece)) {
      if (take(piece)) continue;
      stop();
      return End::Refused;
    }
    return End::All;
  }
  struct Ending {  // also where `take` throws
    ReadAhead& ahead;
    std::thread& reader;
    const std::function<void()>& stop;
    End end = End::Refused;
    ~Ending() {
      if (end != End::All) {
        ahead.refuse();
        stop();
      }
      reader.join();
    }
  } ending{ahead, reader, stop};
  ending.end = ahead.drain(take, patience);
  return ending.end;
}

}  // namespace quorate::etcd_grpc
