// A node's facts come from its own agent alone. That a member is dead takes a quorum of witnesses, the leader's agent
// among them, and nobody who sees it.
#include "reconciler/observe/agents.h"

#include <algorithm>

#include "reconciler/model/step.h"
#include "reconciler/observe/node_view.h"

namespace quorate::observe {
namespace {

using model::Fact;

std::vector<const model::AgentReport*> reports_of(const AgentsView& view) {
  std::vector<const model::AgentReport*> reports{&view.own};
  for (const ports::PeerAnswer& answer : view.answers) {
    if (answer.report) reports.push_back(&*answer.report);
  }
  return reports;
}

const model::AgentReport* report_of(const std::vector<const model::AgentReport*>& reports, const std::string& member) {
  const auto found =
      std::find_if(reports.begin(), reports.end(), [&](const auto* each) { return each->member == member; });
  return found == reports.end() ? nullptr : *found;
}

model::NodeFacts& node_for(model::Observed& observed, const std::string& member) {
  if (model::NodeFacts* node = model::node_of(observed, member)) return *node;
  model::NodeFacts node;
  node.member = member;
  observed.nodes.push_back(std::move(node));
  std::sort(observed.nodes.begin(), observed.nodes.end(),
            [](const auto& a, const auto& b) { return a.member < b.member; });
  return *model::node_of(observed, member);
}

void add_nodes(model::Observed& observed, const AgentsView& view) {
  for (const ports::PeerAnswer& answer : view.answers) {
    model::NodeFacts& node = node_for(observed, answer.member);
    if (answer.report) {
      node = answer.report->facts;
    } else {
      node = unseen_node(node.member, "its agent does not answer: " + answer.report.error().message, observed.at);
    }
  }
  node_for(observed, view.own.member) = view.own.facts;
}

// What a cluster was restored or recovered from is its own past, and no stranger's.
bool is_of_the_past(const model::Observed& observed, base::ClusterId cluster) {
  return observed.formed && observed.membership && observed.formed->cluster == observed.membership->cluster &&
         model::has_replaced(*observed.formed, cluster);
}

void tell_foreigners(model::Observed& observed) {
  if (!observed.membership) return;
  for (model::NodeFacts& node : observed.nodes) {
    if (node.data && is_of_the_past(observed, node.data->cluster)) continue;
    tell_foreign(node, observed.membership->cluster);
  }
  if (observed.applied && is_of_the_past(observed, observed.applied->cluster)) {
    observed.applied.get()->cluster = observed.membership->cluster;  // what was asked of it is asked of its successor
  }
}

// Its own agent says that it cannot come back with what it has, and that nothing runs there.
bool says_lost(const model::NodeFacts& facts, base::MemberId member) {
  const bool runs = !facts.process || facts.process->running;
  if (runs || !facts.data) return false;
  const model::DataState state = facts.data->state;
  if (state == model::DataState::Valid) return facts.data->member != member;
  return state == model::DataState::Fresh || state == model::DataState::Damaged || state == model::DataState::Reverted;
}

Fact<base::Time> silent_since(const model::Observed& observed, const std::vector<const model::AgentReport*>& reports,
                              const model::ObservedMember& member) {
  const auto unknown = [&](const std::string& why) { return Fact<base::Time>::unknown(why, observed.at); };
  const model::AgentReport* own = report_of(reports, member.listed.name);
  if (own != nullptr && !says_lost(own->facts, member.listed.id)) return unknown("its own agent answers");
  int witnesses = 0;
  bool leader = false;
  base::Duration shortest = base::Duration::max();
  for (const model::AgentReport* report : reports) {
    if (report == own) continue;
    const auto voter = std::find_if(
        observed.membership->members.begin(), observed.membership->members.end(),
        [&](const model::ObservedMember& each) { return !each.listed.learner && each.listed.name == report->member; });
    if (voter == observed.membership->members.end()) continue;
    const auto sight = std::find_if(report->sights.begin(), report->sights.end(),
                                    [&](const model::Sight& each) { return each.member == member.listed.id; });
    if (sight == report->sights.end()) continue;
    if (sight->unseen.count() == 0) return unknown("the agent of " + report->member + " sees it");
    ++witnesses;
    leader = leader || voter->listed.id == model::leader_of(observed);
    shortest = std::min(shortest, sight->unseen);
  }
  if (!leader) return unknown("the agent of the leader has not said that it does not see it");
  const int needs = model::quorum_of(observed).needs();
  if (witnesses < needs) {
    return unknown(std::to_string(witnesses) + " agents of voters do not see it, needs " + std::to_string(needs));
  }
  return Fact<base::Time>::known(observed.at - shortest, observed.at);
}

void add_silences(model::Observed& observed, const std::vector<const model::AgentReport*>& reports) {
  if (!observed.membership) return;
  for (model::ObservedMember& member : observed.membership.get()->members) {
    if (model::is_up(member)) continue;
    member.silent_since = silent_since(observed, reports, member);
  }
}

// What etcd has counts; without it what agents remember, the newest generation first.
template <class Record, class Of>
Fact<Record> remembered(const model::Observed& observed, const std::vector<const model::AgentReport*>& reports,
                        const Of& of) {
  const model::AgentReport* newest = nullptr;
  const auto generation = [](const model::AgentReport& each) { return each.formed ? each.formed->generation : 0; };
  for (const model::AgentReport* report : reports) {
    if (!of(*report)) continue;
    if (newest == nullptr || generation(*report) > generation(*newest)) newest = report;
  }
  return newest == nullptr ? Fact<Record>::unknown("no agent remembers one", observed.at)
                           : Fact<Record>::known(*of(*newest), observed.at);
}

void add_records(model::Observed& observed, const model::Records& records) {
  const base::Time at = observed.at;
  if (records.formed) observed.formed = Fact<model::Formed>::known(*records.formed, at);
  if (records.applied) observed.applied = Fact<model::Applied>::known(*records.applied, at);
  observed.announced = Fact<model::Announced>::known(records.announced, at);
  observed.data_check = records.data_check;
  if (records.last_change) observed.last_change = Fact<base::Time>::known(*records.last_change, at);
  std::vector<base::Time> heals;
  for (const base::Time heal : records.heals) {
    if (at - heal < std::chrono::hours{24}) heals.push_back(heal);
  }
  observed.heals_of_the_day = Fact<std::vector<base::Time>>::known(std::move(heals), at);
}

}  // namespace

void add_store(model::Observed& observed, const model::StoreRecord& record, const std::string& store) {
  if (store.empty()) return;
  observed.backups = Fact<model::BackupsSeen>::unknown("nobody has looked at " + store + " yet", observed.at);
  observed.last_backup = Fact<base::Time>::unknown("nobody has looked at " + store + " yet", observed.at);
  if (record.trouble && record.trouble->store == store) observed.backup_trouble = record.trouble;
  if (record.awaited && record.awaited->store == store) observed.backup_awaited = record.awaited->since;
  if (!record.seen || record.seen->store != store) return;
  observed.backups = Fact<model::BackupsSeen>::known(*record.seen, observed.at);
  observed.last_backup = record.seen->newest.empty() ? Fact<base::Time>::unknown("there is no backup", observed.at)
                                                     : Fact<base::Time>::known(record.seen->covers, observed.at);
}

void add_agents(model::Observed& observed, const AgentsView& view) {
  const auto reports = reports_of(view);
  add_nodes(observed, view);
  observed.formed = remembered<model::Formed>(observed, reports, [](const auto& each) { return each.formed; });
  observed.applied = remembered<model::Applied>(observed, reports, [](const auto& each) { return each.applied; });
  if (view.records) {
    add_records(observed, *view.records);
    add_store(observed, view.records->store, view.store);
  } else {
    observed.announced = Fact<model::Announced>::unknown(view.records.error().message, observed.at);
  }
  tell_foreigners(observed);
  add_silences(observed, reports);
}

}  // namespace quorate::observe
