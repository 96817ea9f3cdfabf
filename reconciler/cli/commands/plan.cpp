// quorate plan and show: what would be done, and what was once planned.
#include <string>

#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/results.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/report/plan_report.h"
#include "reconciler/report/plan_words.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr int kOwnerOnly = 0600;

// Where the result is for programs, a person who reads the log wants to know why it ended as it did.
void say_why(const model::SavedPlan& plan) {
  const std::string first = report::headline(plan.gated);
  if (first.empty()) return;
  talk("quorate: " + report::printable(first));
  for (const model::Notice& notice : plan.gated.plan.notices) {
    if (notice.level != model::Notice::Level::Critical || notice.drift) continue;
    talk("  " + report::printable(notice.text));
    if (!notice.help.empty()) talk("  " + report::printable(notice.help));
  }
  for (const auto& [who, why] : plan.context.silence) talk("  " + report::printable(who + ": " + why));
}

ExitCode print_plan(const Arguments& arguments, const model::SavedPlan& plan, ExitCode code) {
  const auto render = [&](const std::string& format, const report::PlanOptions& options) {
    return report::render_plan(format, plan.gated, plan.context, options).value_or("");
  };
  return print_results(arguments, render, code);
}

}  // namespace

ExitCode run_plan(const Arguments& arguments) {
  const Look seen = look(arguments, File::Needed);
  if (seen.code != ExitCode::Ok) return end_without_result(arguments, seen.why, seen.code);
  model::SavedPlan plan = preview(arguments, seen);
  if (plan.gated.code == ExitCode::Different && !arguments.exit_code) plan.gated.code = ExitCode::Ok;
  if (!prints_text(arguments)) say_why(plan);
  if (!arguments.out.empty()) {
    const auto written =
        write_result(arguments.out, report::safe_json(model::to_json(plan.gated, plan.context)), kOwnerOnly);
    if (!written) {
      talk("quorate: " + report::printable(written.error().message));
      return end_without_result(arguments, written.error(), ExitCode::Failed);
    }
  }
  return print_plan(arguments, plan, plan.gated.code);
}

ExitCode run_show(const Arguments& arguments) {
  const auto text = read_file(arguments.topic);
  if (!text) {
    talk("quorate: " + report::printable(text.error().message));
    return end_without_result(arguments, text.error(), ExitCode::Failed);
  }
  const auto plan = model::read_plan(*text, arguments.topic);
  if (!plan) {
    talk("quorate: " + report::printable(plan.error().message));
    if (!plan.error().help.empty()) talk("  " + report::printable(plan.error().help));
    return end_without_result(arguments, plan.error(), ExitCode::Invalid);
  }
  return print_plan(arguments, *plan, ExitCode::Ok);
}

}  // namespace quorate::cli
