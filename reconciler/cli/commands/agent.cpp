// quorate agent: keeps the member of this node, as a daemon under systemd or from a terminal.
#include <algorithm>
#include <string>

#include "reconciler/adapters/spdlog/events.h"
#include "reconciler/cli/access.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/daemon.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/net_link.h"
#include "reconciler/cli/state.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

const model::Member* member_of_node(const model::Desired& desired, const std::string& node) {
  const auto found = std::find_if(desired.members.begin(), desired.members.end(), [&](const model::Member& each) {
    return each.managed && (each.node == node || each.name == node);
  });
  return found == desired.members.end() ? nullptr : &*found;
}

log::EventFormat format_of(model::LogFormat format) {
  if (format == model::LogFormat::Json) return log::EventFormat::Json;
  const bool journal = format == model::LogFormat::Auto && log::goes_to_the_journal(2);
  return journal ? log::EventFormat::Journal : log::EventFormat::Text;
}

ports::EventLevel level_of(const Arguments& arguments, model::LogLevel level) {
  if (arguments.verbose > 0 || level == model::LogLevel::Debug) return ports::EventLevel::Debug;
  if (level == model::LogLevel::Info) return arguments.quiet ? ports::EventLevel::Warning : ports::EventLevel::Info;
  return level == model::LogLevel::Warning ? ports::EventLevel::Warning : ports::EventLevel::Error;
}

}  // namespace

ExitCode run_agent(const Arguments& arguments) {
  const OpenedSettings settings = open_settings(arguments);
  if (settings.code != ExitCode::Ok) return settings.code;
  Arguments here = arguments;
  if (here.file.empty()) here.file = settings.settings.source_file;
  const Opened opened = open_desired(here);
  if (!opened.desired) return opened.code;
  const std::string node = arguments.member.empty() ? node_name(settings.settings) : arguments.member;
  const model::Member* member = member_of_node(*opened.desired, node);
  if (member == nullptr) {
    return complain({base::ErrorKind::Invalid, here.file + " lists no member on node " + node,
                     "name this node in the node file (node:), or say --member NAME"},
                    ExitCode::Invalid);
  }
  DaemonOptions daemon;
  daemon.crew.file = here.file;
  daemon.crew.member = member->name;
  daemon.crew.state_dir = arguments.state_directory_given ? arguments.state_directory : settings.settings.state_dir;
  // Members outlive their agent: it may be restarted or replaced at any time.
  daemon.crew.keep_members = !arguments.stop_members;
  daemon.crew.net = true;
  daemon.socket = arguments.agent.empty() ? settings.settings.socket : arguments.agent;
  if (daemon.socket.compare(0, 5, "unix:") == 0) daemon.socket.erase(0, 5);
  daemon.format = format_of(settings.settings.log_format);
  daemon.level = level_of(arguments, settings.settings.log_level);
  auto access = access_of(arguments, &*opened.desired);
  if (!access) return complain(access.error(), ExitCode::Usage);
  daemon.crew.access = *std::move(access);
  return run_daemon(std::move(daemon));
}

}  // namespace quorate::cli
