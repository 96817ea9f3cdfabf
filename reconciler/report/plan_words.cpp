// Sentences for actions, claims and quorum.
#include "reconciler/report/plan_words.h"

#include <chrono>

#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

std::string with_id(const std::string& name, base::MemberId id) {
  if (name.empty()) return base::to_string(id);
  return id.value == 0 ? name : name + " (" + base::to_string(id) + ")";
}

std::string alarm_word(model::AlarmKind kind) {
  return kind == model::AlarmKind::NoSpace ? "NOSPACE" : "CORRUPT";
}

struct SayAction {
  const model::Step& step;

  std::string operator()(const model::Promise& action) const {
    if (action.gives_way) {
      return "promise on " + action.member + ": decision " + action.decision +
             ", etcd stays stopped, its data are set apart";
    }
    return "promise on " + action.member + " to keep to decision " + action.decision;
  }
  std::string operator()(const model::Abandon& action) const {
    return "give up decision " + action.decision + " on " + action.member + ": put back what stood there";
  }
  std::string operator()(const model::Restore& action) const {
    return "restore on " + action.member + " (the seed): new cluster ID, revision above all that was seen";
  }
  std::string operator()(const model::Fetch& action) const {
    return "fetch " + (action.what.backup ? action.what.backup->name : action.what.source) + " to " + action.member +
           " and check it";
  }
  std::string operator()(const model::Backup& action) const {
    return "back up " + action.cluster +
           (action.spool.empty() ? "" : " into " + action.spool + " of the node that acts");
  }
  std::string operator()(const model::Verify& action) const { return "verify backup " + action.backup; }
  std::string operator()(const model::Prune& action) const {
    return "remove backups of " + action.cluster + " that are not kept";
  }
  std::string operator()(const model::VerifyData& action) const {
    return "compare the data of all members of " + action.cluster;
  }
  std::string operator()(const model::AddMember& action) const {
    return "add member " + action.member + " as learner, " + joined(action.peer_urls, "and");
  }
  std::string operator()(const model::Promote& action) const {
    return "promote " + action.member + " when it has caught up";
  }
  std::string operator()(const model::Remove& action) const {
    if (action.replaces)
      return "replace member " + with_id(action.member, action.id) + ": it leaves and comes back new";
    const std::string kind = step.before == step.after ? "learner" : "member";
    if (action.member.empty()) return "remove " + kind + " " + base::to_string(action.id) + ", which never started";
    return "remove " + kind + " " + with_id(action.member, action.id);
  }
  std::string operator()(const model::WriteManifest& action) const {
    if (action.boot == model::BootMode::New) return "start " + action.member + ": write its manifest (new cluster)";
    const std::string fence = action.fenced ? ", clients are kept out" : "";
    if (action.boot == model::BootMode::Join) return "start " + action.member + ": write its manifest (join)" + fence;
    if (step.reason.code == model::kFenceOpens) return "let clients in on " + action.member + ", restart";
    if (!action.version.empty()) return "upgrade " + action.member + " to " + action.version;
    return "write manifest of " + action.member + (step.before.up < step.after.up ? ", start" : ", restart") + fence;
  }
  std::string operator()(const model::RemoveManifest& action) const { return "remove the files of " + action.member; }
  std::string operator()(const model::MoveLeader& action) const {
    return "move the leader from " + action.from + " to " + action.to;
  }
  std::string operator()(const model::UpdatePeerUrls& action) const {
    return "change peer URLs of " + with_id(action.member, action.id) + " to " + joined(action.peer_urls, "and");
  }
  std::string operator()(const model::SetDataAside& action) const {
    return "set the data of " + action.member + " aside";
  }
  std::string operator()(const model::Compact& action) const { return "compact the history of " + action.cluster; }
  std::string operator()(const model::Defragment& action) const {
    return "defragment " + with_id(action.member, action.id);
  }
  std::string operator()(const model::DisarmAlarm& action) const {
    return "disarm the " + alarm_word(action.alarm.kind) + " alarm of " + action.member;
  }
};

