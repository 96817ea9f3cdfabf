// A plan that people have seen: the question, the order, and the telling of what becomes of it.
#include "reconciler/cli/commands/carry_out.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>

#include "reconciler/adapters/system/node.h"
#include "reconciler/base/words.h"
#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/course.h"
#include "reconciler/cli/telling.h"
#include "reconciler/cli/terminal.h"
#include "reconciler/cli/who.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/report/plan_report.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kUsualPatience = std::chrono::minutes{30};
constexpr base::Duration kStepEnds = std::chrono::minutes{5};  // the longest that an agent works on one

bool is_severe(const model::Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const model::Step& step) {
    return step.step_class == model::StepClass::Destructive || step.step_class == model::StepClass::Restore;
  });
}

}  // namespace

ExitCode show_plan(const Arguments& arguments, const model::SavedPlan& plan) {
  report::PlanOptions options;
  options.now = now();
  if (tells_events(arguments)) {
    tell_notices(plan.gated);
    if (!arguments.yes) talk(report::plan_text(plan.gated, plan.context, options));
    return ExitCode::Ok;
  }
  options.style = style_of_stdout(arguments.color);
  return print(report::plan_text(plan.gated, plan.context, options), ExitCode::Ok);
}

// Nobody is asked with --yes; where nobody can be asked, that is no yes.
base::Result<void> confirm(const Arguments& arguments, const model::Plan& plan) {
  if (arguments.yes) return {};
  if (!may_ask(arguments)) {
    return tl::unexpected(base::Error{base::ErrorKind::Refused, "nobody can be asked here", "say --yes"});
  }
  const bool severe = is_severe(plan);
  const std::string answer =
      ask_person(severe ? "Type the name of the cluster to go on: " : "Apply these steps? [y/N] ");
  const bool yes = severe ? answer == plan.cluster : answer == "y" || answer == "Y" || answer == "yes";
  if (yes) return {};
  return tl::unexpected(base::Error{base::ErrorKind::Refused, "nothing was changed", ""});
}

std::vector<std::string> ids_of(const model::Plan& plan) {
  std::vector<std::string> ids;
  for (const model::Step& step : plan.steps) ids.push_back(step.id);
  return ids;
}

namespace {

// Passes come on one thread, and the time passes on another.
class Following {
 public:
  Following(const Arguments& arguments, std::string socket, const Order& order, Interrupts& interrupts,
            const KeptWhere& told)
      : socket_(std::move(socket)),
        order_(order),
        interrupts_(interrupts),
        clock_(adapters::system::make_clock()),
        within_(arguments.timeout.empty() ? kUsualPatience
                                          : base::parse_duration(arguments.timeout).value_or(kUsualPatience)),
        course_({order.plan.desired_digest, ids_of(order.plan), told.at, order.restores}),
        telling_(arguments, order.plan),
        in_etcd_(told.where == "etcd") {}

  ExitCode run() {
    const base::Duration until = clock_->elapsed() + within_;
    const auto followed = follow([&] { return course_.end(clock_->elapsed()).has_value(); },
                                 [&] { return interrupts_.ends() > 0 || clock_->elapsed() >= until; });
    if (interrupts_.ends() > 0) return take_back();
    const auto end = course_.end(clock_->elapsed());
    if (end) return telling_.end(course_, *end, end->code == ExitCode::Ok ? "" : carry_on());
    if (!followed) return telling_.end(course_, {ExitCode::Failed, followed.error().message}, carry_on());
    const std::string& last = course_.failure().empty() ? course_.waits() : course_.failure();
    return telling_.end(course_,
                        {ExitCode::Failed,
                         "it is not done after " + base::to_string(within_) + (last.empty() ? "" : "; last: " + last)},
                        carry_on());
  }

 private:
  template <class Enough, class Stop>
  base::Result<void> follow(const Enough& enough, const Stop& stop) {
    const auto on_pass = [&](const SeenPass& pass) {
      const std::lock_guard lock(mutex_);
      const base::Duration at = clock_->elapsed();
      for (const CourseNews& news : course_.take(pass, at)) telling_.tell(news, at);
      return !enough();
    };
    return follow_passes(socket_, base::Duration{0}, on_pass, [&] {
      const std::lock_guard lock(mutex_);
      const base::Duration at = clock_->elapsed();
      if (interrupts_.take_wish()) telling_.line(course_, at);
      telling_.beat(course_, at);
      return stop() || enough();
    });
  }

