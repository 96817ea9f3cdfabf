// quorate approve --print: what to write under `approvals:` so that a step which waits for a person may run.
#include <algorithm>
#include <filesystem>
#include <string>

#include "reconciler/base/suggest.h"
#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/who.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/report/approvals.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kUsualSpan{std::chrono::hours{24}};

base::Error refused(std::string message, std::string help) {
  return {base::ErrorKind::Refused, std::move(message), std::move(help)};
}

bool waits(const model::Gated& gated, std::size_t index) {
  return index < gated.verdicts.size() && gated.verdicts[index].code == ExitCode::NeedsApproval;
}

struct Asked {
  model::Gated gated;
  ExitCode code = ExitCode::Ok;
};

// A saved plan by its file, or what would be done now.
Asked plan_of(const Arguments& arguments) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(arguments.topic, ignored)) {
    const auto text = read_file(arguments.topic);
    const auto plan = text ? model::read_plan(*text, arguments.topic) : tl::unexpected(text.error());
    if (plan) return {plan->gated, ExitCode::Ok};
    return {{}, complain(arguments, plan.error(), ExitCode::Invalid)};
  }
  const Look seen = look(arguments, File::Needed);
  if (seen.code != ExitCode::Ok) return {{}, end_without_result(arguments, seen.why, seen.code)};
  return {preview(arguments, seen).gated, ExitCode::Ok};
}

std::vector<std::string> chosen_steps(const Arguments& arguments, const model::Gated& gated) {
  const auto& steps = gated.plan.steps;
  std::error_code ignored;
  const bool all = arguments.topic == gated.plan.id || std::filesystem::is_regular_file(arguments.topic, ignored);
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (waits(gated, i) && (all || steps[i].id == arguments.topic)) chosen.push_back(steps[i].id);
  }
  return chosen;
}

ExitCode nothing_waits(const Arguments& arguments, const model::Gated& gated) {
  std::vector<std::string> waiting;
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) {
    if (waits(gated, i)) waiting.push_back(gated.plan.steps[i].id);
  }
  if (gated.code == ExitCode::Unknown) {
    return complain(arguments, refused("too little can be seen to say what waits", "quorate plan says what is missing"),
                    gated.code);
  }
  const std::string help = waiting.empty() ? "no step waits for a person; see quorate plan"
                                           : "what waits: " + report::joined(waiting, "and");
  return complain(arguments, refused("nothing called " + arguments.topic + " waits for a person", help),
                  ExitCode::Failed);
}

// Each step by itself: what is said of one holds for no other.
ExitCode say_to_agent(const Arguments& arguments, const std::vector<std::string>& steps, base::Time until,
                      const std::string& digest) {
  const auto socket = agent_socket(arguments);
  if (!socket) return complain(arguments, no_agent(), ExitCode::Unknown);
  const bool denied = arguments.command == Command::Deny;
  for (const std::string& step : steps) {
    const model::Allowed allowed{step, {}, who_asks(arguments), until, arguments.reason, denied, digest, {}};
    const auto kept = tell_allowed(*socket, allowed);
    if (!kept) return complain(arguments, kept.error(), ExitCode::Failed);
    const std::string text = std::string(denied ? "Denied " : "Approved ") + step + " until " + base::to_string(until) +
                             "; kept in " + *kept + "\n";
    if (print(text, ExitCode::Ok) != ExitCode::Ok) return ExitCode::Failed;
  }
  return ExitCode::Ok;
}

}  // namespace

ExitCode run_approve(const Arguments& arguments) {
  const Asked asked = plan_of(arguments);
  if (asked.code != ExitCode::Ok) return asked.code;
  const auto steps = chosen_steps(arguments, asked.gated);
  if (steps.empty()) return nothing_waits(arguments, asked.gated);
  if (!arguments.print_only) {
    const base::Duration how_long =
        arguments.span.empty() ? kUsualSpan : base::parse_duration(arguments.span).value_or(kUsualSpan);
    return say_to_agent(arguments, steps, base::Time{std::chrono::floor<std::chrono::seconds>(now() + how_long)},
                        asked.gated.plan.desired_digest);
  }
  if (asked.gated.plan.cluster_id.value == 0) {
    return complain(arguments,
                    refused("an approval is for one cluster, and there is none yet",
                            "quorate up --create, or bootstrap.ifNoCluster: new, agrees to form one"),
                    ExitCode::Refused);
  }
  const base::Duration span =
      arguments.span.empty() ? kUsualSpan : base::parse_duration(arguments.span).value_or(kUsualSpan);
  const base::Time until{std::chrono::floor<std::chrono::seconds>(now() + span)};
  std::vector<model::Approval> approvals;
  for (const std::string& step : steps) {
    approvals.push_back({step, asked.gated.plan.cluster_id, arguments.by, until});
  }
  const std::string format = arguments.output.empty() ? "text" : arguments.output;
  return print(report::render_approvals(format, approvals).value_or(""), ExitCode::Ok);
}

}  // namespace quorate::cli
