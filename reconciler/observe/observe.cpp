// One round of questions to all addresses at once, a second to members that only the first has told of.
#include "reconciler/observe/observe.h"

#include <algorithm>
#include <optional>

#include "reconciler/base/net.h"
#include "reconciler/base/words.h"
#include "reconciler/model/project.h"
#include "reconciler/observe/answers.h"
#include "reconciler/observe/node_view.h"

namespace quorate::observe {
namespace {

using Jobs = std::vector<std::function<void()>>;

// Addresses that only answers have told of. A cluster has seven voters at most; a list that is longer is no cluster's.
constexpr std::size_t kMostFound = 32;

// The time of one call: its own, and never more than is left of the whole.
class Budget {
 public:
  Budget(ports::Clock& clock, const Question& question) : clock_(clock), within_(question.within) {
    if (question.in_all) end_ = clock.elapsed() + *question.in_all;
  }

  base::Duration next() const {
    return end_ ? std::clamp(*end_ - clock_.elapsed(), base::Duration{}, within_) : within_;
  }

 private:
  ports::Clock& clock_;
  base::Duration within_;
  std::optional<base::Duration> end_;
};

void ask_status(ports::EtcdAdmin& etcd, ports::Clock& clock, const Budget& budget, Answers& answers, Jobs& jobs,
                base::Duration at_most = base::Duration::max()) {
  const std::string& endpoint = answers.endpoint;
  answers.asked = clock.now();
  jobs.emplace_back([&etcd, &answers, endpoint, &budget, at_most] {
    answers.status = etcd.status(endpoint, std::min(budget.next(), at_most));
  });
}

void ask_more(ports::EtcdAdmin& etcd, ports::Clock& clock, const Budget& budget, Answers& answers, Jobs& jobs) {
  const std::string& endpoint = answers.endpoint;
  jobs.emplace_back([&etcd, &answers, endpoint, &budget] {
    answers.own_list = etcd.member_list(endpoint, ports::Consistency::Serializable, budget.next());
  });
  jobs.emplace_back([&etcd, &answers, endpoint, &budget] {
    answers.agreed_list = etcd.member_list(endpoint, ports::Consistency::Linearizable, budget.next());
  });
  jobs.emplace_back([&etcd, &answers, endpoint, &budget] { answers.alarms = etcd.alarms(endpoint, budget.next()); });
  jobs.emplace_back([&etcd, &clock, &answers, endpoint, &budget] {
    const base::Time begin = clock.now();
    const auto read = etcd.get(endpoint, "quorate/health", ports::Consistency::Linearizable, budget.next());
    if (read) {
      answers.read = clock.now() - begin;
    } else {
      answers.read = tl::unexpected(read.error());
    }
  });
}

// Each call is a job of its own, so that an endpoint that hangs in all of them costs one deadline and not five.
void ask(ports::EtcdAdmin& etcd, ports::Clock& clock, const Budget& budget, Answers& answers, Jobs& jobs) {
  ask_status(etcd, clock, budget, answers, jobs);
  ask_more(etcd, clock, budget, answers, jobs);
}

// Where nobody listens, one call says so as well as five.
void ask_those_that_speak_again(const Ports& ports, const Question& question, const Budget& budget,
                                std::vector<Answers>& answers) {
  Jobs jobs;
  for (Answers& each : answers) {
    if (question.silent.count(each.endpoint) == 0) continue;
    if (each.status || each.status.error().kind != base::ErrorKind::Transient) {
      ask_more(ports.etcd, ports.clock, budget, each, jobs);
      continue;
    }
    const base::Error& error = each.status.error();
    each.own_list = tl::unexpected(error);
    each.agreed_list = tl::unexpected(error);
    each.alarms = tl::unexpected(error);
    each.read = tl::unexpected(error);
  }
  if (!jobs.empty()) ports.parallel.run(std::move(jobs));
}

std::vector<std::string> without_doubles(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const std::string& text : texts) {
    if (!base::contains(result, text)) result.push_back(text);
  }
  return result;
}

// Client URLs of listed members that no endpoint has led to yet.
std::vector<std::string> not_yet_asked(const std::vector<Answers>& answers) {
  std::vector<std::string> missing;
  for (const Answers& each : answers) {
    if (!each.own_list) continue;
    for (const model::ListedMember& member : each.own_list->members) {
      const bool known = std::any_of(answers.begin(), answers.end(), [&](const Answers& other) {
        const auto& urls = member.client_urls;
        return (other.status && other.status->from.member == member.id) ||
               std::find(urls.begin(), urls.end(), other.endpoint) != urls.end();
      });
      if (!known && !member.client_urls.empty()) missing.push_back(member.client_urls.front());
    }
  }
  missing = without_doubles(missing);
  if (missing.size() > kMostFound) missing.resize(kMostFound);
  return missing;
}

std::string host_of(const std::string& endpoint) {
  base::UrlProblem problem;
  const auto url = base::parse_url(endpoint, problem);
  return url ? url->host : std::string();
}

// Where somebody has written down that this host is asked, in the file or on the command line.
bool is_named(const Question& question, const std::string& endpoint) {
  const std::string host = host_of(endpoint);
  if (host.empty()) return false;
  const auto same = [&](const std::string& other) { return host_of(other) == host; };
  if (std::any_of(question.endpoints.begin(), question.endpoints.end(), same)) return true;
  if (question.desired == nullptr) return false;
  return std::any_of(question.desired->members.begin(), question.desired->members.end(), [&](const auto& member) {
    return std::any_of(member.client_urls.begin(), member.client_urls.end(),
                       [&](const base::Url& url) { return url.host == host; });
  });
}

bool is_listed(const model::Fact<model::Membership>& membership, const std::string& endpoint) {
  if (!membership) return false;
  return std::any_of(membership->members.begin(), membership->members.end(), [&](const model::ObservedMember& member) {
    const auto& urls = member.listed.client_urls;
    return std::find(urls.begin(), urls.end(), endpoint) != urls.end();
  });
}

// Something was refused that a user may be allowed.
bool wants_more(const Answers& answers) {
  return answers.status && !(answers.own_list && answers.agreed_list && answers.alarms && answers.read);
}

// Members that only answers have told of. A list that nobody stands behind may name any address: it is asked, so that
// one endpoint suffices, and no password goes there before a majority of the listed voters has answered.
void ask_found(const Ports& ports, const Question& question, const Budget& budget, std::vector<Answers>& answers,
               std::size_t from) {
  const auto believed =
      believe({answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(from)}, ports.clock.now());
  std::vector<std::size_t> as_nobody;
  Jobs jobs;
  for (std::size_t i = from; i < answers.size(); ++i) {
    const std::string& endpoint = answers[i].endpoint;
    const bool trusted = ports.as_nobody == nullptr || is_named(question, endpoint) || is_listed(believed, endpoint);
    if (!trusted) as_nobody.push_back(i);
    ask(trusted ? ports.etcd : *ports.as_nobody, ports.clock, budget, answers[i], jobs);
  }
  ports.parallel.run(std::move(jobs));
  if (as_nobody.empty()) return;
  const auto membership = believe(answers, ports.clock.now());
  Jobs again;
  for (const std::size_t i : as_nobody) {
    if (!is_listed(membership, answers[i].endpoint) || !wants_more(answers[i])) continue;
    ask(ports.etcd, ports.clock, budget, answers[i], again);
  }
  ports.parallel.run(std::move(again));
}

void extend(std::vector<Answers>& answers, const std::vector<std::string>& endpoints) {
  for (const std::string& endpoint : endpoints) {
    answers.emplace_back();
    answers.back().endpoint = endpoint;
  }
}

// Whether there is anything to compact, no more: for the very revision etcd would read its whole database, again at
// each look, and one that is full is large.
model::Fact<std::int64_t> compact_revision(const Ports& ports, const Budget& budget, const model::Observed& observed,
                                           const std::vector<Answers>& answers) {
  using Revision = model::Fact<std::int64_t>;
  const base::Time at = ports.clock.now();
  if (!observed.alarms || observed.alarms->empty()) return Revision::unknown("no alarm asks for it", at);
  for (const Answers& each : answers) {
    if (!each.read || !each.status) continue;
    const std::int64_t kept = each.status->status.revision - model::kCompactionMargin;
    if (kept <= 1) return Revision::known(0, at);
    const auto before = ports.etcd.count(each.endpoint, kept - 1, budget.next());
    if (before) return Revision::known(0, at);
    if (before.error().kind == base::ErrorKind::Conflict) return Revision::known(kept, at);
    return Revision::unknown(before.error().message, at);
  }
  return Revision::unknown("no member answers reads", at);
}

void no_agents(model::Observed& observed) {
  const std::string why = "no agent keeps this cluster";
  observed.last_backup = model::Fact<base::Time>::unknown("no store is named", observed.at);
  observed.formed = model::Fact<model::Formed>::unknown(why, observed.at);
  observed.applied = model::Fact<model::Applied>::unknown(why, observed.at);
  observed.announced = model::Fact<model::Announced>::unknown(why, observed.at);
  observed.last_change = model::Fact<base::Time>::unknown(why, observed.at);
  observed.heals_of_the_day = model::Fact<std::vector<base::Time>>::unknown(why, observed.at);
}

}  // namespace

