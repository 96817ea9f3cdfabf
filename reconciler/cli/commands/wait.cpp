// quorate wait: until the agents say that it is so, or the time is up.
#include <string>

#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/daemon.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/who.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kUsualSpan = std::chrono::minutes{10};

bool is_so(const std::string& what, const SeenPass& pass) {
  if (what == "approved") return pass.exit_code != static_cast<int>(ExitCode::NeedsApproval);
  if (what == "healthy") {
    return pass.exit_code != static_cast<int>(ExitCode::Unknown) && pass.status != "NeedsObservation" &&
           pass.steps.empty();
  }
  return pass.status == "Converged" && pass.waits.empty() && !pass.did;
}

}  // namespace

ExitCode run_wait(const Arguments& arguments) {
  const auto socket = agent_socket(arguments);
  if (!socket) return complain(no_agent(), ExitCode::Unknown);
  const base::Duration within =
      arguments.timeout.empty() ? kUsualSpan : base::parse_duration(arguments.timeout).value_or(kUsualSpan);
  bool done = false;
  std::string last;
  std::string told;
  const auto followed = follow_passes(*socket, within, [&](const SeenPass& pass) {
    last = pass.waits.empty() ? pass.status : pass.waits;
    done = is_so(arguments.until, pass);
    if (!done && last != told) {
      told = last;
      talk("quorate: " + report::printable(last));
    }
    return !done;
  });
  if (done) return ExitCode::Ok;
  if (!followed && followed.error().kind != base::ErrorKind::Ambiguous) {
    return complain(followed.error(), ExitCode::Unknown);
  }
  talk("quorate: not " + arguments.until + " after " + base::to_string(within) +
       (last.empty() ? "" : ": " + report::printable(last)));
  return ExitCode::Failed;
}

}  // namespace quorate::cli
