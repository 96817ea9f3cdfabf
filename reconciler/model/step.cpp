// Names, identities and symbols of steps.
#include "reconciler/model/step.h"

#include <array>

#include "reconciler/base/words.h"
#include "reconciler/model/quorum.h"

namespace quorate::model {
namespace {

// What tells two actions of one name on one object apart.
struct KeyOf {
  std::string operator()(const Promise& action) const { return action.decision; }
  std::string operator()(const Backup& action) const { return action.spool; }
  std::string operator()(const Verify& action) const { return action.backup; }
  std::string operator()(const Prune& /*action*/) const { return {}; }
  std::string operator()(const VerifyData& /*action*/) const { return {}; }
  std::string operator()(const AddMember& action) const { return base::joined(action.peer_urls, ","); }
  std::string operator()(const Promote& action) const {
    return action.id.value == 0 ? base::joined(action.peer_urls, ",") : base::to_string(action.id);
  }
  std::string operator()(const Remove& action) const { return base::to_string(action.id); }
  std::string operator()(const WriteManifest& action) const {
    return action.digest.substr(0, 12) + (action.fenced ? "-fenced" : "");
  }
  std::string operator()(const RemoveManifest& /*action*/) const { return {}; }
  std::string operator()(const MoveLeader& action) const {
    return action.to_id.value == 0 ? std::string() : base::to_string(action.to_id);
  }
  std::string operator()(const UpdatePeerUrls& action) const { return base::to_string(action.id); }
  std::string operator()(const SetDataAside& /*action*/) const { return {}; }
  std::string operator()(const Compact& /*action*/) const { return {}; }
  std::string operator()(const Defragment& action) const { return base::to_string(action.id); }
  std::string operator()(const DisarmAlarm& action) const { return base::to_string(action.alarm.member); }
  std::string operator()(const Abandon& action) const { return action.decision; }
  std::string operator()(const Restore& action) const { return action.decision; }
  std::string operator()(const Fetch& action) const { return action.decision; }
};

struct ObjectOf {
  std::string operator()(const Backup& action) const { return action.cluster; }
  std::string operator()(const Compact& action) const { return action.cluster; }
  std::string operator()(const Verify& action) const { return action.cluster; }
  std::string operator()(const Prune& action) const { return action.cluster; }
  std::string operator()(const VerifyData& action) const { return action.cluster; }
  std::string operator()(const MoveLeader& action) const { return action.to; }
  template <class OfMember>
  std::string operator()(const OfMember& action) const {
    return action.member;
  }
};

}  // namespace

std::string_view name_of(const Action& action) {
  static constexpr std::array<std::string_view, std::variant_size_v<Action>> kNames = {
      "promise",     "backup",           "add-member",     "promote", "remove",     "write-manifest", "remove-manifest",
      "move-leader", "update-peer-urls", "set-data-aside", "compact", "defragment", "disarm-alarm",   "abandon",
      "restore",     "verify",           "prune",          "fetch",   "verify-data"};
  return kNames[action.index()];
}

std::string object_of(const Action& action) {
  return std::visit(ObjectOf{}, action);
}

std::string step_id(const Action& action) {
  const std::string key = std::visit(KeyOf{}, action);
  return std::string(name_of(action)) + "/" + object_of(action) + (key.empty() ? "" : "@" + key);
}

std::string_view name_of(Risk risk) {
  switch (risk) {
    case Risk::None:
      return "none";
    case Risk::Low:
      return "low";
    case Risk::Medium:
      return "medium";
    case Risk::High:
      return "high";
    case Risk::Critical:
      return "critical";
  }
  return "";
}

std::string why_of(const Reason& reason) {
  return reason.code + ": " + reason.text;
}

std::string_view symbol_of(const Step& step) {
  if (std::holds_alternative<AddMember>(step.action)) return "+";
  if (const auto* remove = std::get_if<Remove>(&step.action)) return remove->replaces ? "-/+" : "-";
  if (std::holds_alternative<UpdatePeerUrls>(step.action)) return "~";
  if (const auto* write = std::get_if<WriteManifest>(&step.action)) {
    if (write->boot == BootMode::New) return "+";
    return write->boot == BootMode::Keep ? "~" : ">";
  }
  return ">";
}

int Quorum::needs() const {
  return quorum(voters);
}

int Quorum::can_lose() const {
  return up - quorum(voters);
}

Quorum quorum_of(const Observed& observed) {
  Quorum result;
  if (!observed.membership) return result;
  for (const ObservedMember& member : observed.membership->members) {
    if (member.listed.learner) continue;
    ++result.voters;
    if (is_up(member)) ++result.up;
  }
  return result;
}

}  // namespace quorate::model
