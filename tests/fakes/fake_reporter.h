// An agent's own side as tests need it: says what it was told to say, counts questions, and hangs when asked to.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "reconciler/ports/peers.h"

namespace quorate::fakes {

class FakeReporter final : public ports::Reporter {
 public:
  explicit FakeReporter(const std::string& member, const std::string& boot = "boot-1",
                        const std::string& cluster = "prod") {
    said_.cluster = cluster;
    said_.member = said_.facts.member = member;
    said_.node = "node-of-" + member;
    said_.boot = boot;
  }
  ~FakeReporter() override { hang(false); }

  model::AgentReport report(const std::string& nonce) override {
    std::unique_lock lock(mutex_);
    ++asked_;
    model::AgentReport answer = said_;
    answer.nonce = nonce;
    free_.wait(lock, [&] { return !hangs_; });
    return answer;
  }

  template <class Change>
  void say(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(said_);
    ++said_.sequence;
  }
  void hang(bool on) {
    {
      const std::lock_guard lock(mutex_);
      hangs_ = on;
    }
    free_.notify_all();
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  model::AgentReport said_;
  bool hangs_ = false;
  int asked_ = 0;
};

// Counts whose change was told, and waits for the next.
class Heard {
 public:
  void operator()(const std::string& member) {
    {
      const std::lock_guard lock(mutex_);
      ++told_[member];
    }
    came_.notify_all();
  }
  int of(const std::string& member) {
    const std::lock_guard lock(mutex_);
    return told_[member];
  }
  bool more_than(int times, const std::string& member, std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    std::unique_lock lock(mutex_);
    return came_.wait_for(lock, patience, [&] { return told_[member] > times; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::map<std::string, int> told_;
};

}  // namespace quorate::fakes
