// One agent from its start to its end: the real loop on a fiber of its own, over twins of all ports, ended at any of
// their calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "reconciler/loop/agent.h"
#include "tests/sim/fiber.h"
#include "tests/sim/world.h"

namespace quorate::sim {

struct Twins;

class AgentLife {
 public:
  AgentLife(World& world, Machine& machine, int slot);
  ~AgentLife();
  AgentLife(const AgentLife&) = delete;
  AgentLife& operator=(const AgentLife&) = delete;

  void begin();
  void crash();  // now; never from inside an agent
  void crash_in(int calls) { calls_left_ = calls; }
  void hang_in(int calls, Duration pause);  // then it says and does nothing for so long, and goes on
  void wake();
  void follow();  // what stands in the machine's file
  bool ended() const { return fiber_.ended(); }
  bool has_just_woken() const { return world.now() - woke_at_ < Duration{1000}; }
  bool answers() const { return agent_ != nullptr && !ended() && !hangs_; }
  model::AgentReport report(const std::string& nonce);
  bool has_lost_its_log();  // as its runtime asks it
  std::string state_dir() const { return slot_ == 0 ? kStateDir : std::string(kStateDir) + "-2"; }

  // ------------------------------------------------------------------------------------------------------- of the
  // twins
  void call();                    // a call of a port begins: the agent may end here
  void sleep(Duration duration);  // inside a call; the others go on meanwhile
  void side_by_side(std::vector<std::function<void()>> jobs);
  // Beside the passes, as on a thread of its own; false: there is some already.
  bool begin_beside(std::function<void()> job);
  bool is_beside() const { return in_side_; }
  // What is on its stacks is taken down: nothing of that reaches anybody.
  static bool is_dying();
  bool is_asked() const { return asked_; }
  Duration offset() const { return offset_; }
  const std::string& member() const { return machine.name; }
  const model::Memory* memory() const { return agent_ == nullptr ? nullptr : &agent_->memory(); }
  int slot() const { return slot_; }

  World& world;
  Machine& machine;
  loop::Pass last;  // pass
  bool has_passed = false;
  std::shared_ptr<const loop::Followed> passed_with;
  Duration passed_since{};  // when its last pass began
  std::string problem;      // why it did not even start

 private:
  struct CrashNow {};

  void live();
  void wait(Duration at_most);
  void go_on_after(Duration wait);
  void go_on_beside_after(Duration wait);
  void go_on_beside();

  int slot_;
  std::unique_ptr<Twins> twins_;
  std::unique_ptr<loop::Agent> agent_;
  std::shared_ptr<const loop::Followed> followed_;
  Fiber fiber_;
  std::uint64_t turn_ = 0;
  std::unique_ptr<Fiber> side_;
  std::uint64_t side_turn_ = 0;
  bool in_side_ = false;
  bool ended_beside_ = false;  // in a call of the work beside the passes
  bool waits_ = false;
  bool woken_ = false;
  bool crashed_ = false;
  bool asked_ = false;     // somebody else's call: no time passes, and nothing ends
  bool parallel_ = false;  // time is added up, and passes when all are done
  Duration offset_{};
  int calls_left_ = -1;
  int until_hang_ = -1;
  Duration pause_{};
  bool hangs_ = false;
  Duration woke_at_{-1000000};
};

}  // namespace quorate::sim