  // The yes ends before now, and stays readable: --resume looks at it.
  ExitCode take_back() {
    if (is_done()) return telling_.end(course_, {}, "");
    if (has_promised()) return goes_on();
    model::Allowed withdrawn = order_.allowed;
    withdrawn.until = base::Time{};
    telling_.remark("info",
                    "Taking the yes back, and waiting for the step that is under way; once more stops at once.");
    const base::Duration asked = clock_->elapsed();
    const auto kept = tell_allowed(socket_, withdrawn);
    if (!kept && !order_.restores) return not_taken_back(kept.error());
    if (order_.restores) course_.freeze();
    const base::Duration since = kept ? kept->at : asked;
    const bool rests = wait_for_rest(since);
    if (is_done()) return telling_.end(course_, {}, "");
    // A promise was given meanwhile, and must not be left alone. What waits for a yes is not under way.
    if (order_.restores && (has_promised() || (!rests && is_under_way(since)))) {
      if (kept) (void)tell_allowed(socket_, order_.allowed);
      return goes_on();
    }
    if (!kept) return not_taken_back(kept.error());
    if (course_.goes_on_by_itself()) return goes_on();
    const auto step = course_.running();
    if (!rests && step) {
      return interrupted(order_.plan.steps[*step].id + " is half done; its agent ends it, or takes it up again",
                         carry_on());
    }
    if (in_etcd_ && kept->where != "etcd") {
      return interrupted(
          "interrupted; here the yes is taken back, and in etcd, which has no quorum now, it stands until " +
              base::to_string(order_.allowed.until),
          "Once it has one again: quorate pause, or quorate deny PLAN");
    }
    return interrupted("interrupted, and the yes is taken back", carry_on());
  }

  // Whether nobody works on it any more; not when somebody is in a hurry.
  bool wait_for_rest(base::Duration taken_back) {
    bool rests = false;
    const base::Duration until = clock_->elapsed() + kStepEnds;
    const auto settled = [&] {
      const auto& last = course_.last();
      if (!last || last->began < taken_back) return false;
      rests = !last->did && last->lock.empty() && (last->steps.empty() || course_.is_held_up());
      return rests || course_.goes_on_by_itself() || is_done();
    };
    (void)follow(settled, [&] { return interrupts_.ends() > 1 || clock_->elapsed() >= until; });
    return rests;
  }

  // What a node has promised stops its etcd until all have: halfway there is no safe place. Where nobody can say what
  // comes next, since some do not answer, the others still say what they have promised.
  bool has_promised() const {
    for (std::size_t i = 0; order_.restores && i < course_.size(); ++i) {
      const auto* promise = std::get_if<model::Promise>(&order_.plan.steps[i].action);
      if (promise == nullptr) continue;
      if (course_.state(i) == Course::State::Done) return true;
      if (course_.last() && base::contains(course_.last()->given, promise->decision)) return true;
    }
    return false;
  }
  bool is_under_way(base::Duration taken_back) const {
    const auto& last = course_.last();
    return last && last->began >= taken_back &&
           std::any_of(last->steps.begin(), last->steps.end(),
                       [](const std::string& step) { return step.compare(0, 8, "restore/") == 0; });
  }

  ExitCode not_taken_back(const base::Error& error) {
    return interrupted("the yes could not be taken back: " + error.message,
                       "It ends at " + base::to_string(order_.allowed.until) + ". Stop the agents: quorate pause");
  }
  ExitCode goes_on() {
    return order_.restores
               ? interrupted("a restore that has begun is brought to its end by the agents", "See: quorate status")
               : interrupted("the agents go on by themselves, without a yes of yours",
                             "Stop them: quorate pause --reason TEXT");
  }
  bool is_done() const {
    const auto end = course_.end(clock_->elapsed());
    return end && end->code == ExitCode::Ok;
  }
  ExitCode interrupted(const std::string& why, const std::string& next) {
    return telling_.end(course_, {interrupts_.code(), why}, next);
  }
  std::string carry_on() const {
    if (order_.restores) return "Look again: quorate plan";
    return "Carry on: quorate apply --resume " + order_.allowed.what +
           "        Give up: put the file back as it was; quorate plan shows what that takes";
  }

  std::string socket_;
  const Order& order_;
  Interrupts& interrupts_;
  std::unique_ptr<ports::Clock> clock_;
  base::Duration within_;
  std::mutex mutex_;
  Course course_;
  Telling telling_;
  const bool in_etcd_;  // where the yes is
};

}  // namespace

ExitCode carry_out(const Arguments& arguments, const std::string& socket, const Order& order, Interrupts& interrupts) {
  interrupts.hold_ends();
  const auto kept = tell_allowed(socket, order.allowed);
  if (!kept) return end_early(arguments, kept.error(), ExitCode::Failed);
  if (kept->where != "etcd" && !order.no_quorum.empty()) talk(order.no_quorum);
  return Following(arguments, socket, order, interrupts, *kept).run();
}

}  // namespace quorate::cli