model::Observed observe(const Ports& ports, const Question& question) {
  model::Observed observed;
  observed.by = question.by;
  if (question.desired != nullptr) observed.nodes.resize(question.desired->members.size());
  std::vector<Answers> answers;
  extend(answers, without_doubles(question.endpoints));
  const Budget budget(ports.clock, question);

  Jobs jobs;
  for (std::size_t i = 0; i < observed.nodes.size(); ++i) {
    const model::Member& member = question.desired->members[i];
    const auto bundle = question.bundles.find(member.name);
    jobs.emplace_back([&, i, bundle] {
      observed.nodes[i] = look_at_node(ports.node, *question.desired, question.desired->members[i],
                                       bundle == question.bundles.end() ? nullptr : &bundle->second, ports.clock.now());
    });
  }
  for (Answers& each : answers) {
    const auto silent = question.silent.find(each.endpoint);
    if (silent == question.silent.end()) {
      ask(ports.etcd, ports.clock, budget, each, jobs);
    } else {
      ask_status(ports.etcd, ports.clock, budget, each, jobs, silent->second);
    }
  }
  ports.parallel.run(std::move(jobs));
  ask_those_that_speak_again(ports, question, budget, answers);

  const std::size_t first_round = answers.size();
  extend(answers, not_yet_asked(answers));
  if (answers.size() > first_round) ask_found(ports, question, budget, answers, first_round);

  observed.at = ports.clock.now();
  observed.membership = believe(answers, observed.at);
  observed.endpoints = who_answered(answers);
  observed.alarms = alarms_of(answers, observed.at);
  observed.compact_revision = compact_revision(ports, budget, observed, answers);
  if (observed.membership) {
    for (model::NodeFacts& node : observed.nodes) tell_foreign(node, observed.membership->cluster);
  }
  std::sort(observed.nodes.begin(), observed.nodes.end(),
            [](const auto& a, const auto& b) { return a.member < b.member; });
  no_agents(observed);
  return observed;
}

}  // namespace quorate::observe
