// quorate pause and resume: stop changes for a while, and go on.
#include <algorithm>
#include <set>
#include <string>

#include "reconciler/base/words.h"
#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/who.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kUsualSpan = std::chrono::hours{4};
constexpr base::Duration kLongestSpan = std::chrono::hours{24 * 7};
constexpr base::Duration kHeard{10000};

// What the agents that were told have seen since: who has made a pass, and until when changes are stopped.
struct Heard {
  std::set<std::string> members;
  std::string paused;
};

Heard wait_until_heard(const std::string& socket, const KeptWhere& kept) {
  Heard heard;
  (void)follow_passes(socket, kHeard, [&](const SeenPass& pass) {
    if (pass.began < kept.at) return true;
    heard.members.insert(pass.member);
    heard.paused = pass.paused;
    return !std::all_of(kept.members.begin(), kept.members.end(),
                        [&](const std::string& member) { return heard.members.count(member) != 0; });
  });
  return heard;
}

std::string names_of(const std::set<std::string>& members) {
  return report::printable(base::joined({members.begin(), members.end()}, " "));
}

std::string acknowledged_words(const KeptWhere& kept, const Heard& heard) {
  std::set<std::string> silent;
  for (const std::string& member : kept.members) {
    if (heard.members.count(member) == 0) silent.insert(member);
  }
  std::string text;
  if (!heard.members.empty()) text += "  acknowledged    " + names_of(heard.members) + "\n";
  if (!silent.empty()) text += "  not yet         " + names_of(silent) + ": a step may be under way there\n";
  text += kept.where == "etcd"
              ? "  all others      read it in etcd before they begin another step\n"
              : "  all others      do not know of it: without a quorum it is kept on this node alone\n";
  return text;
}

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
  const Heard heard = wait_until_heard(*socket, *kept);
  std::string text = "Paused until " + base::to_string(until) + " by " + report::printable(who) + ": " +
                     report::printable(arguments.reason) + ".\n";
  text += "  kept in         " + kept->where + "\n" + acknowledged_words(*kept, heard);
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
  const Heard heard = wait_until_heard(*socket, *kept);
  if (heard.members.empty()) {
    return complain(
        {base::ErrorKind::Transient, "the pause is ended in " + kept->where + ", and no agent here has looked since",
         "quorate status says whether changes go on"},
        ExitCode::Unknown);
  }
  if (heard.paused.empty()) return print("Changes go on.\n", ExitCode::Ok);
  const bool in_etcd = kept->where == "etcd";
  return complain({base::ErrorKind::Refused, "changes are still " + heard.paused,
                   in_etcd ? "this pause stands in the file: take paused out of it"
                           : "without a quorum what etcd keeps cannot be ended, and a pause in the file stays, too"},
                  ExitCode::Busy);
}

}  // namespace quorate::cli
