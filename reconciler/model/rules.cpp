// Quorum arithmetic and etcd's own refusals, per action.
#include "reconciler/model/rules.h"

#include <algorithm>

#include "reconciler/base/version.h"
#include "reconciler/base/words.h"
#include "reconciler/model/etcd_release.h"
#include "reconciler/model/fence.h"
#include "reconciler/model/quorum.h"
#include "reconciler/model/step.h"

namespace quorate::model {
namespace {

std::string arithmetic(const Quorum& quorum) {
  return std::to_string(quorum.voters) + (quorum.voters == 1 ? " voter, " : " voters, ") + std::to_string(quorum.up) +
         " up, needs " + std::to_string(quorum.needs());
}

// The version that decides what etcd accepts is the leader's. Nobody known: take the stricter answer.
bool leader_has(const Observed& observed, bool (*quirk)(const base::Version&)) {
  const ObservedMember* leader = member_of(observed, leader_of(observed));
  if (leader == nullptr || !leader->status) return true;
  const auto version = base::parse_version(leader->status->version);
  return !version || quirk(*version);
}

class Judge {
 public:
  explicit Judge(const Observed& observed) : observed_(observed), quorum_(quorum_of(observed)) {}

  std::optional<BrokenRule> operator()(const Remove& action) const {
    const ObservedMember* victim = member_of(observed_, action.id);
    if (victim == nullptr || victim->listed.learner) return std::nullopt;
    if (quorum_.voters == 1) return BrokenRule{"Q4", "1 voter"};
    const bool up = is_up(*victim);
    const Quorum after{quorum_.voters - 1, quorum_.up - (up ? 1 : 0)};
    if (after.up < after.needs()) {
      return BrokenRule{"Q1", arithmetic(after) + ": no writes, and no way to add a member back"};
    }
    if (up && after.up < after.voters && after.up - 1 < after.needs()) {
      return BrokenRule{"Q2", arithmetic(after) + ", and one of them is down"};
    }
    if (leader_of(observed_) == action.id) return BrokenRule{"Q5", action.member + " leads"};
    return std::nullopt;
  }

  std::optional<BrokenRule> operator()(const WriteManifest& action) const {
    if (action.boot != BootMode::Keep) return on_top_of_data(action.member);
    const ObservedMember* member = named(action.member);
    if (member == nullptr || member->listed.learner) return std::nullopt;
    if (auto broken = on_data_of_its_own(*member)) return broken;
    // Nobody is let in yet whom a pause could hurt.
    if (is_fenced(node_of(observed_, action.member)) && !action.fenced) return std::nullopt;
    if (!action.version.empty()) {
      if (auto broken = of_upgrade(*member, action.version)) return broken;
    }
    const bool leads = quorum_.voters > 1 && leader_of(observed_) == member->listed.id;
    if (!is_up(*member)) {
      // The others follow it, so it runs, whoever cannot reach it.
      return leads ? std::optional(BrokenRule{"Q5", action.member + " leads"}) : std::nullopt;
    }
    const int up = quorum_.up - 1;
    const bool small = quorum_.voters <= 2 && quorum_.up == quorum_.voters;  // cannot restart without a gap
    if (up < quorum(quorum_.voters) && !small) {
      return BrokenRule{"Q3", arithmetic({quorum_.voters, up}) + " while it restarts"};
    }
    if (leads) return BrokenRule{"Q5", action.member + " leads"};
    return std::nullopt;
  }

  std::optional<BrokenRule> operator()(const Defragment& action) const {
    // A full etcd takes no writes, thus no lock, without which who is down cannot be replaced: room comes first.
    if (quorum_.up < quorum_.voters && !is_full(observed_)) return BrokenRule{"Q8", arithmetic(quorum_)};
    if (learners() > 0 && leader_has(observed_, defragment_beside_snapshot_corrupts)) {
      return BrokenRule{"Q11", action.member + " may be sent a snapshot, or send one to the learner"};
    }
    return std::nullopt;
  }

  std::optional<BrokenRule> operator()(const AddMember& action) const {
    if (auto broken = on_top_of_data(action.member)) return broken;
    if (auto broken = of_joining(action.version)) return broken;
    if (learners() > 0) return BrokenRule{"Q6", std::to_string(learners()) + " learner is in the list"};
    if (leader_has(observed_, add_needs_all_voters)) {
      if (quorum_.up < quorum_.voters) return BrokenRule{"Q7", arithmetic(quorum_)};
    } else if (quorum_.up < quorum_.needs()) {
      return BrokenRule{"Q7", arithmetic(quorum_)};
    }
    return std::nullopt;
  }

  std::optional<BrokenRule> operator()(const Promote& action) const {
    if (quorum_.up < quorum_.voters) return BrokenRule{"Q8", arithmetic(quorum_)};
    const ObservedMember* member = member_of(observed_, action.id);
    if (member != nullptr && !is_in_sync(observed_, *member)) return BrokenRule{"Q9", lag_of(*member)};
    return std::nullopt;
  }

