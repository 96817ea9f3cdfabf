// The main thread waits for signals and prints; the agents have threads of their own.
#include "reconciler/cli/daemon.h"

#include <memory>

#include "reconciler/adapters/peer_grpc/local.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/local_requests.h"
#include "reconciler/cli/signals.h"
#include "reconciler/cli/systemd.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/report/findings.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kBeat{1000};

void say_findings(ports::Events& events, const std::string& file, const std::vector<model::Finding>& findings,
                  bool followed) {
  for (const model::Finding& finding : findings) {
    const std::string text = report::finding_text(finding, {});
    events.say(followed ? ports::EventLevel::Info : ports::EventLevel::Warning, text.substr(0, text.find('\n')));
  }
  events.say(followed ? ports::EventLevel::Info : ports::EventLevel::Warning,
             followed ? "follows the new " + file : file + " is wrong; the last valid file stays in force");
}

std::string status_line(const loop::Pass& pass) {
  if (!pass.step.empty()) return pass.step + (pass.failed ? ": " + pass.failed->message : "");
  if (!pass.waits.empty()) return "waiting for " + pass.waits;
  return std::string(model::name_of(pass.plan.gated.plan.status));
}

// What the main thread does for every signal and once a second; nothing: go on.
std::optional<ExitCode> turn(Crew& crew, Signals& signals, const Systemd& systemd, ports::Events& events,
                             Screen* screen) {
  const std::optional<int> signal = signals.wait(kBeat);
  if (crew.makes_passes()) systemd.alive();
  if (signal && *signal == SIGHUP) crew.reread();
  if (signal && *signal == SIGUSR1) {
    const Crew::Latest latest = crew.next(0, base::Duration{0});
    const std::string line = latest.number == 0 ? "nothing has been looked at yet" : status_line(latest.pass);
    events.say(ports::EventLevel::Info, latest.member.empty() ? line : latest.member + ": " + line);
  }
  if (signal && (*signal == SIGINT || *signal == SIGTERM)) {
    return *signal == SIGINT ? ExitCode::Interrupted : ExitCode::Terminated;
  }
  if (screen == nullptr) return std::nullopt;
  const std::string news = screen->news(crew.followed()->desired, now());
  if (!news.empty() && print(news, ExitCode::Ok) != ExitCode::Ok) return ExitCode::Failed;
  return std::nullopt;
}

}  // namespace

ExitCode run_daemon(DaemonOptions options) {
  Signals signals;
  const Systemd systemd;
  const auto events = log::make_events({options.format, options.level, 2});
  Screen* screen = options.screen;
  options.crew.passed = [&](const std::string& member, const loop::Pass& pass) {
    systemd.status(status_line(pass));
    if (screen != nullptr && screen->take(member, pass)) signals.nudge();
  };
  bool first = true;
  options.crew.read = [&, file = options.crew.file](const std::vector<model::Finding>& findings, bool followed) {
    if (!first) say_findings(*events, file, findings, followed);
    first = false;
  };
  const bool keep = options.crew.keep_members;
  auto crew = Crew::start(std::move(options.crew), *events);
  if (!crew) {
    return complain(crew.error(), crew.error().kind == base::ErrorKind::Refused ? ExitCode::Busy : ExitCode::Failed);
  }
  auto server = peer_grpc::make_local_server(
      {options.socket, options.socket_group},
      [&](const std::string& request, const peer_grpc::Sink& sink) { answer_request(**crew, request, sink); });
  if (!server) return complain(server.error(), ExitCode::Failed);
  first = false;
  systemd.ready();
  std::optional<ExitCode> code;
  while (!code) code = turn(**crew, signals, systemd, *events, screen);
  systemd.stopping();
  events->say(ports::EventLevel::Info,
              keep ? "stopping; the members keep running" : "stopping the members; their data stay where they are");
  signals.end_at_next(static_cast<int>(*code),
                      "quorate: stopped at once; members that are not stopped yet keep running\n");
  server->reset();
  crew->reset();
  return *code;
}

}  // namespace quorate::cli
