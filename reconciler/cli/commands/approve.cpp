// quorate approve and deny: the answer to steps that wait for a person, told to the agents, or with --print as it is
// written under `approvals:`.
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

std::string answer_text(const std::vector<model::Allowed>& said, const std::vector<std::string>& kept) {
  std::string text;
  for (std::size_t i = 0; i < said.size(); ++i) {
    text += std::string(said[i].denied ? "Denied " : "Approved ") + report::printable(said[i].what) + " until " +
            base::to_string(said[i].until) + "; kept in " + kept[i] + "\n";
  }
  return text;
}

std::string answer_json(const std::vector<model::Allowed>& said, const std::vector<std::string>& kept) {
  base::Json steps = base::Json::array();
  for (std::size_t i = 0; i < said.size(); ++i) {
    steps.push_back({{"step", said[i].what},
                     {"denied", said[i].denied},
                     {"by", said[i].by},
                     {"reason", said[i].reason},
                     {"until", base::to_string(said[i].until)},
                     {"desired_digest", said[i].desired_digest},
                     {"kept", kept[i]}});
  }
  return report::document({{"format_version", "1.0"}, {"kind", "answers"}, {"exit_code", 0}, {"steps", steps}});
}

// Each step by itself: what is said of one holds for no other.
ExitCode say_to_agent(const Arguments& arguments, const std::vector<std::string>& steps, base::Time until,
                      const std::string& digest) {
  const auto socket = agent_socket(arguments);
  if (!socket) return complain(arguments, no_agent(), ExitCode::Unknown);
  std::vector<model::Allowed> said;
  std::vector<std::string> kept;
  for (const std::string& step : steps) {
    model::Allowed allowed;
    allowed.what = step;
    allowed.by = who_asks(arguments);
    allowed.until = until;
    allowed.reason = arguments.reason;
    allowed.denied = arguments.command == Command::Deny;
    allowed.desired_digest = digest;
    const auto told = tell_allowed(*socket, allowed);
    if (!told) {
      if (!said.empty()) talk("quorate: what was said before stands: " + answer_text(said, kept));
      return complain(arguments, told.error(), ExitCode::Failed);
    }
    said.push_back(std::move(allowed));
    kept.push_back(told->where);
  }
  return print(arguments.output == "json" ? answer_json(said, kept) : answer_text(said, kept), ExitCode::Ok);
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
