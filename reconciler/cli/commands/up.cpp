// quorate up: the agents of all members of a file in this process, until somebody says stop.
#include <filesystem>
#include <string>

#include "reconciler/adapters/system/program_version.h"
#include "reconciler/base/path.h"
#include "reconciler/cli/access.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/daemon.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/terminal.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

ports::EventLevel level_of(const Arguments& arguments) {
  if (arguments.quiet) return ports::EventLevel::Warning;
  return arguments.verbose > 0 ? ports::EventLevel::Debug : ports::EventLevel::Info;
}

}  // namespace

ExitCode run_up(const Arguments& arguments) {
  const std::string file = chosen_file(arguments);
  if (file == "-") {
    return complain({base::ErrorKind::Invalid, "up follows a file, and stdin is none", ""}, ExitCode::Usage);
  }
  const Opened opened = open_desired(arguments);
  if (!opened.desired) return opened.code;
  if (!std::holds_alternative<model::ProcessRuntime>(opened.desired->runtime)) {
    return complain({base::ErrorKind::Refused, file + ": up runs members as processes of this machine",
                     "write  runtime: {type: process}"},
                    ExitCode::Refused);
  }
  if (const auto binary = adapters::system::look_at_binary(opened.desired->etcd.binary); !binary) {
    return complain({binary.error().kind, "etcd.binary: " + binary.error().message,
                     "put etcd on PATH, or name it in the file: etcd: {binary: /usr/local/bin/etcd}"},
                    ExitCode::Failed);
  }
  DaemonOptions daemon;
  std::error_code error;
  daemon.crew.file = std::filesystem::absolute(file, error).lexically_normal().string();
  if (error) {
    return complain({base::ErrorKind::Invalid, "cannot tell where " + file + " is: " + error.message(), ""},
                    ExitCode::Failed);
  }
  daemon.crew.state_dir = arguments.state_directory_given
                              ? arguments.state_directory
                              : base::join_path(base::parent_path(daemon.crew.file), ".quorate");
  daemon.crew.create = arguments.create;
  daemon.crew.keep_members = arguments.keep_members;
  daemon.socket = base::join_path(daemon.crew.state_dir, "agent.sock");
  daemon.format = log::goes_to_the_journal(2) ? log::EventFormat::Journal : log::EventFormat::Text;
  daemon.level = level_of(arguments);
  auto access = access_of(arguments, &*opened.desired);
  if (!access) return complain(access.error(), ExitCode::Usage);
  daemon.crew.access = *std::move(access);
  Screen screen(style_of_stdout(arguments.color));
  daemon.screen = &screen;
  return run_daemon(std::move(daemon));
}

}  // namespace quorate::cli
