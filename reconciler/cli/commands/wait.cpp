// quorate wait: until the agents say that it is so, or the time is up.
#include <mutex>
#include <optional>
#include <string>

#include "reconciler/adapters/system/node.h"
#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/interrupts.h"
#include "reconciler/cli/waited_for.h"
#include "reconciler/cli/who.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kUsualSpan = std::chrono::minutes{10};

// What the passes say on one thread, and who asks on another.
class Watch {
 public:
  explicit Watch(WaitedFor wanted) : wanted_(std::move(wanted)) {}

  // Whether to go on.
  bool take(const SeenPass& pass) {
    const std::lock_guard lock(mutex_);
    last_ = why_not(wanted_, pass);
    done_ = last_.empty();
    if (!done_ && last_ != told_) {
      told_ = last_;
      talk("quorate: " + report::printable(last_));
    }
    return !done_;
  }
  void say_again() {
    const std::lock_guard lock(mutex_);
    talk("quorate: " + (last_.empty() ? "nobody has answered yet" : report::printable(last_)));
  }
  bool done() const { return done_; }
  const std::string& last() const { return last_; }

 private:
  const WaitedFor wanted_;
  std::mutex mutex_;
  bool done_ = false;
  std::string last_;
  std::string told_;
};

}  // namespace

ExitCode run_wait(const Arguments& arguments) {
  Interrupts interrupts;
  WaitedFor wanted{arguments.until, ""};
  if (!arguments.file.empty()) {
    const Opened opened = open_desired(arguments);
    if (!opened.desired) return opened.code;
    wanted.desired_digest = opened.sha256;
  }
  const auto socket = agent_socket(arguments);
  if (!socket) return complain(no_agent(), ExitCode::Unknown);
  const base::Duration within =
      arguments.timeout.empty() ? kUsualSpan : base::parse_duration(arguments.timeout).value_or(kUsualSpan);
  const auto clock = adapters::system::make_clock();
  const base::Duration until = clock->elapsed() + within;
  Watch watch(wanted);
  const auto followed = follow_passes(
      *socket, base::Duration{0}, [&](const SeenPass& pass) { return watch.take(pass); },
      [&] {
        if (interrupts.take_wish()) watch.say_again();
        return clock->elapsed() >= until;
      });
  if (watch.done()) return ExitCode::Ok;
  if (!followed) return complain(followed.error(), ExitCode::Unknown);
  talk("quorate: not " + arguments.until + " after " + base::to_string(within) +
       (watch.last().empty() ? "" : ": " + report::printable(watch.last())));
  return ExitCode::Failed;
}

}  // namespace quorate::cli
