// quorate observe, status, drift and member list: what is there, beside what should be.
#include <string>

#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/results.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/model/observed_json.h"
#include "reconciler/model/signed_observation.h"
#include "reconciler/report/drift.h"
#include "reconciler/report/prose.h"
#include "reconciler/report/status.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

// The result says it too, but nobody should have to look for it there.
void say_what_was_not_seen(const model::Observed& observed) {
  if (observed.membership) return;
  talk("quorate: no member list: " + report::printable(observed.membership.why()));
  for (const model::EndpointAnswer& each : observed.endpoints) {
    if (!each.cluster) talk("  " + report::printable(each.endpoint + ": " + each.cluster.why()));
  }
}

}  // namespace

ExitCode run_observe(const Arguments& arguments) {
  const Look seen = look(arguments, File::IfThere);
  if (seen.code != ExitCode::Ok) return end_without_result(arguments, seen.why, seen.code);
  say_what_was_not_seen(seen.observed);
  std::string text = report::safe_json(model::to_json(seen.observed));
  if (!arguments.sign.empty()) {
    const auto signature = sign_observation(arguments, text);
    if (!signature) {
      talk("quorate: " + report::printable(signature.error().message));
      if (!signature.error().help.empty()) talk("  " + report::printable(signature.error().help));
      return end_without_result(arguments, signature.error(), ExitCode::Failed);
    }
    text = model::signed_observation(text, *signature);
  }
  const ExitCode code = seen.observed.membership ? ExitCode::Ok : ExitCode::Unknown;
  if (arguments.out.empty()) return print(text, code);
  const auto written = write_result(arguments.out, text);
  if (written) return code;
  talk("quorate: " + report::printable(written.error().message));
  return end_without_result(arguments, written.error(), ExitCode::Failed);
}

ExitCode run_status(const Arguments& arguments) {
  const Look seen = look(arguments, File::OrLastValid);
  if (seen.code != ExitCode::Ok) return end_without_result(arguments, seen.why, seen.code);
  say_what_was_not_seen(seen.observed);
  const model::SavedPlan plan = preview(arguments, seen);
  const report::StatusView view{*seen.desired, seen.observed, plan.gated, plan.context, seen.wrong_file};
  const auto render = [&](const std::string& format, const report::PlanOptions& options) {
    return report::render_status(format, view, options).value_or("");
  };
  return print_results(arguments, render, report::status_code(view));
}

ExitCode run_drift(const Arguments& arguments) {
  const Look seen = look(arguments, File::Needed);
  if (seen.code != ExitCode::Ok) return end_without_result(arguments, seen.why, seen.code);
  if (!prints_text(arguments)) say_what_was_not_seen(seen.observed);
  const model::SavedPlan plan = preview(arguments, seen);
  const report::DriftView view{plan.gated, plan.context, seen.desired->drift};
  const auto render = [&](const std::string& format, const report::PlanOptions& options) {
    return report::render_drift(format, view, options).value_or("");
  };
  return print_results(arguments, render, report::drift_code(view));
}

ExitCode run_member(const Arguments& arguments) {
  const Look seen = look(arguments, File::IfThere);
  if (seen.code != ExitCode::Ok) return end_without_result(arguments, seen.why, seen.code);
  if (!prints_text(arguments)) say_what_was_not_seen(seen.observed);
  const std::string stale = too_old(arguments, seen);
  if (!stale.empty()) talk("quorate: " + stale);
  const report::MemberListView view{seen.desired ? &*seen.desired : nullptr, seen.observed, stale};
  const auto render = [&](const std::string& format, const report::PlanOptions& options) {
    return report::render_member_list(format, view, options).value_or("");
  };
  return print_results(arguments, render, report::member_list_code(view));
}

}  // namespace quorate::cli