  std::optional<BrokenRule> operator()(const UpdatePeerUrls& action) const {
    const ObservedMember* member = member_of(observed_, action.id);
    if (member != nullptr && member->listed.learner && leader_has(observed_, member_update_makes_learner_a_voter)) {
      return BrokenRule{"Q10", action.member + " is a learner"};
    }
    if (observed_.announced) {
      for (const Updating& before : observed_.announced->updating) {
        if (before.member != action.id || !before.in_flight || base::same_texts(before.peer_urls, action.peer_urls)) {
          continue;
        }
        return BrokenRule{"Q12", base::joined(before.peer_urls, ",") + " was asked for a moment ago"};
      }
    }
    // A member that moved to another address is down until the others know it.
    const int itself = member != nullptr && !member->listed.learner && !is_up(*member) ? 1 : 0;
    if (quorum_.up + itself < quorum_.voters) return BrokenRule{"Q8", arithmetic(quorum_)};
    return std::nullopt;
  }

  template <class Harmless>
  std::optional<BrokenRule> operator()(const Harmless& /*action*/) const {
    return std::nullopt;
  }

 private:
  const ObservedMember* named(const std::string& name) const {
    if (!observed_.membership) return nullptr;
    const auto& members = observed_.membership->members;
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const ObservedMember& each) { return each.listed.name == name; });
    return found == members.end() ? nullptr : &*found;
  }

  // A member of the next minor may join an older cluster; one that is older, or two minors ahead, stops at its start.
  std::optional<BrokenRule> of_joining(const std::string& wanted) const {
    const auto target = base::parse_version(wanted);
    if (!target) return std::nullopt;
    if (const auto* bad = known_bad(*target); target->patch && bad != nullptr && bad->loses_data)
      return bad_release(*bad, wanted);
    for (const ObservedMember& each : observed_.membership->members) {
      const auto version = each.status ? base::parse_version(each.status->version) : std::nullopt;
      if (!version) continue;
      if (!may_follow(version->minor, target->minor)) {
        return BrokenRule{"U2", each.listed.name + " runs " + each.status->version + ", wanted " + wanted};
      }
      if (version->minor != target->minor && !may_leave_minor(*version)) {
        return BrokenRule{"U4", each.listed.name + " runs " + each.status->version};
      }
    }
    return std::nullopt;
  }

  // A new member starts on nothing; what nobody looked at is looked at before the step.
  std::optional<BrokenRule> on_top_of_data(const std::string& name) const {
    const NodeFacts* node = node_of(observed_, name);
    if (node == nullptr || !node->data) return std::nullopt;
    const DataDir& data = *node->data;
    if (holds_nothing(data)) return std::nullopt;
    return BrokenRule{"F3", data.path + (data.problem.empty() ? " holds data" : ": " + data.problem)};
  }

  // A member that is started again needs its own data. etcd refuses an empty directory; others it would take.
  std::optional<BrokenRule> on_data_of_its_own(const ObservedMember& member) const {
    const NodeFacts* node = node_of(observed_, member.listed.name);
    if (node == nullptr || !node->data || member.listed.planned) return std::nullopt;
    const DataDir& data = *node->data;
    if (holds_nothing(data)) {
      return BrokenRule{"F4", data.path + " is empty"};
    }
    if (data.state == DataState::Valid && data.cluster == observed_.membership->cluster &&
        data.member == member.listed.id) {
      return std::nullopt;
    }
    return BrokenRule{"F4",
                      data.path + (data.problem.empty() ? " holds the data of another member" : ": " + data.problem)};
  }

  static BrokenRule bad_release(const KnownBad& bad, const std::string& wanted) {
    return {"U3", "etcd " + wanted + ": " + std::string(bad.reason) + "; good from " + std::string(bad.fixed_in)};
  }

  std::optional<BrokenRule> of_upgrade(const ObservedMember& member, const std::string& wanted) const {
    const auto target = base::parse_version(wanted);
    if (!target) return std::nullopt;
    if (const auto* bad = known_bad(*target); target->patch && bad != nullptr && bad->loses_data)
      return bad_release(*bad, wanted);
    if (quorum_.up < quorum_.voters) return BrokenRule{"U1", arithmetic(quorum_)};
    const auto runs = member.status ? base::parse_version(member.status->version) : std::nullopt;
    if (!runs) return BrokenRule{"U1", "the version of " + member.listed.name + " is not known"};
    if (!may_follow(runs->minor, target->minor)) return BrokenRule{"U2", member.status->version + " to " + wanted};
    if (runs->minor != target->minor && !may_leave_minor(*runs)) {
      return BrokenRule{"U4", member.listed.name + " runs " + member.status->version};
    }
    // Members of two minors besides the one that is wanted: an earlier upgrade has not ended.
    for (const ObservedMember& each : observed_.membership->members) {
      const auto version = each.status ? base::parse_version(each.status->version) : std::nullopt;
      if (!version) return BrokenRule{"U1", "the version of " + each.listed.name + " is not known"};
      if (version->minor != runs->minor && version->minor != target->minor) {
        return BrokenRule{"U1", each.listed.name + " runs " + each.status->version};
      }
    }
    return std::nullopt;
  }

