// States are collected as they change.
#include "tests/integration/process_runtime_kit.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "reconciler/adapters/runtimes/process/process_identity.h"

namespace quorate::integration {

WatchedRuntime::WatchedRuntime(const std::string& member, const std::string& run_dir, How how) : member_(member) {
  adapters::process::Options options{member, run_dir, clock_, entropy_, *this, std::move(how.version_of), {}};
  options.keep = how.keep;
  options.has_lost_its_log = std::move(how.has_lost_its_log);
  options.pauses = how.pauses;
  options.patience = Seconds(5);
  // The first change may come before make_process_runtime has returned.
  options.changed = [this] { note(); };
  auto runtime = adapters::process::make_process_runtime(std::move(options));
  {
    const std::lock_guard lock(mutex_);
    runtime_ = std::move(runtime);
  }
  note();
}

WatchedRuntime::~WatchedRuntime() {
  runtime_.reset();
}

void WatchedRuntime::note() {
  {
    const std::lock_guard lock(mutex_);
    if (!runtime_) return;
    states_.push_back(runtime_->look());
  }
  changed_.notify_all();
}

base::Result<void> WatchedRuntime::start(const std::string& program, const std::vector<std::string>& args,
                                         const std::string& version) {
  return runtime_->start({member_, program, args, version});
}

model::RunState WatchedRuntime::wait_for(const Wanted& wanted, Seconds patience) {
  std::unique_lock lock(mutex_);
  model::RunState found;
  const bool came = changed_.wait_for(lock, patience, [&] {
    const auto state = std::find_if(states_.begin(), states_.end(), wanted);
    if (state == states_.end()) return false;
    found = *state;
    return true;
  });
  EXPECT_TRUE(came) << "last: " << name_of(states_.back().phase) << " " << states_.back().text;
  states_.erase(states_.begin(), states_.end() - 1);  // what comes next is waited for from here on
  return found;
}

bool WatchedRuntime::wait_for_changes(std::size_t count, Seconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return states_.size() > count; });
}

bool WatchedRuntime::wait_for_line(const std::string& piece, Seconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] {
    return std::any_of(lines_.begin(), lines_.end(),
                       [&](const std::string& line) { return line.find(piece) != std::string::npos; });
  });
}

std::vector<std::string> WatchedRuntime::lines() {
  const std::lock_guard lock(mutex_);
  return lines_;
}

int WatchedRuntime::count_lines(const std::string& piece) {
  const std::vector<std::string> all = lines();
  return static_cast<int>(std::count_if(
      all.begin(), all.end(), [&](const std::string& line) { return line.find(piece) != std::string::npos; }));
}

void WatchedRuntime::say(ports::EventLevel level, const std::string& text) {
  static_cast<void>(level);
  {
    const std::lock_guard lock(mutex_);
    lines_.push_back(text);
  }
  changed_.notify_all();
}

bool is_alive(std::int64_t pid) {
  const auto process = adapters::process::open_pidfd(pid);
  return process && !adapters::process::has_ended(process);
}

bool wait_until_gone(std::int64_t pid, Seconds patience) {
  const auto process = adapters::process::open_pidfd(pid);
  pollfd poll{process.number(), POLLIN, 0};
  return !process || ::poll(&poll, 1, static_cast<int>(std::chrono::milliseconds(patience).count())) > 0;
}

}  // namespace quorate::integration
