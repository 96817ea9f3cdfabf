// Claims held against an observation: only what was seen counts, an Unknown shows nothing.
#include "reconciler/model/claim.h"

#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/model/step.h"

namespace quorate::model {
namespace {

const ObservedMember* with_urls(const Observed& observed, const std::vector<std::string>& peer_urls) {
  if (!observed.membership) return nullptr;
  for (const ObservedMember& member : observed.membership->members) {
    if (base::same_texts(member.listed.peer_urls, peer_urls)) return &member;
  }
  return nullptr;
}

bool is_in(const Observed& observed, const ObservedMember* member, MemberState state) {
  if (!observed.membership) return false;
  if (state == MemberState::Absent) return member == nullptr;
  if (member == nullptr) return false;
  switch (state) {
    case MemberState::Up:
      return is_up(*member);
    case MemberState::Down:
      return !is_up(*member);
    case MemberState::Learner:
      return member->listed.learner;
    case MemberState::Voter:
      return !member->listed.learner;
    case MemberState::Started:
      return !member->listed.name.empty();
    case MemberState::InSync:
      return is_in_sync(observed, *member);
    case MemberState::Absent:
      break;
  }
  return false;
}

struct Holds {
  const Observed& observed;

  bool operator()(const MemberIs& claim) const { return is_in(observed, member_of(observed, claim.id), claim.state); }
  bool operator()(const UrlsAre& claim) const {
    return is_in(observed, with_urls(observed, claim.peer_urls), claim.state);
  }
  bool operator()(const VotersUp& claim) const { return quorum_of(observed).up >= claim.count; }
  bool operator()(const AllVotersUp& /*claim*/) const {
    const Quorum quorum = quorum_of(observed);
    return quorum.voters > 0 && quorum.up == quorum.voters;
  }
  bool operator()(const NoLearner& /*claim*/) const {
    return observed.membership && std::none_of(observed.membership->members.begin(), observed.membership->members.end(),
                                               [](const ObservedMember& each) { return each.listed.learner; });
  }
  bool operator()(const LeaderIsNot& claim) const {
    const base::MemberId leader = leader_of(observed);
    return leader.value != 0 && leader != claim.id;
  }
  bool operator()(const LeaderIs& claim) const {
    const base::MemberId leader = leader_of(observed);
    if (claim.id.value != 0) return leader == claim.id;
    const ObservedMember* member = member_of(observed, leader);
    return member != nullptr && member->listed.name == claim.name;
  }
  bool operator()(const DataIs& claim) const {
    const NodeFacts* node = node_of(observed, claim.member);
    if (node == nullptr || !node->data) return false;
    return holds_nothing(*node->data) == claim.empty;
  }
  bool operator()(const ManifestIs& claim) const {
    const NodeFacts* node = node_of(observed, claim.member);
    return node != nullptr && node->manifest && node->manifest->digest == claim.digest;
  }
  bool operator()(const PeerUrlsAre& claim) const {
    const ObservedMember* member = member_of(observed, claim.id);
    return member != nullptr && base::same_texts(member->listed.peer_urls, claim.peer_urls);
  }
  bool operator()(const NoAlarm& claim) const {
    return observed.alarms &&
           std::find(observed.alarms->begin(), observed.alarms->end(), claim.alarm) == observed.alarms->end();
  }
  bool operator()(const KeepTo& claim) const {
    return std::all_of(claim.members.begin(), claim.members.end(), [&](const std::string& member) {
      const NodeFacts* node = node_of(observed, member);
      if (node == nullptr || !node->standing) return false;
      // What something else has started in between has its files open, whatever its directory is called now.
      if (claim.given && (!node->process || node->process->running)) return false;
      const auto& pledge = node->standing->pledge;
      // One that was begun and cut short counts as ready: it is made again.
      if (pledge && pledge->decision.id == claim.decision) return pledge->given || !claim.given;
      return !claim.given && node->standing->ready == claim.decision;
    });
  }
  bool operator()(const Soaked& claim) const {
    return observed.last_change && observed.at - *observed.last_change >= claim.duration;
  }
};

}  // namespace

std::string_view name_of(MemberState state) {
  switch (state) {
    case MemberState::Up:
      return "up";
    case MemberState::Down:
      return "down";
    case MemberState::Absent:
      return "absent";
    case MemberState::Learner:
      return "learner";
    case MemberState::Voter:
      return "voter";
    case MemberState::Started:
      return "started";
    case MemberState::InSync:
      return "in sync";
  }
  return "";
}

bool is_in_sync(const Observed& observed, const ObservedMember& learner) {
  const ObservedMember* leader = member_of(observed, leader_of(observed));
  if (leader == nullptr || !leader->status || !learner.status) return false;
  const std::uint64_t target = leader->status->raft_index;
  const std::uint64_t applied = learner.status->raft_applied;
  const std::uint64_t lag = applied >= target ? 0 : target - applied;
  if (lag <= kAsGoodAsNone) return true;
  return lag <= kPromotionLag && learner.led_at && applied >= *learner.led_at;
}

bool holds(const Claim& claim, const Observed& observed) {
  return std::visit(Holds{observed}, claim);
}

}  // namespace quorate::model