  std::ptrdiff_t learners() const {
    if (!observed_.membership) return 0;
    const auto& members = observed_.membership->members;
    return std::count_if(members.begin(), members.end(),
                         [](const ObservedMember& each) { return each.listed.learner; });
  }

  std::string lag_of(const ObservedMember& learner) const {
    if (!learner.status) return "it does not answer: " + learner.status.why();
    const ObservedMember* leader = member_of(observed_, leader_of(observed_));
    if (leader == nullptr || !leader->status) return "nobody leads";
    const std::uint64_t lag = leader->status->raft_index - learner.status->raft_applied;
    const std::string behind = std::to_string(lag) + " entries behind, ";
    if (lag > kPromotionLag) return behind + "at most " + std::to_string(kPromotionLag);
    return behind + "and it has not been seen to come closer";
  }

  const Observed& observed_;
  Quorum quorum_;
};

}  // namespace

std::int64_t quota_of(const Desired& desired) {
  constexpr std::int64_t kOfEtcd = 2LL * 1024 * 1024 * 1024;
  return desired.etcd.quota ? static_cast<std::int64_t>(desired.etcd.quota->bytes) : kOfEtcd;
}

std::int64_t quota_of(const Desired& desired, const NodeFacts* node) {
  return node != nullptr && node->manifest && node->manifest->quota > 0 ? node->manifest->quota : quota_of(desired);
}

bool is_full(const Observed& observed) {
  return observed.alarms && std::any_of(observed.alarms->begin(), observed.alarms->end(),
                                        [](const Alarm& alarm) { return alarm.kind == AlarmKind::NoSpace; });
}

std::optional<BrokenRule> broken_rule(const Observed& observed, const Action& action) {
  return std::visit(Judge{observed}, action);
}

bool passes_by_itself(const BrokenRule& broken) {
  return broken.id == "Q9" || broken.id == "Q12";
}

const std::vector<RuleInfo>& all_rules() {
  static const std::vector<RuleInfo> rules{
      {"Q1", "never remove a voter when fewer voters than the new quorum would be up"},
      {"Q2", "never remove a voter that is up while another is down and the rest could not lose one more"},
      {"Q3", "never restart a voter when the others would be fewer than the quorum"},
      {"Q4", "never remove the last voter"},
      {"Q5", "never remove or restart the leader while another voter could lead"},
      {"Q6", "never more than one learner at a time"},
      {"Q7",
       "etcd refuses to add a member while a voter is unreachable (from 3.5.30 and 3.6.11 on: while too few are)"},
      {"Q8", "change a voter, or make one, only while all voters are up"},
      {"Q9", "promote a learner only when it answers and has caught up"},
      {"Q10", "etcd before 3.5.31 and 3.6.12 makes a learner a voter when its peer URLs change"},
      {"Q11", "defragmenting beside a learner that is sent a snapshot corrupts data on this release of etcd"},
      {"Q12", "peer URLs change only when an earlier change of them has come, or can no longer come"},
      {"U1", "a version changes only while all members are up and at most the two minors of the change run"},
      {"U2", "a minor version goes up one at a time and never down in place"},
      {"U3", "a release that is known to lose data is not deployed"},
      {"U4", "etcd 3.6 starts only on members that run 3.5.32 or later: before it, removed members come back"},
      {"F1", "nothing is decided on an observation older than --max-age"},
      {"F2", "a member is dead only after reconcile.deadAfter of silence that somebody has watched"},
      {"F3", "data that nobody has shown to be ours are never touched"},
      {"F4", "a member is started on its own data only: a data directory does not move with a restart"},
      {"A1", "the cluster that answers must be the one that adopt.clusterId names"},
      {"A2", "adopt.stage says how far changes may go: observe, join, retire, done"},
      {"A3", "a cluster is adopted only while all its members answer and no learner is among them"},
      {"P1", "one plan removes at most protect.maxRemovals voters that the file gives up"},
      {"P2", "removals that the file asks for leave at least protect.minVoters voters"},
      {"P3", "classes in protect.approve wait for an approval"},
      {"P4", "nothing is changed while paused"},
      {"P5", "reconcile.selfHeal off: healing waits for a person"},
      {"P6", "at most reconcile.maxHealsPerDay replacements in 24 hours"},
      {"P7", "reconcile.apply: manual: what is no healing waits for quorate apply"},
      {"P8", "what brings a lost cluster back waits for a person, unless recovery says otherwise"},
  };
  return rules;
}

std::string_view rule_text(std::string_view id) {
  const auto& rules = all_rules();
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const RuleInfo& rule) { return rule.id == id; });
  return found == rules.end() ? std::string_view{} : found->text;
}

}  // namespace quorate::model