std::string state_words(model::MemberState state) {
  switch (state) {
    case model::MemberState::Up:
      return "is up";
    case model::MemberState::Down:
      return "is down";
    case model::MemberState::Absent:
      return "is not in the member list";
    case model::MemberState::Learner:
      return "is a learner";
    case model::MemberState::Voter:
      return "is a voter";
    case model::MemberState::Started:
      return "has started";
    case model::MemberState::InSync:
      return "has caught up";
  }
  return "";
}

struct SayClaim {
  std::string operator()(const model::MemberIs& claim) const {
    return with_id(claim.name, claim.id) + " " + state_words(claim.state);
  }
  std::string operator()(const model::UrlsAre& claim) const {
    return claim.name + " at " + joined(claim.peer_urls, "and") + " " + state_words(claim.state);
  }
  std::string operator()(const model::VotersUp& claim) const {
    return count_of(static_cast<std::size_t>(claim.count), "voter") + " up";
  }
  std::string operator()(const model::AllVotersUp& /*claim*/) const { return "all voters up"; }
  std::string operator()(const model::NoLearner& /*claim*/) const { return "no learner in the member list"; }
  std::string operator()(const model::LeaderIsNot& claim) const { return claim.name + " does not lead"; }
  std::string operator()(const model::LeaderIs& claim) const { return claim.name + " leads"; }
  std::string operator()(const model::DataIs& claim) const {
    return "the data directory of " + claim.member + (claim.empty ? " is empty" : " is initialised");
  }
  std::string operator()(const model::ManifestIs& claim) const {
    if (claim.digest.empty()) return "no files of " + claim.member;
    return "the files of " + claim.member + " are " + claim.digest.substr(0, 12);
  }
  std::string operator()(const model::PeerUrlsAre& claim) const {
    return "the peer URLs of " + claim.name + " are " + joined(claim.peer_urls, "and");
  }
  std::string operator()(const model::NoAlarm& claim) const {
    return "no " + alarm_word(claim.alarm.kind) + " alarm of " + base::to_string(claim.alarm.member);
  }
  std::string operator()(const model::KeepTo& claim) const {
    return joined(claim.members, "and") + (claim.given ? " keep" : " are ready to keep") + " to decision " +
           claim.decision;
  }
  std::string operator()(const model::Soaked& claim) const {
    return base::to_string(claim.duration) + " since the last change";
  }
};

// A voter that is up stops and starts again.
bool restarts(const model::Step& step) {
  const auto* write = std::get_if<model::WriteManifest>(&step.action);
  return write != nullptr && write->boot == model::BootMode::Keep && step.before.up == step.after.up;
}

}  // namespace

std::string step_sentence(const model::Step& step) {
  return std::visit(SayAction{step}, step.action);
}

std::string claim_sentence(const model::Claim& claim) {
  return std::visit(SayClaim{}, claim);
}

std::string quorum_words(const model::Quorum& quorum) {
  std::string text = count_of(static_cast<std::size_t>(quorum.voters), "voter") + ", " + std::to_string(quorum.up) +
                     " up, needs " + std::to_string(quorum.needs());
  if (quorum.can_lose() < 0) return text + ": no writes";
  return text + ", can lose " + std::to_string(quorum.can_lose());
}

std::string quorum_sentence(const model::Step& step) {
  if (std::holds_alternative<model::AddMember>(step.action)) return "unchanged, a learner does not vote";
  if (restarts(step)) return quorum_words({step.before.voters, step.before.up - 1}) + " while it restarts";
  return step.before == step.after ? "" : quorum_words(step.after);
}

std::string place_words(const std::string& file, int line) {
  return file.empty() || line <= 0 ? "" : file + ":" + std::to_string(line);
}

std::string reason_sentence(const model::Reason& reason) {
  const std::string place = place_words(reason.file, reason.line);
  return place.empty() ? reason.text : reason.text + " (" + place + ")";
}

std::string moment_words(base::Time time) {
  std::string text = base::to_string(std::chrono::floor<std::chrono::seconds>(time));
  const std::size_t t = text.find('T');
  if (t != std::string::npos) text[t] = ' ';
  return text;
}

}  // namespace quorate::report
