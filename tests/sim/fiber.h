// A call that can pause in the middle and go on later, on one thread: how passes of several agents interleave.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ucontext.h>

namespace quorate::sim {

class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();  // a body that has not ended is never gone on with; see that it has

  void resume();        // returns when the body pauses or ends
  static void pause();  // from inside a body
  bool ended() const { return ended_; }

 private:
  static void enter();

  std::function<void()> body_;
  std::unique_ptr<char[]> stack_;
  ucontext_t here_{};
  ucontext_t caller_{};
  bool ended_ = false;
};

}  // namespace quorate::sim
