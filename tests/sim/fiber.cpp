// ucontext, with stacks that are used again: a seed starts hundreds of agents.
#include "tests/sim/fiber.h"

#include "reconciler/base/check.h"

namespace quorate::sim {
namespace {

constexpr std::size_t kStack = std::size_t{1} << 20U;

Fiber*& current() {
  static Fiber* fiber = nullptr;
  return fiber;
}

std::vector<std::unique_ptr<char[]>>& idle_stacks() {
  static std::vector<std::unique_ptr<char[]>> stacks;
  return stacks;
}

std::unique_ptr<char[]> take_stack() {
  auto& idle = idle_stacks();
  if (idle.empty()) return std::unique_ptr<char[]>(new char[kStack]);  // not zeroed: most of it is never touched
  auto stack = std::move(idle.back());
  idle.pop_back();
  return stack;
}

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), stack_(take_stack()) {
  QUORATE_CHECK(getcontext(&here_) == 0);
  here_.uc_stack.ss_sp = stack_.get();
  here_.uc_stack.ss_size = kStack;
  here_.uc_link = nullptr;
  makecontext(&here_, &Fiber::enter, 0);
}

Fiber::~Fiber() {
  idle_stacks().push_back(std::move(stack_));
}

void Fiber::enter() {
  Fiber* self = current();
  self->body_();
  self->ended_ = true;
  pause();
}

void Fiber::resume() {
  QUORATE_CHECK(!ended_ && current() == nullptr);
  current() = this;
  QUORATE_CHECK(swapcontext(&caller_, &here_) == 0);
  current() = nullptr;
}

void Fiber::pause() {
  Fiber* self = current();
  QUORATE_CHECK(self != nullptr);
  QUORATE_CHECK(swapcontext(&self->here_, &self->caller_) == 0);
}

}  // namespace quorate::sim
