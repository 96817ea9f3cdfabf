// quorate apply: shows the plan, asks, lets the agents carry it out, and tells what they do.
#include <filesystem>
#include <string>

#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/commands/carry_out.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/terminal.h"
#include "reconciler/cli/who.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/report/plan_report.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kValid = std::chrono::hours{1};

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
