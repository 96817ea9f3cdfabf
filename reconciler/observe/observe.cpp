// One round of questions to all addresses at once, a second to members that only the first has told of.
#include "reconciler/observe/observe.h"

#include <algorithm>

#include "reconciler/observe/answers.h"
#include "reconciler/observe/node_view.h"

namespace quorate::observe {
namespace {

using Jobs = std::vector<std::function<void()>>;

// Addresses that only answers have told of. A cluster has seven voters at most; a list that is longer is no cluster's.
constexpr std::size_t kMostFound = 32;

// Each call is a job of its own, so that an endpoint that hangs in all of them costs one deadline and not five.
void ask(const Ports& ports, const Question& question, Answers& answers, Jobs& jobs) {
  const std::string& endpoint = answers.endpoint;
  const base::Duration within = question.within;
  answers.asked = ports.clock.now();
  jobs.emplace_back([&ports, &answers, endpoint, within] { answers.status = ports.etcd.status(endpoint, within); });
  jobs.emplace_back([&ports, &answers, endpoint, within] {
    answers.own_list = ports.etcd.member_list(endpoint, ports::Consistency::Serializable, within);
  });
  jobs.emplace_back([&ports, &answers, endpoint, within] {
    answers.agreed_list = ports.etcd.member_list(endpoint, ports::Consistency::Linearizable, within);
  });
  jobs.emplace_back([&ports, &answers, endpoint, within] { answers.alarms = ports.etcd.alarms(endpoint, within); });
  jobs.emplace_back([&ports, &answers, endpoint, within] {
    const base::Time begin = ports.clock.now();
    const auto read = ports.etcd.get(endpoint, "quorate/health", ports::Consistency::Linearizable, within);
    if (read) {
      answers.read = ports.clock.now() - begin;
    } else {
      answers.read = tl::unexpected(read.error());
    }
  });
}

std::vector<std::string> without_doubles(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const std::string& text : texts) {
    if (std::find(result.begin(), result.end(), text) == result.end()) result.push_back(text);
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

void ask_all(const Ports& ports, const Question& question, std::vector<Answers>& answers, std::size_t from, Jobs jobs) {
  for (std::size_t i = from; i < answers.size(); ++i) ask(ports, question, answers[i], jobs);
  ports.parallel.run(std::move(jobs));
}

void extend(std::vector<Answers>& answers, const std::vector<std::string>& endpoints) {
  for (const std::string& endpoint : endpoints) {
    answers.emplace_back();
    answers.back().endpoint = endpoint;
  }
}

// Only an alarm makes it worth the reading of the whole key space.
model::Fact<std::int64_t> compact_revision(const Ports& ports, const Question& question,
                                           const model::Observed& observed, const std::vector<Answers>& answers) {
  const base::Time at = ports.clock.now();
  if (!observed.alarms || observed.alarms->empty()) {
    return model::Fact<std::int64_t>::unknown("no alarm asks for it", at);
  }
  for (const Answers& each : answers) {
    if (!each.read) continue;
    const auto hash = ports.etcd.hash_kv(each.endpoint, 0, question.within);
    if (hash) return model::Fact<std::int64_t>::known(std::max<std::int64_t>(hash->compact_revision, 0), at);
    return model::Fact<std::int64_t>::unknown(hash.error().message, at);
  }
  return model::Fact<std::int64_t>::unknown("no member answers reads", at);
}

void no_agents(model::Observed& observed) {
  const std::string why = "no agent keeps this cluster";
  observed.last_backup = model::Fact<base::Time>::unknown("no store is named", observed.at);
  observed.applied = model::Fact<model::Applied>::unknown(why, observed.at);
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

  Jobs jobs;
  for (std::size_t i = 0; i < observed.nodes.size(); ++i) {
    const model::Member& member = question.desired->members[i];
    const auto bundle = question.bundles.find(member.name);
    jobs.emplace_back([&, i, bundle] {
      observed.nodes[i] = look_at_node(ports.node, *question.desired, question.desired->members[i],
                                       bundle == question.bundles.end() ? nullptr : &bundle->second, ports.clock.now());
    });
  }
  ask_all(ports, question, answers, 0, std::move(jobs));

  const std::size_t first_round = answers.size();
  extend(answers, not_yet_asked(answers));
  if (answers.size() > first_round) ask_all(ports, question, answers, first_round, {});

  observed.at = ports.clock.now();
  observed.membership = believe(answers, observed.at);
  observed.endpoints = who_answered(answers);
  observed.alarms = alarms_of(answers, observed.at);
  observed.compact_revision = compact_revision(ports, question, observed, answers);
  if (observed.membership) {
    for (model::NodeFacts& node : observed.nodes) tell_foreign(node, observed.membership->cluster);
  }
  std::sort(observed.nodes.begin(), observed.nodes.end(),
            [](const auto& a, const auto& b) { return a.member < b.member; });
  no_agents(observed);
  return observed;
}

}  // namespace quorate::observe
