// Nothing is so only because nobody could look, or because there is nothing left that could be done.
#include "reconciler/cli/waited_for.h"

#include "reconciler/model/exit_code.h"
#include "reconciler/report/plan_words.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

std::string left_of(const SeenPass& pass) {
  if (!pass.waits.empty()) return pass.waits;
  if (!pass.held.empty()) return pass.held.front().text;
  if (pass.status == "NeedsHuman" && !pass.notice.empty()) return pass.notice;
  return pass.plan.empty() || pass.did ? "something has just changed" : pass.status;
}

// Of etcd alone: a difference from the file takes nobody's health away.
std::string why_not_healthy(const SeenPass& pass) {
  if (!pass.quorum) return "no member list is known";
  const bool all_up = pass.quorum->voters > 0 && pass.quorum->up == pass.quorum->voters;
  if (all_up && pass.health != "NoQuorum" && pass.health != "Unknown") return "";
  return pass.health + ", " + report::quorum_words(*pass.quorum);
}

// Only a plan that is known to its end has no step that somebody still has to agree to.
std::string why_not_approved(const SeenPass& pass) {
  const auto code = static_cast<ExitCode>(pass.exit_code);
  const bool known = !pass.plan.empty() && (code == ExitCode::Ok || code == ExitCode::Different) &&
                     (pass.status == "Converged" || pass.status == "Actionable");
  return known ? "" : left_of(pass);
}

}  // namespace

std::string why_not(const WaitedFor& wanted, const SeenPass& pass) {
  if (wanted.state == "healthy") return why_not_healthy(pass);
  if (!wanted.desired_digest.empty() && pass.desired_digest != wanted.desired_digest) {
    return "the agent follows another desired file";
  }
  if (wanted.state == "approved") return why_not_approved(pass);
  const bool synced = !pass.plan.empty() && pass.status == "Converged" && pass.waits.empty() && !pass.did;
  return synced ? "" : left_of(pass);
}

}  // namespace quorate::cli
