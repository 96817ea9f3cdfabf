// quorate apply: shows the plan, asks, lets the agents carry it out, and tells what they do.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/daemon.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/terminal.h"
#include "reconciler/cli/who.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/report/plan_report.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kValid = std::chrono::hours{1};
constexpr base::Duration kUsualPatience = std::chrono::minutes{30};

// The ID that was asked for: of a saved plan, or as it stands there; empty: whatever has to be done.
base::Result<std::string> wanted_plan(const Arguments& arguments) {
  const std::string& asked = arguments.resume.empty() ? arguments.topic : arguments.resume;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(asked, ignored)) return asked;
  const auto text = read_file(asked);
  if (!text) return tl::unexpected(text.error());
  const auto plan = model::read_plan(*text, asked);
  if (!plan) return tl::unexpected(plan.error());
  return plan->gated.plan.id;
}

bool is_severe(const model::Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const model::Step& step) {
    return step.step_class == model::StepClass::Destructive || step.step_class == model::StepClass::Restore;
  });
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

ExitCode follow(const Arguments& arguments, const std::string& socket, const model::Plan& plan) {
  Progress progress(ids_of(plan));
  bool ended = false;
  const base::Duration within =
      arguments.timeout.empty() ? kUsualPatience : base::parse_duration(arguments.timeout).value_or(kUsualPatience);
  const auto followed = follow_passes(socket, within, [&](const SeenPass& pass) {
    progress.take(pass);
    ended = pass.status == "Converged" && !pass.did;
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

}  // namespace

ExitCode run_apply(const Arguments& arguments) {
  const auto wanted = wanted_plan(arguments);
  if (!wanted) return complain(wanted.error(), ExitCode::Invalid);
  const auto socket = agent_socket(arguments);
  if (!socket) return complain(no_agent(), ExitCode::Unknown);
  const Look seen = look(arguments, File::Needed);
  if (seen.code != ExitCode::Ok) return seen.code;
  const model::SavedPlan plan = preview(arguments, seen);
  const model::Gated& gated = plan.gated;
  if (arguments.resume.empty() && !wanted->empty() && *wanted != gated.plan.id) {
    return complain({base::ErrorKind::Conflict, "the plan is " + gated.plan.id + " now, and no longer " + *wanted,
                     "look at it again: quorate plan"},
                    ExitCode::Stale);
  }
  report::PlanOptions options;
  options.style = style_of_stdout(arguments.color);
  options.now = now();
  const ExitCode shown = print(report::plan_text(gated, plan.context, options), ExitCode::Ok);
  if (shown != ExitCode::Ok) return shown;
  if (gated.plan.steps.empty()) return gated.code;
  if (gated.code != ExitCode::Different && gated.code != ExitCode::NeedsApproval) return gated.code;
  if (auto agreed = confirm(arguments, gated.plan); !agreed) return complain(agreed.error(), ExitCode::Refused);
  model::Allowed allowed;
  allowed.what = gated.plan.id;
  allowed.steps = ids_of(gated.plan);
  allowed.by = who_asks(arguments);
  allowed.until = base::Time{std::chrono::floor<std::chrono::seconds>(now() + kValid)};
  allowed.reason = arguments.reason;
  allowed.desired_digest = gated.plan.desired_digest;
  const auto kept = tell_allowed(*socket, allowed);
  if (!kept) return complain(kept.error(), ExitCode::Failed);
  return follow(arguments, *socket, gated.plan);
}

}  // namespace quorate::cli
