// One thread watches the process, its log and the clock; start() and stop() are orders to that thread.
#include "reconciler/adapters/runtimes/process/process_runtime.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>

#include "reconciler/adapters/runtimes/process/etcd_lines.h"
#include "reconciler/adapters/runtimes/process/member_process.h"
#include "reconciler/adapters/runtimes/process/restarts.h"
#include "reconciler/adapters/runtimes/process/version_check.h"
#include "reconciler/base/check.h"

namespace quorate::adapters::process {
namespace {

using Steady = std::chrono::steady_clock;
using Moment = std::optional<Steady::time_point>;
using model::EndReason;
using model::RunPhase;
using ports::EventLevel;

constexpr base::Duration kAfterKill{30'000};     // before a process that hangs in the kernel is given up
constexpr base::Duration kStillStrange{60'000};  // how long a word of etcd's about its peers counts
constexpr base::Duration kWithoutGrowth{1000};   // how often the log is read where its growth is not reported

model::RunState without_reason(model::RunState state) {
  state.reason = EndReason::None;
  state.text.clear();
  return state;
}

class ProcessRuntime final : public ports::Runtime {
 public:
  explicit ProcessRuntime(Options options);
  ~ProcessRuntime() override;

  base::Result<void> start(const ports::Launch& launch) override;
  base::Result<void> stop(base::Duration patience) override;
  model::RunState look() override;

 private:
  struct Order {
    std::optional<ports::Launch> launch;  // nothing: stop
    base::Duration patience{};
    std::promise<base::Result<void>> done;
  };

  base::Result<void> carry_out(Order order);
  void wake();

  // All below on the thread.
  void watch();
  bool take_orders();  // false: it is over
  void begin(Order order);
  void begin_stop(base::Duration patience);
  void look_at_the_clock();
  int time_left() const;
  void read_log(bool to_its_end);
  void stand_apart(std::string text);
  void after_its_end();
  void finish_order();
  base::Result<void> launch_now(const ports::Launch& launch);
  void stay_stopped(EndReason reason, std::string text);
  void wait_for_restart(EndReason reason, std::string text, base::Duration ran);
  void publish(model::RunState state);
  void say(EventLevel level, const std::string& text) { options_.events.say(level, options_.member + ": " + text); }

  Options options_;
  MemberProcess process_;
  Restarts restarts_;
  VersionCheck versions_;
  std::optional<ports::Launch> wish_;  // what is started again when it ends
  std::optional<Order> current_;       // waits for the end of the process
  Moment kill_at_;
  Moment give_up_at_;
  Moment start_at_;
  Moment settled_at_;
  Moment accepted_at_;  // unless its peers turn it away once more
  EtcdLines lines_;
  bool more_log_ = false;
  bool had_log_ = false;  // since it was ordered to start

  Descriptor wake_;
  std::mutex mutex_;
  std::deque<Order> orders_;  // under mutex_, like the next two
  bool over_ = false;
  model::RunState state_;
  std::thread thread_;
};

ProcessRuntime::ProcessRuntime(Options options)
    : options_(std::move(options)),
      process_(options_.member, options_.run_dir),
      restarts_(options_.pauses, options_.entropy),
      versions_(options_.version_of),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  QUORATE_CHECK(static_cast<bool>(wake_));
  if (process_.take_over()) {
    state_.phase = RunPhase::Running;
    state_.pid = process_.pid();
    state_.since = options_.clock.now() - process_.age();
    settled_at_ = Steady::now() + options_.pauses.settled;
    say(EventLevel::Info, "takes over process " + std::to_string(process_.pid()) + ", which runs already");
  }
  thread_ = std::thread([this] { watch(); });
}

ProcessRuntime::~ProcessRuntime() {
  if (!options_.keep) {
    if (const auto stopped = stop(options_.patience); !stopped) say(EventLevel::Error, stopped.error().message);
  }
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake();
  thread_.join();
}

base::Result<void> ProcessRuntime::start(const ports::Launch& launch) {
  if (launch.member != options_.member) {
    return base::invalid("the runtime of " + options_.member + " cannot start " + launch.member);
  }
  return carry_out({launch, options_.patience, {}});
}

base::Result<void> ProcessRuntime::stop(base::Duration patience) {
  return carry_out({std::nullopt, patience, {}});
}

model::RunState ProcessRuntime::look() {
  const std::lock_guard lock(mutex_);
  return state_;
}

base::Result<void> ProcessRuntime::carry_out(Order order) {
  auto result = order.done.get_future();
  {
    const std::lock_guard lock(mutex_);
    orders_.push_back(std::move(order));
  }
  wake();
  return result.get();
}

void ProcessRuntime::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = ::write(wake_.number(), &one, sizeof one);
}

void ProcessRuntime::publish(model::RunState state) {
  {
    const std::lock_guard lock(mutex_);
    if (state == state_) return;
    state_ = std::move(state);
  }
  if (options_.changed) options_.changed();
}

// ------------------------------------------------------------------------------------------------------- the thread
void ProcessRuntime::watch() {
  while (take_orders()) {
    // poll() leaves out negative numbers.
    std::array<pollfd, 3> ends{{{wake_.number(), POLLIN, 0},
                                {process_.process().number(), POLLIN, 0},
                                {process_.runs() ? process_.log().growth() : -1, POLLIN, 0}}};
    ::poll(ends.data(), ends.size(), time_left());
    std::uint64_t woken = 0;
    [[maybe_unused]] const ssize_t got = ::read(wake_.number(), &woken, sizeof woken);
    if (process_.runs()) {
      // Asked first: what it wrote before its end is in the log by then.
      const bool ended = has_ended(process_.process());
      read_log(ended);
      if (ended) after_its_end();
    }
    look_at_the_clock();
  }
}

bool ProcessRuntime::take_orders() {
  while (!current_) {
    std::optional<Order> order;
    {
      const std::lock_guard lock(mutex_);
      if (orders_.empty()) return !over_;
      order = std::move(orders_.front());
      orders_.pop_front();
    }
    begin(std::move(*order));
  }
  return true;
}

void ProcessRuntime::begin(Order order) {
  const bool same =
      order.launch && wish_ &&
      launch_digest(order.launch->program, order.launch->args) == launch_digest(wish_->program, wish_->args);
  if (order.launch && process_.runs() &&
      process_.launch() == launch_digest(order.launch->program, order.launch->args)) {
    wish_ = std::move(order.launch);
    return order.done.set_value({});
  }
  if (same && start_at_) {  // it is on its way, after its pause
    wish_ = std::move(order.launch);
    return order.done.set_value({});
  }
  start_at_.reset();
  wish_.reset();
  had_log_ = false;
  const base::Duration patience = order.patience;
  current_ = std::move(order);
  if (process_.runs()) return begin_stop(patience);
  finish_order();
}

void ProcessRuntime::begin_stop(base::Duration patience) {
  process_.ask_to_end();
  kill_at_ = Steady::now() + std::max(patience, base::Duration(0));
}

// The process of before is gone.
void ProcessRuntime::finish_order() {
  Order order = std::move(*current_);
  current_.reset();
  restarts_.forget();
  model::RunState stopped;
  stopped.since = options_.clock.now();
  const bool was_stopped = look().phase == RunPhase::Stopped;
  if (!order.launch) {
    // To stop what is stopped already changes nothing, and what it last said stays.
    if (!was_stopped) publish(stopped);
    return order.done.set_value({});
  }
  auto started = launch_now(*order.launch);
  if (started) {
    wish_ = std::move(order.launch);
  } else {
    stopped.reason = versions_.found_another() ? EndReason::WrongVersion : EndReason::Other;
    stopped.text = started.error().message;
    publish(stopped);
  }
  order.done.set_value(std::move(started));
}

base::Result<void> ProcessRuntime::launch_now(const ports::Launch& launch) {
  if (auto right = versions_.check(launch.program, launch.wanted_version); !right) return right;
  if (auto started = process_.spawn(launch.program, launch.args); !started) return started;
  settled_at_ = Steady::now() + options_.pauses.settled;
  say(EventLevel::Info, "started as process " + std::to_string(process_.pid()));
  model::RunState state;
  if (wish_) {  // again: why it ended is said until it runs well
    state = look();
    state.next.reset();
    ++state.restarts;
  }
  state.phase = RunPhase::Running;
  state.pid = process_.pid();
  state.since = options_.clock.now();
  publish(std::move(state));
  return {};
}

void ProcessRuntime::after_its_end() {
  const base::Duration ran = process_.age();
  const std::int64_t pid = process_.pid();
  const int status = process_.bury();
  for (Moment* moment : {&kill_at_, &give_up_at_, &settled_at_, &accepted_at_}) moment->reset();
  if (current_) {
    say(EventLevel::Info, "process " + std::to_string(pid) + " has ended");
    return finish_order();
  }
  model::Ending ending = model::ending_of(process_.log().recent(), status);
  if (ending.reason == EndReason::Other && process_.log().recent().empty() && process_.log().disk_is_full()) {
    ending = {EndReason::DiskFull, "it could not write its log: no space is left in " + options_.run_dir};
  }
  if (wish_ && ending.reason != EndReason::RemovedFromCluster) {
    return wait_for_restart(ending.reason, std::move(ending.text), ran);
  }
  stay_stopped(ending.reason, std::move(ending.text));
}

void ProcessRuntime::stay_stopped(EndReason reason, std::string text) {
  say(EventLevel::Error, "ended and is not started again: " + text);
  model::RunState state;
  state.phase = reason == EndReason::RemovedFromCluster ? RunPhase::Ended : RunPhase::Stopped;
  state.since = options_.clock.now();
  state.reason = reason;
  state.text = std::move(text);
  wish_.reset();
  publish(std::move(state));
}

void ProcessRuntime::wait_for_restart(EndReason reason, std::string text, base::Duration ran) {
  const base::Duration pause = restarts_.pause_after(ran);
  start_at_ = Steady::now() + pause;
  say(EventLevel::Warning, "ended: " + text + "; it is started again in " + base::to_string(pause));
  model::RunState state;
  state.phase = RunPhase::Waiting;
  state.since = options_.clock.now();
  state.restarts = ran >= options_.pauses.settled ? 0 : look().restarts;
  state.crash_loop = restarts_.crash_loop();
  state.reason = reason;
  state.text = std::move(text);
  state.next = state.since + pause;
  publish(std::move(state));
}

void ProcessRuntime::read_log(bool to_its_end) {
  bool further = false;
  const auto pass_on = [&](std::string_view line) {
    const Telling telling = lines_.tell(line, options_.clock.elapsed());
    say(telling.level, telling.text);
    if (auto strange = says_other_cluster(line)) stand_apart(*std::move(strange));
    further = further || is_milestone(line);
    had_log_ = had_log_ || further;
  };
  more_log_ = !to_its_end && process_.log().read_on(pass_on);
  if (to_its_end) process_.log().read_to_end(pass_on);
  if (further && options_.changed) options_.changed();
}

// It only warns, goes on, and serves nobody.
void ProcessRuntime::stand_apart(std::string text) {
  accepted_at_ = Steady::now() + kStillStrange;
  model::RunState state = look();
  if (state.phase != RunPhase::Running) return;
  state.reason = EndReason::ClusterIdMismatch;
  state.text = std::move(text);
  publish(std::move(state));
}

void ProcessRuntime::look_at_the_clock() {
  const auto now = Steady::now();
  const auto due = [now](Moment& moment) { return moment && *moment <= now && (moment.reset(), true); };
  if (due(kill_at_)) {
    say(EventLevel::Warning, "does not end in time, and is killed");
    process_.kill();
    give_up_at_ = now + kAfterKill;
  }
  if (due(give_up_at_) && current_) {
    current_->done.set_value(tl::unexpected(base::Error{
        base::ErrorKind::Ambiguous,
        "process " + std::to_string(process_.pid()) + " of " + options_.member + " was killed and has not ended",
        "it may hang on a disk that does not answer"}));
    current_.reset();
  }
  if (due(settled_at_)) {
    restarts_.forget();
    model::RunState state = look();
    state.restarts = 0;
    state.crash_loop = false;
    publish(accepted_at_ ? std::move(state) : without_reason(std::move(state)));
  }
  if (due(accepted_at_)) publish(without_reason(look()));
  if (due(start_at_) && wish_) {
    if (had_log_ && options_.has_lost_its_log && options_.has_lost_its_log())
      return stay_stopped(EndReason::Other, "it had a log, and nothing of it is there");
    if (const auto started = launch_now(*wish_); !started) {
      const EndReason reason = versions_.found_another() ? EndReason::WrongVersion : EndReason::Other;
      wait_for_restart(reason, started.error().message, {});
    }
  }
}

// Until something is due, in milliseconds; -1: nothing ever is.
int ProcessRuntime::time_left() const {
  if (more_log_) return 0;
  Moment first;
  for (const Moment& moment : {kill_at_, give_up_at_, start_at_, settled_at_, accepted_at_}) {
    if (moment && (!first || *moment < *first)) first = moment;
  }
  if (process_.runs() && process_.log().growth() < 0) {
    const auto soon = Steady::now() + kWithoutGrowth;
    if (!first || soon < *first) first = soon;
  }
  if (!first) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - Steady::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

}  // namespace

std::unique_ptr<ports::Runtime> make_process_runtime(Options options) {
  return std::make_unique<ProcessRuntime>(std::move(options));
}

}  // namespace quorate::adapters::process
