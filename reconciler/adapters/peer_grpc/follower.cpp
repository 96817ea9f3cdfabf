// gRPC's callbacks in order: opened, heard, ended, paused, opened again.
#include "reconciler/adapters/peer_grpc/follower.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "reconciler/adapters/peer_grpc/channel.h"

namespace quorate::peer_grpc {
namespace {

constexpr int kFirstPauseMs = 50;
constexpr int kMostDoublings = 6;
constexpr std::chrono::seconds kLasted{5};  // a stream that has, was a good one

}  // namespace

// Waits for the connection by itself, as long as it takes. The owner waits for its end: were a callback the last to
// know of the channel, gRPC's thread would wait for itself, and the process would be aborted.
class Follower::Stream final : public grpc::ClientReadReactor<agent::Changed> {
 public:
  explicit Stream(Follower& owner) : owner_(owner) { context_.set_wait_for_ready(true); }

  void open() {
    owner_.stub_->async()->Watch(&context_, &request_, this);
    StartRead(&message_);
    StartCall();
  }
  void cancel() { context_.TryCancel(); }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    if (!std::exchange(heard_, true)) since_ = std::chrono::steady_clock::now();
    owner_.tell();
    StartRead(&message_);
  }
  void OnDone(const grpc::Status& /*status*/) override {
    Follower& owner = owner_;
    const bool was_good = heard_ && std::chrono::steady_clock::now() - since_ > kLasted;
    if (heard_) owner.tell();
    delete this;  // with its part of the channel, before anybody hears that it has ended
    owner.ended(was_good);
  }

 private:
  Follower& owner_;
  grpc::ClientContext context_;
  agent::WatchRequest request_;
  agent::Changed message_;
  bool heard_ = false;
  std::chrono::steady_clock::time_point since_{};
};

void Follower::start() {
  const std::lock_guard lock(mutex_);
  open();
}

void Follower::open() {
  if (stopped_) return;
  stream_ = new Stream(*this);  // ends itself
  stream_->open();
}

void Follower::tell() {
  std::unique_lock lock(mutex_);
  if (stopped_) return;
  ++calling_;
  lock.unlock();
  changed_();
  lock.lock();
  --calling_;
  idle_.notify_all();
}

void Follower::ended(bool was_good) {
  const std::lock_guard lock(mutex_);
  stream_ = nullptr;
  idle_.notify_all();
  if (stopped_) return;
  // One that ends soon after it began is not opened in a circle.
  failures_ = was_good ? 1 : std::min(failures_ + 1, kMostDoublings);
  const int pause_ms = kFirstPauseMs << failures_;
  pausing_ = true;
  pause_ = std::make_unique<grpc::Alarm>();
  pause_->Set(deadline_in(base::Duration(pause_ms / 2 + below_(pause_ms / 2))), [this](bool) {
    const std::lock_guard again(mutex_);
    pausing_ = false;
    idle_.notify_all();
    open();
  });
}

void Follower::stop() {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  if (stream_ != nullptr) stream_->cancel();
  if (pausing_) {
    lock.unlock();  // its callback takes the lock, and nobody sets another one now
    pause_->Cancel();
    lock.lock();
  }
  idle_.wait(lock, [&] { return stream_ == nullptr && !pausing_ && calling_ == 0; });
  pause_.reset();
}

}  // namespace quorate::peer_grpc
