// quorate doctor: everything between this machine and its cluster that a person would look at one by one.
#include <algorithm>
#include <string>

#include "reconciler/adapters/system/node.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/examine.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/results.h"
#include "reconciler/cli/state.h"
#include "reconciler/cli/wiring.h"

namespace quorate::cli {
namespace {

using model::ExitCode;
using report::Finds;

constexpr base::Duration kPatience{2000};

void examine_member(const model::Desired& desired, const model::Member& member, const std::string& state_dir,
                    ports::Node& node, Examination& examination) {
  const auto first = static_cast<std::ptrdiff_t>(examination.size());
  examine_folders(desired, member, state_dir, examination);
  examine_disk(desired, member, node, examination);
  examine_binary(desired, member, node, examination);
  examine_tls(desired, member, node, now(), examination);
  examine_ports(desired, member, node, examination);
  for (auto each = examination.begin() + first; each != examination.end(); ++each) each->part += ", on this machine";
}

}  // namespace

ExitCode run_doctor(const Arguments& arguments) {
  const OpenedSettings settings = open_settings(arguments);
  if (settings.code != ExitCode::Ok) return settings.code;
  Arguments asking = arguments;
  asking.state_directory = state_directory(arguments, settings);
  const Look seen = look(asking, File::Needed);
  if (seen.code != ExitCode::Ok) return end_without_result(arguments, seen.why, seen.code);

  Examination examination;
  const base::Duration within =
      arguments.answer_timeout.empty() ? kPatience : base::parse_duration(arguments.answer_timeout).value_or(kPatience);
  examine_network(*seen.desired, seen.observed, within, examination);
  const auto node = adapters::system::make_node();
  bool any = false;
  for (const model::Member& member : seen.desired->members) {
    if (!member.managed || !node->is_here(member)) continue;
    any = true;
    examine_member(*seen.desired, member, asking.state_directory, *node, examination);
  }
  if (!any) {
    examination.push_back(
        {Finds::Ok, "this machine", "no member of the file lives here, so only the network was looked at", ""});
  }
  const auto render = [&](const std::string& format, const report::PlanOptions& options) {
    return report::render_doctor(format, examination, options).value_or("");
  };
  return print_results(arguments, render, report::doctor_code(examination));
}

}  // namespace quorate::cli
