// The fiber, its sleeps and its end.
#include "tests/sim/agent_life.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "tests/sim/twins.h"

namespace quorate::sim {
namespace {

constexpr Duration kCoalesced{10};
constexpr Duration kHeldUp{500};  // by a process that hangs as a whole

}  // namespace

AgentLife::AgentLife(World& of, Machine& on, int slot)
    : world(of), machine(on), slot_(slot), twins_(std::make_unique<Twins>(*this)), fiber_([this] { live(); }) {}

AgentLife::~AgentLife() = default;

void AgentLife::begin() {
  if (!fiber_.ended()) fiber_.resume();
}

void AgentLife::go_on_after(Duration wait) {
  const std::uint64_t turn = ++turn_;
  world.after(wait, [this, turn] {
    if (turn == turn_ && !fiber_.ended()) fiber_.resume();
  });
}

void AgentLife::crash() {
  crashed_ = true;
  ++turn_;
  if (!fiber_.ended()) fiber_.resume();
  go_on_beside();
}

bool AgentLife::is_dying() {
  return std::uncaught_exceptions() > 0;
}

bool AgentLife::begin_beside(std::function<void()> job) {
  if (side_ && !side_->ended()) return false;
  side_ = std::make_unique<Fiber>([this, job = std::move(job)] {
    try {
      if (!crashed_) job();
    } catch (const CrashNow&) {
      ended_beside_ = !crashed_;
    }
  });
  go_on_beside_after(Duration{1});
  return true;
}

void AgentLife::go_on_beside_after(Duration wait) {
  const std::uint64_t turn = ++side_turn_;
  world.after(wait, [this, turn] {
    if (turn != side_turn_) return;
    if (hangs_ && !crashed_) return go_on_beside_after(kHeldUp);
    go_on_beside();
  });
}

void AgentLife::go_on_beside() {
  if (!side_ || side_->ended()) return;
  ++side_turn_;
  in_side_ = true;
  side_->resume();
  in_side_ = false;
  if (!side_->ended()) return;
  if (std::exchange(ended_beside_, false)) {
    world.crash_agent(machine, slot_);
  } else {
    wake();
  }
}

void AgentLife::wake() {
  if (fiber_.ended()) return;
  woken_ = true;
  if (waits_) go_on_after(kCoalesced);
}

void AgentLife::follow() {
  const auto& text = slot_ == 0 ? machine.text : machine.second_text;
  if (agent_ == nullptr || followed_ == text) return;
  followed_ = text;
  agent_->follow(followed_);
  wake();
}

void AgentLife::hang_in(int calls, Duration pause) {
  until_hang_ = calls;
  pause_ = pause;
}

void AgentLife::call() {
  if (asked_ || is_dying()) return;
  if (calls_left_ >= 0 && calls_left_-- == 0) throw CrashNow{};
  if (in_side_) return;
  if (until_hang_ < 0 || parallel_ || until_hang_-- != 0) return;
  world.trace("the agent of " + machine.name + " hangs");
  hangs_ = true;
  sleep(pause_);
  hangs_ = false;
  woke_at_ = world.now();
}

void AgentLife::sleep(Duration duration) {
  if (asked_) return;
  if (parallel_) {
    offset_ += duration;
    return;
  }
  if (is_dying()) return;
  in_side_ ? go_on_beside_after(duration) : go_on_after(duration);
  Fiber::pause();
  if (crashed_) throw CrashNow{};
}

// Time is counted for each as if it were alone, and passes when the longest is done. Now and then the world goes on in
// between, so that what they see does not fit together.
void AgentLife::side_by_side(std::vector<std::function<void()>> jobs) {
  if (asked_ || parallel_) {
    for (const auto& job : jobs) job();
    return;
  }
  Duration longest{};
  for (const auto& job : jobs) {
    if (world.faults && world.noise.chance(30)) sleep(world.noise.between(1, 40));
    parallel_ = true;
    offset_ = {};
    job();
    longest = std::max(longest, offset_);
    parallel_ = false;
  }
  offset_ = {};
  sleep(longest);
}

void AgentLife::wait(Duration at_most) {
  if (!woken_) {
    waits_ = true;
    go_on_after(at_most);
    Fiber::pause();
    waits_ = false;
    if (crashed_) throw CrashNow{};
  } else {
    sleep(kCoalesced);
  }
  woken_ = false;
}

model::AgentReport AgentLife::report(const std::string& nonce) {
  asked_ = true;
  model::AgentReport report = agent_->report(nonce);
  asked_ = false;
  return report;
}

bool AgentLife::has_lost_its_log() {
  asked_ = true;
  const bool lost = agent_ != nullptr && agent_->has_lost_its_log();
  asked_ = false;
  return lost;
}

void AgentLife::live() {
  if (crashed_) return;
  try {
    followed_ = slot_ == 0 ? machine.text : machine.second_text;
    if (world.has(Bug::YieldedComesBack)) twins_->put_back_yielded();
    twins_->adopt_process();
    loop::AgentSettings settings;
    settings.member = machine.name;
    settings.state_dir = state_dir();
    auto made = loop::Agent::make(twins_->ports(), settings, followed_);
    if (!made) {
      problem = made.error().message;
      world.violate("the agent of " + machine.name + " does not start: " + problem);
      return;
    }
    agent_ = *std::move(made);
    follow();
    while (true) {
      const auto followed = followed_;
      const Duration since = world.now();
      last = agent_->pass();
      passed_since = since;
      passed_with = followed;
      has_passed = true;
      for (const model::Notice& notice : last.plan.gated.plan.notices) {
        machine.told_loss = machine.told_loss || notice.text.find("would be lost") != std::string::npos;
      }
      ++world.passes;
      if (world.options.verbose) {
        world.trace(machine.name + " pass " + std::string(model::name_of(last.plan.gated.plan.status)) + " step=" +
                    last.step + " waits=" + last.waits + (last.failed ? " failed=" + last.failed->message : ""));
      }
      if (last.did || last.news) world.wake_others(machine);
      wait(last.did ? Duration{1} : std::max(last.wait, Duration{1}));
    }
  } catch (const CrashNow&) {
    world.trace("the agent of " + machine.name + " ended");
  }
  agent_.reset();
  if (std::exchange(crashed_, true)) return;
  world.agent_ended(machine, slot_);
  world.after(Duration{0}, [this] { go_on_beside(); });  // to its end
}

}  // namespace quorate::sim
