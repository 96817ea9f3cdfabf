// One agent that is watched: a stream that is opened again whenever it ends.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include "reconciler/adapters/peer_grpc/agent.grpc.pb.h"

namespace quorate::peer_grpc {

class Follower {
 public:
  Follower(std::shared_ptr<grpc::Channel> channel, std::function<void()> changed, std::function<int(int)> below)
      : stub_(agent::Agent::NewStub(std::move(channel))), changed_(std::move(changed)), below_(std::move(below)) {}

  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  void start();
  // Before its end, which nothing of it outlives. Returns when `changed` is not called any more.
  void stop();

 private:
  class Stream;
  void tell();
  void ended(bool was_good);
  void open();  // with the lock held

  std::unique_ptr<agent::Agent::Stub> stub_;
  std::function<void()> changed_;
  std::function<int(int)> below_;  // a random number
  std::mutex mutex_;
  std::condition_variable idle_;
  Stream* stream_ = nullptr;
  std::unique_ptr<grpc::Alarm> pause_;
  bool pausing_ = false;
  int calling_ = 0;  // `changed`
  int failures_ = 0;
  bool stopped_ = false;
};

}  // namespace quorate::peer_grpc
