// quorate apply: shows the plan, asks, lets the agents carry it out, and tells what they do.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/commands/carry_out.h"
#include "reconciler/cli/course.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/telling.h"
#include "reconciler/cli/who.h"
#include "reconciler/cli/wiring.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kValid = std::chrono::hours{1};

// What was asked for: the ID of a plan, with its steps where a file has them; no ID: whatever has to be done.
struct Wanted {
  std::string id;
  std::optional<Agreed> shown;
};

base::Result<Wanted> wanted_plan(const Arguments& arguments) {
  const std::string& asked = arguments.resume.empty() ? arguments.topic : arguments.resume;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(asked, ignored)) return Wanted{asked, std::nullopt};
  const auto text = read_file(asked);
  if (!text) return tl::unexpected(text.error());
  const auto saved = model::read_plan(*text, asked);
  if (!saved) return tl::unexpected(saved.error());
  const model::Plan& plan = saved->gated.plan;
  return Wanted{plan.id, Agreed{ids_of(plan), plan.desired_digest}};
}

tl::unexpected<base::Error> stale(std::string message) {
  return tl::unexpected(
      base::Error{base::ErrorKind::Conflict, std::move(message), "look at it again: quorate plan; then quorate apply"});
}

// What was begun may go on: nothing that was not shown then, and only for the file that asked for it.
base::Result<void> check_resume(const std::string& socket, const Wanted& wanted, const model::Plan& plan) {
  std::optional<Agreed> agreed = wanted.shown;
  if (!agreed) {
    auto answer = ask_agreed(socket, wanted.id);
    if (!answer) return tl::unexpected(answer.error());
    agreed = *std::move(answer);
  }
  if (!agreed) return stale("nobody has agreed to a plan " + wanted.id + " that could go on");
  if (agreed->desired_digest != plan.desired_digest)
    return stale("plan " + wanted.id + " was for another desired file");
  for (const model::Step& step : plan.steps) {
    const bool shown = std::any_of(agreed->steps.begin(), agreed->steps.end(),
                                   [&](const std::string& each) { return is_same_step(each, step.id); });
    if (!shown) return stale(step.id + " has to be done now, and was not part of plan " + wanted.id);
  }
  return {};
}

base::Result<void> check_wanted(const Arguments& arguments, const std::string& socket, const Wanted& wanted,
                                const model::Plan& plan) {
  if (!arguments.resume.empty()) return check_resume(socket, wanted, plan);
  if (wanted.id.empty() || wanted.id == plan.id) return {};
  return stale("the plan is " + plan.id + " now, and no longer " + wanted.id);
}

model::Allowed yes_to(const Arguments& arguments, const model::Plan& plan) {
  model::Allowed allowed;
  allowed.what = plan.id;
  allowed.steps = ids_of(plan);
  allowed.by = who_asks(arguments);
  allowed.until = base::Time{std::chrono::floor<std::chrono::seconds>(now() + kValid)};
  allowed.reason = arguments.reason;
  allowed.desired_digest = plan.desired_digest;
  return allowed;
}

}  // namespace

ExitCode run_apply(const Arguments& arguments) {
  Interrupts interrupts;
  begin_events(arguments);
  const auto wanted = wanted_plan(arguments);
  if (!wanted) return end_early(arguments, wanted.error(), ExitCode::Invalid);
  const auto socket = agent_socket(arguments);
  if (!socket) return end_early(arguments, no_agent(), ExitCode::Unknown);
  const Look seen = look(arguments, File::Needed);
  if (seen.code != ExitCode::Ok) return end_early(arguments, seen.code);
  const model::SavedPlan plan = preview(arguments, seen);
  const model::Gated& gated = plan.gated;
  if (auto fits = check_wanted(arguments, *socket, *wanted, gated.plan); !fits) {
    const bool asked = fits.error().kind == base::ErrorKind::Conflict;
    return end_early(arguments, fits.error(), asked ? ExitCode::Stale : ExitCode::Unknown);
  }
  const ExitCode shown = show_plan(arguments, plan);
  if (shown != ExitCode::Ok) return shown;
  if (gated.plan.steps.empty()) return end_early(arguments, gated.code);
  const bool may_go = gated.code == ExitCode::Different || gated.code == ExitCode::NeedsApproval;
  if (!may_go) return end_early(arguments, gated.code);
  if (auto agreed = confirm(arguments, gated.plan); !agreed) {
    return end_early(arguments, agreed.error(), ExitCode::Refused);
  }
  return carry_out(arguments, *socket, {gated.plan, yes_to(arguments, gated.plan), false, ""}, interrupts);
}

}  // namespace quorate::cli
