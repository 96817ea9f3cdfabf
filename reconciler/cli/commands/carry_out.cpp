// A plan that people have seen: the question, and the telling of what becomes of it.
#include "reconciler/cli/commands/carry_out.h"

#include <algorithm>
#include <set>
#include <string>

#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/who.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kUsualPatience = std::chrono::minutes{30};

bool is_severe(const model::Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const model::Step& step) {
    return step.step_class == model::StepClass::Destructive || step.step_class == model::StepClass::Restore;
  });
}

}  // namespace

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

// Tells each step once when it is no longer to be done.
class Progress {
 public:
  explicit Progress(std::vector<std::string> steps) : steps_(std::move(steps)) {}

  void take(const SeenPass& pass) {
    if (!pass.failed.empty() && pass.failed != failed_) {
      failed_ = pass.failed;
      say(pass.step + ": " + pass.failed);
    }
    if (!pass.waits.empty() && pass.waits != waits_) {
      waits_ = pass.waits;
      say("waiting for " + pass.waits);
    }
    const std::set<std::string> left(pass.steps.begin(), pass.steps.end());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (left.count(steps_[i]) != 0 || done_.count(i) != 0 || pass.status == "NeedsObservation") continue;
      done_.insert(i);
      say("[" + std::to_string(i + 1) + "/" + std::to_string(steps_.size()) + "] " + steps_[i] + ": done");
    }
  }
  std::size_t done() const { return done_.size(); }
  std::size_t all() const { return steps_.size(); }
  const std::string& last() const { return failed_.empty() ? waits_ : failed_; }

 private:
  static void say(const std::string& text) {
    print(base::to_string(now()) + " " + report::printable(text) + "\n", ExitCode::Ok);
  }

  std::vector<std::string> steps_;
  std::set<std::size_t> done_;
  std::string failed_;
  std::string waits_;
};

}  // namespace

ExitCode follow(const Arguments& arguments, const std::string& socket, const model::Plan& plan) {
  Progress progress(ids_of(plan));
  bool begun = false;  // what was as it should be before is no end
  bool ended = false;
  const base::Duration within =
      arguments.timeout.empty() ? kUsualPatience : base::parse_duration(arguments.timeout).value_or(kUsualPatience);
  const auto followed = follow_passes(socket, within, [&](const SeenPass& pass) {
    progress.take(pass);
    begun = begun || !pass.steps.empty() || pass.plan == plan.id;
    ended = begun && pass.status == "Converged" && !pass.did;
    return !ended;
  });
  if (ended) return print("Done: " + plan.cluster + " is as the file says.\n", ExitCode::Ok);
  if (!followed && followed.error().kind != base::ErrorKind::Ambiguous) {
    return complain(followed.error(), ExitCode::Failed);
  }
  talk("quorate: " + std::to_string(progress.done()) + " of " + std::to_string(progress.all()) + " steps are done" +
       (progress.last().empty() ? "" : "; last: " + report::printable(progress.last())));
  talk("  carry on: quorate apply --resume " + plan.id);
  return ExitCode::Failed;
}

}  // namespace quorate::cli
