// quorate pause and resume: stop changes for a while, and go on.
#include <algorithm>
#include <string>

#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/daemon.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/who.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kUsualSpan = std::chrono::hours{4};
constexpr base::Duration kLongestSpan = std::chrono::hours{24 * 7};

}  // namespace

ExitCode run_pause(const Arguments& arguments) {
  const base::Duration span =
      arguments.span.empty() ? kUsualSpan : base::parse_duration(arguments.span).value_or(kUsualSpan);
  if (span > kLongestSpan || span.count() <= 0) {
    return complain({base::ErrorKind::Invalid, "--for " + arguments.span + ": a pause lasts at most 7 days",
                     "a longer one stands in the file: paused"},
                    ExitCode::Usage);
  }
  const auto socket = agent_socket(arguments);
  if (!socket) return complain(no_agent(), ExitCode::Unknown);
  const std::string who = who_asks(arguments);
  const base::Time until{std::chrono::floor<std::chrono::seconds>(now() + span)};
  const model::Paused paused{arguments.reason + " (" + who + ")", until, arguments.members};
  const auto kept = tell_paused(*socket, paused);
  if (!kept) return complain(kept.error(), ExitCode::Failed);
  std::string text = "Paused until " + base::to_string(until) + " by " + report::printable(who) + ": " +
                     report::printable(arguments.reason) + ".\n";
  text += "  kept in         " + *kept + "\n";
  text += "  stopped         changes, healing, and the starting of members after their agent" +
          (arguments.members.empty() ? std::string()
                                     : " of " + report::printable(report::joined(arguments.members, "and"))) +
          "\n";
  text += "  still running   watching, drift detection, and the members; one that crashes is started again\n";
  text += "It ends by itself. End it now: quorate resume\n";
  return print(text, ExitCode::Ok);
}

ExitCode run_resume(const Arguments& arguments) {
  const auto socket = agent_socket(arguments);
  if (!socket) return complain(no_agent(), ExitCode::Unknown);
  const auto kept = tell_paused(*socket, std::nullopt);
  if (!kept) return complain(kept.error(), ExitCode::Failed);
  return print("Changes go on. A pause that stands in the file is not touched.\n", ExitCode::Ok);
}

}  // namespace quorate::cli
