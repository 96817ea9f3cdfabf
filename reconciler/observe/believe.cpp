// Whom to believe: one endpoint's view of the members is a rumour until a quorum of the voters it names has answered
// with the same cluster ID.
#include <algorithm>
#include <optional>

#include "reconciler/base/words.h"
#include "reconciler/model/etcd_release.h"
#include "reconciler/model/quorum.h"
#include "reconciler/observe/answers.h"

namespace quorate::observe {
namespace {

using model::Fact;

bool same_members(const std::vector<model::ListedMember>& a, const std::vector<model::ListedMember>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& left, const auto& right) {
    return left.id == right.id && left.learner == right.learner && left.name == right.name &&
           base::same_texts(left.peer_urls, right.peer_urls);
  });
}

// The answers of one member of one cluster; several addresses may lead to it.
const Answers* of_member(const std::vector<Answers>& answers, base::ClusterId cluster, base::MemberId member) {
  const Answers* best = nullptr;
  for (const Answers& each : answers) {
    if (!each.status || each.status->from.cluster != cluster || each.status->from.member != member) continue;
    if (best == nullptr || (!best->read && each.read)) best = &each;
  }
  return best;
}

struct Count {
  int voters = 0;
  int answered = 0;
  int agree = 0;  // whose own list is this one
};

Count count(const std::vector<Answers>& answers, const ports::MemberList& list) {
  Count count;
  for (const model::ListedMember& member : list.members) {
    if (member.learner) continue;
    ++count.voters;
    const Answers* said = of_member(answers, list.from.cluster, member.id);
    if (said == nullptr) continue;
    ++count.answered;
    if (said->own_list && same_members(said->own_list->members, list.members)) ++count.agree;
  }
  return count;
}

// etcd 3.4 answers "linearizably" from its own memory, so that its word counts only if a quorum says the same.
bool can_be_taken_at_its_word(const Answers& answers) {
  const auto version = answers.status ? base::parse_version(answers.status->status.version) : std::nullopt;
  return answers.agreed_list && version && model::can_list_linearizably(*version);
}

struct Candidate {
  const ports::MemberList* list = nullptr;
  bool linearizable = false;
  Count votes;
  std::uint64_t applied = 0;  // up to which entry, where it is what one member has applied
};

std::vector<Candidate> candidates_of(const std::vector<Answers>& answers) {
  std::vector<Candidate> candidates;
  for (const Answers& each : answers) {
    if (can_be_taken_at_its_word(each))
      candidates.push_back({&*each.agreed_list, true, count(answers, *each.agreed_list)});
  }
  const bool somebody_reads =
      std::any_of(answers.begin(), answers.end(), [](const Answers& each) { return each.read.has_value(); });
  for (const Answers& each : answers) {
    if (!each.own_list) continue;
    const std::uint64_t applied = each.status ? each.status->status.raft_applied : 0;
    Candidate candidate{&*each.own_list, false, count(answers, *each.own_list), applied};
    candidate.linearizable = somebody_reads && candidate.votes.agree >= model::quorum(candidate.votes.voters);
    candidates.push_back(candidate);
  }
  return candidates;
}

bool has_quorum(const Candidate& candidate) {
  return candidate.votes.answered >= model::quorum(candidate.votes.voters);
}

bool is_better(const Candidate& a, const Candidate& b) {
  if (has_quorum(a) != has_quorum(b)) return has_quorum(a);
  if (a.linearizable != b.linearizable) return a.linearizable;
  if (!a.linearizable && a.applied != b.applied) return a.applied > b.applied;
  if (a.list->from.term != b.list->from.term) return a.list->from.term > b.list->from.term;
  return a.votes.agree > b.votes.agree;
}

// etcd started with --force-new-cluster keeps the cluster ID: its members and those it left behind each have a quorum
// of their own list, and terms of their own.
const Candidate* other_half(const std::vector<Candidate>& candidates, const Candidate& best) {
  if (!best.linearizable) return nullptr;
  const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& each) {
    return each.linearizable && has_quorum(each) && each.list->from.term != best.list->from.term &&
           !same_members(each.list->members, best.list->members);
  });
  return found == candidates.end() ? nullptr : &*found;
}

// What a member has applied was agreed on, so where nobody leads the list that reaches furthest is the one that holds:
// a majority of an older list may be none.
const Candidate* newer_without_quorum(const std::vector<Candidate>& candidates, const Candidate& best) {
  if (best.linearizable) return nullptr;
  const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& each) {
    return each.applied > best.applied && !has_quorum(each) && !same_members(each.list->members, best.list->members);
  });
  return found == candidates.end() ? nullptr : &*found;
}

