// A process runtime under watch: its states and its lines are waited for, and what it started must be gone at the end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "reconciler/adapters/runtimes/process/process_runtime.h"
#include "tests/integration/process.h"

namespace quorate::integration {

class SteadyEntropy final : public ports::Entropy {
 public:
  std::string hex(int digits) override { return std::string(static_cast<std::size_t>(digits), '7'); }
  std::uint64_t below(std::uint64_t bound) override { return bound - 1; }  // the longest pauses
};

class SystemTime final : public ports::Clock {
 public:
  base::Time now() override { return std::chrono::time_point_cast<base::Duration>(std::chrono::system_clock::now()); }
  base::Duration elapsed() override {
    return std::chrono::duration_cast<base::Duration>(std::chrono::steady_clock::now().time_since_epoch());
  }
};

class WatchedRuntime final : public ports::Events {
 public:
  struct How {
    bool keep = false;
    adapters::process::Pauses pauses{};
    std::function<base::Result<std::string>(const std::string&)> version_of;
    std::function<bool()> has_lost_its_log{};
  };

  WatchedRuntime(const std::string& member, const std::string& run_dir) : WatchedRuntime(member, run_dir, How()) {}
  WatchedRuntime(const std::string& member, const std::string& run_dir, How how);
  ~WatchedRuntime() override;

  base::Result<void> start(const std::string& program, const std::vector<std::string>& args,
                           const std::string& version = "");
  base::Result<void> stop(base::Duration patience = Seconds(5)) { return runtime_->stop(patience); }
  model::RunState look() { return runtime_->look(); }
  void let_go() { runtime_.reset(); }  // the runtime ends, and with it what it does not keep

  using Wanted = std::function<bool(const model::RunState&)>;
  // The state in which it was first so; the test fails when that does not come.
  model::RunState wait_for(const Wanted& wanted, Seconds patience = Seconds(20));
  model::RunState wait_for(model::RunPhase phase) {
    return wait_for([phase](const model::RunState& state) { return state.phase == phase; });
  }
  bool wait_for_changes(std::size_t count, Seconds patience = Seconds(20));  // after what was waited for before
  bool wait_for_line(const std::string& piece, Seconds patience = Seconds(20));
  std::vector<std::string> lines();
  int count_lines(const std::string& piece);

  void say(ports::EventLevel level, const std::string& text) override;

 private:
  void note();

  std::string member_;
  SystemTime clock_;
  SteadyEntropy entropy_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<model::RunState> states_;
  std::vector<std::string> lines_;
  std::unique_ptr<ports::Runtime> runtime_;
};

// Is there such a process? One that only waits to be noticed by its parent is none.
bool is_alive(std::int64_t pid);
bool wait_until_gone(std::int64_t pid, Seconds patience = Seconds(10));

}  // namespace quorate::integration
