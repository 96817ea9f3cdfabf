// quorate check-start: the last question before etcd starts, answered by what lies on this machine alone.
#include <algorithm>
#include <string>

#include "reconciler/adapters/system/data_dir.h"
#include "reconciler/base/suggest.h"
#include "reconciler/base/words.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/results.h"
#include "reconciler/cli/state.h"
#include "reconciler/model/may_start.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

base::Result<const model::Member*> member_named(const model::Desired& desired, const std::string& name) {
  const auto found = std::find_if(desired.members.begin(), desired.members.end(),
                                  [&](const model::Member& member) { return member.name == name; });
  if (found != desired.members.end()) return &*found;
  std::vector<std::string> names;
  for (const model::Member& member : desired.members) names.push_back(member.name);
  const auto near = base::nearest(name, names, 1);
  return base::invalid("the file has no member " + name,
                       near.empty() ? "members: " + base::joined(names, ", ") : "did you mean " + near[0] + "?");
}

std::string as_json(const std::string& member, const model::DataDir& data, const model::MayStart& verdict) {
  return report::document({{"format_version", "1.0"},
                           {"kind", "check-start"},
                           {"member", member},
                           {"may_start", verdict.yes},
                           {"data_dir", data.path},
                           {"text", verdict.text},
                           {"help", verdict.help}});
}

}  // namespace

ExitCode run_check_start(const Arguments& arguments) {
  Opened opened = open_desired(arguments);
  if (!opened.desired) return opened.code;
  const OpenedSettings settings = open_settings(arguments);
  if (settings.code != ExitCode::Ok) return settings.code;
  model::apply_overrides(settings.settings, node_name(settings.settings), *opened.desired);
  const auto named = member_named(*opened.desired, arguments.topic);
  if (!named) return complain(arguments, named.error(), ExitCode::Usage);
  const model::Member* member = *named;

  const auto memory = memory_of(state_directory(arguments, settings), opened.desired->name, member->name);
  if (!memory) return complain(arguments, memory.error(), ExitCode::Unknown);
  const auto marker = marker_in(member->data_dir);
  if (!marker) return complain(arguments, marker.error(), ExitCode::Unknown);
  auto data = adapters::system::read_data_dir(member->data_dir, member->wal_dir);
  if (!data) return complain(arguments, data.error(), ExitCode::Unknown);

  const model::Memory* remembered = *memory ? &**memory : nullptr;
  const model::Marker* marked = *marker ? &**marker : nullptr;
  model::judge_data(*data, remembered, marked);
  const model::MayStart verdict = model::may_start(member->name, *data, remembered, marked);
  const ExitCode code = verdict.yes ? ExitCode::Ok : ExitCode::Refused;
  if (!prints_text(arguments)) return print(as_json(member->name, *data, verdict), code);
  if (!verdict.yes) return complain(arguments, {base::ErrorKind::Refused, verdict.text, verdict.help}, code);
  return arguments.quiet ? code : print(report::printable(verdict.text) + "\n", code);
}

}  // namespace quorate::cli
