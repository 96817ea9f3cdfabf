// All endpoints are asked at once; what they say of themselves decides.
#include "reconciler/backup/sources.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

namespace quorate::backup {
namespace {

using base::ErrorKind;
using StatusResult = base::Result<ports::StatusAnswer>;

constexpr std::uint64_t kFarBehind = 5000;  // entries; what etcd itself calls slow
constexpr std::uint64_t kBehind = 500;      // who has something else to do than to send a snapshot

std::vector<StatusResult> ask_all(ports::EtcdAdmin& etcd, ports::Parallel& parallel,
                                  const std::vector<std::string>& endpoints, base::Duration within) {
  std::vector<StatusResult> answers(endpoints.size(), base::invalid("it was not asked"));
  std::vector<std::function<void()>> jobs;
  for (std::size_t at = 0; at < endpoints.size(); ++at) {
    jobs.push_back([&, at] { answers[at] = etcd.status(endpoints[at], within); });
  }
  parallel.run(std::move(jobs));
  return answers;
}

// Of the first that tells; who is corrupt may be told by others.
template <class Ask>
auto first_answer(const std::vector<Source>& sources, const Ask& ask) -> decltype(ask(sources.front().endpoint)) {
  auto answer = ask(sources.front().endpoint);
  for (std::size_t at = 1; !answer && at < sources.size(); ++at) answer = ask(sources[at].endpoint);
  return answer;
}

std::set<base::MemberId> corrupt_members(ports::EtcdAdmin& etcd, const std::vector<Source>& sources,
                                         base::Duration within) {
  std::set<base::MemberId> corrupt;
  const auto alarms = first_answer(sources, [&](const std::string& at) { return etcd.alarms(at, within); });
  if (!alarms) return corrupt;
  for (const model::Alarm& alarm : *alarms) {
    if (alarm.kind == model::AlarmKind::Corrupt) corrupt.insert(alarm.member);
  }
  return corrupt;
}

std::uint64_t furthest_of(const std::vector<Source>& sources) {
  std::uint64_t furthest = 0;
  for (const Source& each : sources) furthest = std::max(furthest, each.status.status.raft_applied);
  return furthest;
}

void drop_unfit(std::vector<Source>& sources, const std::set<base::MemberId>& corrupt) {
  const std::uint64_t furthest = furthest_of(sources);
  const auto unfit = [&](const Source& each) {
    const model::MemberStatus& status = each.status.status;
    return status.leader.value == 0 || each.status.learner || corrupt.count(each.status.from.member) != 0 ||
           furthest - status.raft_applied > kFarBehind;
  };
  sources.erase(std::remove_if(sources.begin(), sources.end(), unfit), sources.end());
}

void name_them(ports::EtcdAdmin& etcd, Sources& found, base::Duration within) {
  const auto list = first_answer(found.healthy, [&](const std::string& at) {
    return etcd.member_list(at, ports::Consistency::Serializable, within);
  });
  found.members = list ? static_cast<int>(list->members.size()) : 0;
  for (Source& each : found.healthy) {
    each.name = base::to_string(each.status.from.member);
    if (!list) continue;
    for (const model::ListedMember& member : list->members) {
      if (member.id == each.status.from.member && !member.name.empty()) each.name = member.name;
    }
  }
}

}  // namespace

Outcome<Sources> find_sources(ports::EtcdAdmin& etcd, ports::Parallel& parallel,
                              const std::vector<std::string>& endpoints, base::Duration within) {
  const auto answers = ask_all(etcd, parallel, endpoints, within);
  Sources found;
  std::set<base::MemberId> seen;  // a member with several addresses is one
  for (std::size_t at = 0; at < answers.size(); ++at) {
    if (!answers[at]) continue;
    const ports::Answered& from = answers[at]->from;
    if (found.cluster.value == 0) found.cluster = from.cluster;
    if (from.cluster != found.cluster) {
      return failed(Trouble::Refused, {ErrorKind::Refused,
                                       "the endpoints are of two clusters, " + base::to_string(found.cluster) +
                                           " and " + base::to_string(from.cluster),
                                       "name the endpoints of one"});
    }
    if (seen.insert(from.member).second) found.healthy.push_back({endpoints[at], *answers[at], {}});
  }
  if (found.healthy.empty()) {
    return failed(Trouble::Etcd, answers.empty() ? base::Error{ErrorKind::Invalid, "there is no endpoint to ask", ""}
                                                 : answers.front().error());
  }
  const auto corrupt = corrupt_members(etcd, found.healthy, within);
  const std::size_t answered = found.healthy.size();
  drop_unfit(found.healthy, corrupt);
  if (found.healthy.empty()) {
    return failed(Trouble::Etcd, {ErrorKind::Transient,
                                  std::to_string(answered) + " of " + std::to_string(endpoints.size()) +
                                      " endpoints answered, and none of them is healthy",
                                  "a backup needs one voter that knows a leader and is not corrupt"});
  }
  const std::uint64_t furthest = furthest_of(found.healthy);
  std::stable_sort(found.healthy.begin(), found.healthy.end(), [&](const Source& a, const Source& b) {
    const auto rank = [&](const Source& each) {
      const bool leads = each.status.status.leader == each.status.from.member;
      const bool behind = furthest - each.status.status.raft_applied > kBehind;
      return std::tuple(!each.status.status.errors.empty(), behind, leads);
    };
    return rank(a) < rank(b);
  });
  name_them(etcd, found, within);
  return found;
}

base::Result<Source> caught_up(ports::EtcdAdmin& etcd, Source source, base::Duration within) {
  const auto read = etcd.get(source.endpoint, "quorate/health", ports::Consistency::Linearizable, within);
  if (!read) return tl::unexpected(read.error());
  auto status = etcd.status(source.endpoint, within);
  if (!status) return tl::unexpected(std::move(status.error()));
  if (status->from.member != source.status.from.member || status->from.cluster != source.status.from.cluster) {
    return tl::unexpected(base::Error{ErrorKind::Conflict, source.endpoint + " is another member than before", ""});
  }
  source.status = *std::move(status);
  return source;
}

}  // namespace quorate::backup
