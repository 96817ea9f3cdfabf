// The risk table: no scores, only what a reader can check.
#include "reconciler/plan/risk.h"

namespace quorate::plan {
namespace {

using model::Risk;

struct Assessor {
  model::Step& step;

  void set(Risk risk, std::string why) const {
    step.risk = risk;
    step.risk_why.push_back(std::move(why));
  }

  // How the number of survivable failures moves.
  void by_quorum() const {
    const int before = step.before.can_lose();
    const int after = step.after.can_lose();
    if (after < 0) return set(Risk::Critical, "writes stop");
    if (after == 0 && before >= 1)
      return set(Risk::High, "survivable failures fall from " + std::to_string(before) + " to 0");
    if (after == 0 && before == 0) {
      return set(Risk::Medium, "survivable failures stay at 0");
    }
    if (after < before)
      return set(Risk::Medium,
                 "survivable failures fall from " + std::to_string(before) + " to " + std::to_string(after));
    step.risk = Risk::Low;
  }

  void operator()(const model::Promise& action) const {
    const bool stops_writes = step.before.can_lose() >= 0 && step.after.can_lose() < 0;
    if (action.gives_way && stops_writes) set(Risk::Critical, "writes stop");
    if (action.gives_way) step.undo = "rename the directory back, as all do when the decision is given up";
  }
  void operator()(const model::Abandon& /*action*/) const { step.risk = Risk::Low; }
  void operator()(const model::Restore& /*action*/) const {
    set(Risk::Critical, "the cluster gets a new identity, and goes on from these data");
    step.undo = "no; what was there is kept beside it";
  }
  void operator()(const model::Fetch& /*action*/) const {}
  void operator()(const model::Backup& /*action*/) const {}
  void operator()(const model::Verify& /*action*/) const {}
  void operator()(const model::Prune& /*action*/) const {}
  void operator()(const model::VerifyData& /*action*/) const {}
  void operator()(const model::AddMember& action) const {
    step.risk = Risk::Low;
    step.undo = "remove the learner " + action.member + "; it does not vote";
  }
  void operator()(const model::Promote& action) const {
    by_quorum();
    step.undo = "no; " + action.member + " would have to be removed";
  }
  void operator()(const model::Remove& action) const {
    by_quorum();
    if (step.before == step.after) {  // a learner
      step.risk = Risk::Low;
      return;
    }
    const std::string name = action.member.empty() ? "it" : action.member;
    const bool for_good = step.step_class == model::StepClass::Destructive;
    step.undo = "no; " + name + (for_good ? " could come back only" : " comes back") + " with a new member ID";
  }
  void operator()(const model::WriteManifest& action) const {
    if (action.boot != model::BootMode::Keep) {
      step.risk = Risk::Low;
      return;
    }
    step.undo = "write the files that were there before";
    if (step.reason.code == model::kFenceOpens) return set(Risk::Low, "clients are only coming back");
    if (step.before.up < step.after.up) {  // it was down
      step.risk = Risk::Low;
    } else if (step.before.up - 1 < step.before.needs()) {
      set(Risk::Critical, "writes stop while " + action.member + " restarts");
    } else if (!action.version.empty()) {
      set(Risk::High, "the version of " + action.member + " changes");
    } else {
      set(Risk::Medium, action.member + " restarts");
    }
  }
  void operator()(const model::RemoveManifest& /*action*/) const { step.risk = Risk::Low; }
  void operator()(const model::MoveLeader& action) const {
    step.risk = Risk::Low;
    step.undo = "move it back to " + action.from;
  }
  void operator()(const model::UpdatePeerUrls& /*action*/) const {
    step.risk = Risk::Low;
    step.undo = "set the peer URLs it had before";
  }
  void operator()(const model::SetDataAside& /*action*/) const {
    step.risk = Risk::Low;
    step.undo = "rename the directory back; nothing in it is changed";
  }
  void operator()(const model::Compact& /*action*/) const {
    set(Risk::Low, "watchers that are far behind start over");
    step.undo = "no; older revisions are gone";
  }
  void operator()(const model::Defragment& action) const {
    set(Risk::Medium, action.member + " stands still meanwhile");
  }
  void operator()(const model::DisarmAlarm& /*action*/) const { step.risk = Risk::Low; }
};

}  // namespace

void assess(model::Step& step) {
  std::visit(Assessor{step}, step.action);
}

}  // namespace quorate::plan
