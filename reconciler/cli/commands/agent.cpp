// quorate agent: keeps the member of this node, as a daemon under systemd or from a terminal.
#include <algorithm>
#include <string>

#include "reconciler/adapters/spdlog/events.h"
#include "reconciler/adapters/system/host.h"
#include "reconciler/adapters/system/zones.h"
#include "reconciler/base/words.h"
#include "reconciler/cli/access.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/daemon.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/last_valid.h"
#include "reconciler/cli/state.h"
#include "reconciler/loop/followed.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

const model::Member* member_where(const model::Desired& desired, std::string model::Member::*field,
                                  const std::string& value) {
  const auto found = std::find_if(desired.members.begin(), desired.members.end(),
                                  [&](const model::Member& each) { return each.managed && each.*field == value; });
  return found == desired.members.end() ? nullptr : &*found;
}

// The node first: another member may be called as this node is.
const model::Member* member_of_node(const model::Desired& desired, const std::string& node) {
  const model::Member* member = member_where(desired, &model::Member::node, node);
  return member == nullptr ? member_where(desired, &model::Member::name, node) : member;
}

// Out of the file; else the one that the file has dropped and that still has something here.
base::Result<std::string> member_to_keep(const Arguments& arguments, const model::AgentSettings& settings,
                                         const model::Desired& desired, const std::string& state_dir) {
  const std::string node = node_name(settings);
  const std::string& named = arguments.member;
  const model::Member* member =
      named.empty() ? member_of_node(desired, node) : member_where(desired, &model::Member::name, named);
  if (member != nullptr) return member->name;
  const auto host = adapters::system::make_host();
  const std::vector<std::string> left = members_on_disk(*host, state_dir, desired.name);
  const std::string& wanted = named.empty() ? node : named;
  if (base::contains(left, wanted)) return wanted;
  if (named.empty() && left.size() == 1) return left.front();
  return base::invalid(desired.file + " lists no member " + (named.empty() ? "on node " + node : named),
                       "name this node in the node file (node:), or say --member NAME");
}

// The file, or what was valid of it last: a mistake in it is no reason to leave a member alone.
Opened open_to_follow(const Arguments& arguments, const std::string& state_dir) {
  Opened opened = open_desired(arguments);
  if (opened.desired || arguments.file.empty()) return opened;
  const auto host = adapters::system::make_host();
  auto last = last_valid_of(*host, state_dir, arguments.file);
  if (!last) complain(last.error(), opened.code);
  if (!last || !*last) return opened;
  auto read = loop::read_desired(**std::move(last), state_dir, adapters::system::zone_file);
  if (read.followed) opened.desired = std::move(read.followed->desired);
  return opened;
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
  DaemonOptions daemon;
  daemon.crew.state_dir = arguments.state_directory_given ? arguments.state_directory : settings.settings.state_dir;
  Arguments here = arguments;
  here.file = absolute_path(arguments.file.empty() ? settings.settings.source_file : arguments.file);
  const Opened opened = open_to_follow(here, daemon.crew.state_dir);
  if (!opened.desired) return opened.code;
  auto member = member_to_keep(arguments, settings.settings, *opened.desired, daemon.crew.state_dir);
  if (!member) return complain(member.error(), ExitCode::Invalid);
  daemon.crew.file = here.file;
  daemon.crew.last_valid_will_do = true;
  daemon.crew.node = settings.settings;
  daemon.crew.member = *std::move(member);
  // Members outlive their agent: it may be restarted or replaced at any time.
  daemon.crew.keep_members = !arguments.stop_members;
  daemon.crew.net = true;
  daemon.socket = arguments.agent.empty() ? settings.settings.socket : arguments.agent;
  if (daemon.socket.compare(0, 5, "unix:") == 0) daemon.socket.erase(0, 5);
  daemon.socket_group = settings.settings.operators_group;
  daemon.format = format_of(settings.settings.log_format);
  daemon.level = level_of(arguments, settings.settings.log_level);
  auto access = access_of(arguments, &*opened.desired);
  if (!access) return complain(access.error(), ExitCode::Usage);
  daemon.crew.access = *std::move(access);
  return run_daemon(std::move(daemon));
}

}  // namespace quorate::cli