model::ObservedMember observed(const std::vector<Answers>& answers, base::ClusterId cluster,
                               const model::ListedMember& listed, base::Time at) {
  model::ObservedMember member;
  member.listed = listed;
  member.silent_since = Fact<base::Time>::unknown("no agent watches it", at);
  if (const Answers* said = of_member(answers, cluster, listed.id)) {
    member.status = Fact<model::MemberStatus>::known(said->status->status, said->asked);
    member.serves = said->read ? Fact<base::Duration>::known(*said->read, said->asked)
                               : Fact<base::Duration>::unknown(said->read.error().message, said->asked);
    return member;
  }
  std::string why = listed.name.empty() ? "it has not started" : "none of its client URLs was asked";
  for (const Answers& each : answers) {
    if (std::find(listed.client_urls.begin(), listed.client_urls.end(), each.endpoint) == listed.client_urls.end())
      continue;
    why = each.status ? each.endpoint + " is another member" : each.status.error().message;
  }
  member.status = Fact<model::MemberStatus>::unknown(why, at);
  member.serves = Fact<base::Duration>::unknown(why, at);
  return member;
}

std::string nobody_said(const std::vector<Answers>& answers) {
  std::string why;
  for (const Answers& each : answers) {
    if (!why.empty()) why += "; ";
    why += each.endpoint + ": " +
           (each.status ? "no member list: " + each.own_list.error().message : each.status.error().message);
  }
  return why.empty() ? "there is no endpoint to ask" : why;
}

// The first address where another cluster answers, whatever else it says.
struct Stranger {
  base::ClusterId cluster;
  std::string endpoint;
};

std::optional<Stranger> stranger(const std::vector<Answers>& answers, base::ClusterId cluster) {
  for (const Answers& each : answers) {
    if (each.status && each.status->from.cluster != cluster) return Stranger{each.status->from.cluster, each.endpoint};
    if (each.own_list && each.own_list->from.cluster != cluster)
      return Stranger{each.own_list->from.cluster, each.endpoint};
  }
  return std::nullopt;
}

std::string silence(const std::vector<Answers>& answers) {
  std::string why;
  for (const Answers& each : answers) {
    if (!each.status) why += "; " + each.endpoint + ": " + each.status.error().message;
  }
  return why;
}

}  // namespace

Fact<model::Membership> believe(const std::vector<Answers>& answers, base::Time at) {
  const std::vector<Candidate> candidates = candidates_of(answers);
  if (candidates.empty()) return Fact<model::Membership>::unknown(nobody_said(answers), at);
  Candidate best = *std::max_element(candidates.begin(), candidates.end(),
                                     [](const Candidate& a, const Candidate& b) { return is_better(b, a); });
  if (const Candidate* newer = newer_without_quorum(candidates, best)) best = *newer;
  const base::ClusterId cluster = best.list->from.cluster;
  if (const auto other = stranger(answers, cluster)) {
    return Fact<model::Membership>::unknown("two clusters answer: " + base::to_string(cluster) + " and " +
                                                base::to_string(other->cluster) + ", at " + other->endpoint,
                                            at);
  }
  if (const Candidate* other = other_half(candidates, best)) {
    return Fact<model::Membership>::unknown(
        "cluster " + base::to_string(cluster) + " answers with two member lists, one from member " +
            base::to_string(best.list->from.member) + " in term " + std::to_string(best.list->from.term) +
            " and one from member " + base::to_string(other->list->from.member) + " in term " +
            std::to_string(other->list->from.term),
        at);
  }
  if (!has_quorum(best)) {
    return Fact<model::Membership>::unknown(
        std::to_string(best.votes.answered) + " of " + std::to_string(best.votes.voters) +
            " voters answered, too few to believe their member list" + silence(answers),
        at);
  }
  model::Membership membership{cluster, best.linearizable, {}};
  for (const model::ListedMember& listed : best.list->members) {
    membership.members.push_back(observed(answers, cluster, listed, at));
  }
  std::sort(membership.members.begin(), membership.members.end(),
            [](const auto& a, const auto& b) { return a.listed.id < b.listed.id; });
  return Fact<model::Membership>::known(std::move(membership), at);
}

std::vector<model::EndpointAnswer> who_answered(const std::vector<Answers>& answers) {
  std::vector<model::EndpointAnswer> result;
  for (const Answers& each : answers) {
    model::EndpointAnswer answer;
    answer.endpoint = each.endpoint;
    if (each.status) {
      answer.cluster = Fact<base::ClusterId>::known(each.status->from.cluster, each.asked);
      answer.member = Fact<base::MemberId>::known(each.status->from.member, each.asked);
    } else {
      answer.cluster = Fact<base::ClusterId>::unknown(each.status.error().message, each.asked);
      answer.member = Fact<base::MemberId>::unknown(each.status.error().message, each.asked);
    }
    result.push_back(std::move(answer));
  }
  return result;
}

Fact<std::vector<model::Alarm>> alarms_of(const std::vector<Answers>& answers, base::Time at) {
  std::string why = "nobody answered";
  for (const Answers& each : answers) {
    if (each.alarms) return Fact<std::vector<model::Alarm>>::known(*each.alarms, each.asked);
    if (each.status) why = each.alarms.error().message;
  }
  return Fact<std::vector<model::Alarm>>::unknown(why, at);
}

}  // namespace quorate::observe
