// The effect of each action on an observation. Facts that an action does not touch keep their value and their time.
#include "reconciler/model/project.h"

#include <algorithm>

#include "reconciler/base/check.h"
#include "reconciler/base/words.h"
#include "reconciler/model/step.h"

namespace quorate::model {
namespace {

const Member* wanted_member(const Desired& desired, const std::string& name) {
  const auto found = std::find_if(desired.members.begin(), desired.members.end(),
                                  [&](const Member& each) { return each.name == name; });
  return found == desired.members.end() ? nullptr : &*found;
}

NodeFacts& node_for(Observed& observed, const std::string& member) {
  if (NodeFacts* node = node_of(observed, member)) return *node;
  NodeFacts node;
  node.member = member;
  const auto place =
      std::lower_bound(observed.nodes.begin(), observed.nodes.end(), member,
                       [](const NodeFacts& each, const std::string& name) { return each.member < name; });
  return *observed.nodes.insert(place, std::move(node));
}

// FNV-1a: an ID that the same addition always gets. etcd will choose another one.
base::MemberId planned_id(const std::vector<std::string>& peer_urls) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const std::string& url : peer_urls) {
    for (const char byte : url) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  }
  return {hash};
}

class Projection {
 public:
  Projection(Observed& observed, const Desired& desired) : observed_(observed), desired_(desired) {}

  void operator()(const Promise& action) {
    NodeFacts& node = node_for(observed_, action.member);
    node.promised = Fact<std::string>::known(action.decision, observed_.at);
    if (!action.gives_way) return;
    if (!node.standing) node.standing.emplace();
    node.standing->pledge = Pledge{*action.gives_way, true, false, 0, ""};
    empty(node);
    node.process = Fact<Process>::known({}, observed_.at);
    give_way(action.member);
  }
  void operator()(const Fetch& action) {
    NodeFacts& node = node_for(observed_, action.member);
    if (!node.standing) node.standing.emplace();
    node.standing->fetched = action.what.source;
    const auto& last = observed_.last_backup;
    node.standing->covered = last ? std::min(*last, observed_.at - base::Duration{1}) : base::Time{};
  }
  // What stands there then is seen by the next look.
  void operator()(const Abandon& action) {
    NodeFacts& node = node_for(observed_, action.member);
    if (!node.standing || !node.standing->pledge) return;
    const Decision& decision = node.standing->pledge->decision;
    if (decision.seed == action.member) {
      node.standing->abandoned.push_back({decision.id, decision.generation, decision.seed, action.why});
    }
    node.standing->pledge.reset();
    node.data = Fact<DataDir>::unknown("what stood there is put back", observed_.at);
  }
  void operator()(const Restore& action) {
    NodeFacts& node = node_for(observed_, action.member);
    DataDir data;
    data.state = DataState::Valid;
    if (node.data) data.path = node.data->path;
    data.cluster.value = planned_id({action.decision}).value;
    data.member = planned_id({action.decision, action.member});
    node.data = Fact<DataDir>::known(std::move(data), observed_.at);
  }
  void operator()(const Backup& action) {
    if (action.spool.empty()) observed_.last_backup = Fact<base::Time>::known(after_all_that_covers(), observed_.at);
    for (NodeFacts& node : observed_.nodes) {
      if (!action.spool.empty() && node.standing) node.standing->spooled = Spooled{observed_.at, "", "", ""};
    }
  }
  void operator()(const Verify& /*action*/) {}
  void operator()(const Prune& /*action*/) {}
  void operator()(const VerifyData& /*action*/) { observed_.data_check = DataCheck{0, true, ""}; }
  void operator()(const AddMember& action) {
    ObservedMember member;
    member.listed.id = planned_id(action.peer_urls);
    member.listed.peer_urls = action.peer_urls;
    member.listed.learner = true;
    member.listed.planned = true;
    member.status = Fact<MemberStatus>::unknown("it has not started", observed_.at);
    insert(std::move(member));
  }
  void operator()(const Promote& action) {
    ObservedMember* member = find(action.id, action.peer_urls);
    if (member == nullptr) return;
    member->listed.learner = false;
    // Only a learner that answers is promoted.
    if (!member->status) member->status = Fact<MemberStatus>::known(status_of_leader(), observed_.at);
    member->serves = Fact<base::Duration>::known(base::Duration{0}, observed_.at);
  }
  void operator()(const Remove& action) {
    auto& members = membership().members;
    const bool led = leader_of(observed_) == action.id;
    members.erase(std::remove_if(members.begin(), members.end(),
                                 [&](const ObservedMember& each) { return each.listed.id == action.id; }),
                  members.end());
    if (observed_.alarms) {
      auto& alarms = *observed_.alarms.get();
      alarms.erase(
          std::remove_if(alarms.begin(), alarms.end(), [&](const Alarm& each) { return each.member == action.id; }),
          alarms.end());
    }
    if (led) elect();
  }
  void operator()(const WriteManifest& action) {
    const Member* wanted = wanted_member(desired_, action.member);
    QUORATE_CHECK(wanted != nullptr);
    NodeFacts& node = node_for(observed_, action.member);
    node.manifest = Fact<Manifest>::known(Manifest{action.digest, false, action.fenced}, observed_.at);
    Process process = node.process ? *node.process : Process{};
    process.running = true;
    node.process = Fact<Process>::known(std::move(process), observed_.at);
    if (action.boot == BootMode::New && !observed_.membership) return begin_new(*wanted);
    if (!observed_.membership && node.standing && node.standing->pledge) return begin_seed(*wanted, node);
    ObservedMember* member = listed_as(*wanted);
    if (member == nullptr) return;
    member->listed.name = wanted->name;
    member->listed.client_urls = base::to_strings(wanted->client_urls);
    MemberStatus status = member->status ? *member->status : status_of_leader();
    if (wanted_version(*member)) status.version = base::to_string(*desired_.etcd.version);
    const bool was_up = is_up(*member);
    if (!was_up && !member->listed.learner) member->serves = Fact<base::Duration>::known({}, observed_.at);
    member->status = Fact<MemberStatus>::known(std::move(status), observed_.at);
    if (action.boot != BootMode::Keep) initialise(node, *member);
  }
  void operator()(const RemoveManifest& action) {
    NodeFacts& node = node_for(observed_, action.member);
    node.manifest = Fact<Manifest>::known({}, observed_.at);
    Process process = node.process ? *node.process : Process{};
    process.running = false;
    node.process = Fact<Process>::known(std::move(process), observed_.at);
  }
  void operator()(const MoveLeader& action) {
    if (action.to_id.value != 0) return lead(action.to_id);
    for (const ObservedMember& member : membership().members) {
      if (member.listed.name == action.to) return lead(member.listed.id);
    }
  }
  void operator()(const UpdatePeerUrls& action) {
    if (ObservedMember* member = member_of(observed_, action.id)) member->listed.peer_urls = action.peer_urls;
    // Its files, seen or not, were written for the old ones.
    NodeFacts& node = node_for(observed_, action.member);
    if (!node.manifest) node.manifest = Fact<Manifest>::known(Manifest{"of the old peer URLs"}, observed_.at);
  }
  void operator()(const SetDataAside& action) { empty(node_for(observed_, action.member)); }
  void operator()(const Compact& /*action*/) {
    std::int64_t revision = 0;
    for (ObservedMember& member : membership().members) {
      if (!member.status) continue;
      revision = std::max(revision, member.status->revision);
      // How much a compaction frees is known only afterwards; the road is planned as if it freed something.
      member.status.get()->db_size_in_use /= 2;
    }
    observed_.compact_revision = Fact<std::int64_t>::known(revision - kCompactionMargin, observed_.at);
  }
  void operator()(const Defragment& action) {
    ObservedMember* member = member_of(observed_, action.id);
    if (member != nullptr && member->status) member->status.get()->db_size = member->status->db_size_in_use;
  }
  void operator()(const DisarmAlarm& action) {
    if (!observed_.alarms) return;
    auto& alarms = *observed_.alarms.get();
    alarms.erase(std::remove(alarms.begin(), alarms.end(), action.alarm), alarms.end());
  }

 private:
  // The clocks of those who have made backups and of those who remember them may differ.
  base::Time after_all_that_covers() const {
    base::Time at = observed_.at;
    for (const NodeFacts& node : observed_.nodes) {
      if (node.standing) at = std::max(at, node.standing->covered + base::Duration{1});
    }
    return at;
  }

  Membership& membership() {
    QUORATE_CHECK(observed_.membership.is_known());
    return *observed_.membership.get();
  }

  // A member of a cluster that still runs ends.
  void give_way(const std::string& name) {
    if (!observed_.membership) return;
    bool led = false;
    for (ObservedMember& member : membership().members) {
      if (member.listed.name != name) continue;
      led = leader_of(observed_) == member.listed.id;
      member.status = Fact<MemberStatus>::unknown("it has given way", observed_.at);
      member.serves = Fact<base::Duration>::unknown("it has given way", observed_.at);
    }
    if (led) elect();
    const Quorum left = quorum_of(observed_);
    if (left.up >= left.needs()) return;
    observed_.membership = Fact<Membership>::unknown("its members have given way", observed_.at);
  }

  void empty(NodeFacts& node) {
    DataDir data;
    data.state = DataState::Empty;
    if (node.data) data.path = node.data->path;
    node.data = Fact<DataDir>::known(std::move(data), observed_.at);
  }

  void insert(ObservedMember member) {
    auto& members = membership().members;
    const auto place =
        std::lower_bound(members.begin(), members.end(), member.listed.id,
                         [](const ObservedMember& each, base::MemberId id) { return each.listed.id < id; });
    members.insert(place, std::move(member));
  }

  ObservedMember* find(base::MemberId id, const std::vector<std::string>& peer_urls) {
    if (id.value != 0) return member_of(observed_, id);
    auto& members = membership().members;
    const auto found = std::find_if(members.begin(), members.end(), [&](const ObservedMember& each) {
      return base::same_texts(each.listed.peer_urls, peer_urls);
    });
    return found == members.end() ? nullptr : &*found;
  }

  ObservedMember* listed_as(const Member& wanted) {
    if (!observed_.membership) return nullptr;
    const std::vector<std::string> peer_urls = base::to_strings(wanted.peer_urls);
    for (ObservedMember& member : membership().members) {
      if (member.listed.name == wanted.name ||
          (member.listed.name.empty() && base::same_texts(member.listed.peer_urls, peer_urls))) {
        return &member;
      }
    }
    return nullptr;
  }

  MemberStatus status_of_leader() {
    const ObservedMember* leader = member_of(observed_, leader_of(observed_));
    return leader == nullptr || !leader->status ? MemberStatus{} : *leader->status;
  }

  // A started member runs the version that its manifest asks for, unless that names only a minor that it already runs.
  bool wanted_version(const ObservedMember& member) const {
    if (!desired_.etcd.version) return false;
    if (desired_.etcd.version->patch || !member.status) return true;
    const auto runs = base::parse_version(member.status->version);
    return !runs || runs->minor != desired_.etcd.version->minor;
  }

  void lead(base::MemberId id) {
    for (ObservedMember& member : membership().members) {
      if (member.status) member.status.get()->leader = id;
    }
  }

  void elect() {
    for (const ObservedMember& member : membership().members) {
      if (!member.listed.learner && is_up(member)) return lead(member.listed.id);
    }
  }

  void initialise(NodeFacts& node, const ObservedMember& member) {
    DataDir data = node.data ? *node.data : DataDir{};
    data.state = DataState::Valid;
    data.cluster = membership().cluster;
    data.member = member.listed.id;
    node.data = Fact<DataDir>::known(std::move(data), observed_.at);
  }

  // A founder has started. The cluster is there as soon as all of them have.
  void begin_new(const Member& wanted) {
    const auto started = [this](const Member& each) {
      const NodeFacts* node = node_of(observed_, each.name);
      return node != nullptr && node->data && node->data->state == DataState::Valid;
    };
    DataDir data;
    data.state = DataState::Valid;
    data.path = wanted.data_dir;
    data.member = planned_id(base::to_strings(wanted.peer_urls));
    data.cluster = forming_cluster();
    NodeFacts& node = node_for(observed_, wanted.name);
    node.data = Fact<DataDir>::known(data, observed_.at);
    const auto ready = [&](const Member& each) { return !is_founder(each) || started(each); };
    if (!std::all_of(desired_.members.begin(), desired_.members.end(), ready)) return;
    found(data.cluster);
  }

  // Of those that have started already; where nobody has, an ID that the same file always gets.
  base::ClusterId forming_cluster() const {
    for (const NodeFacts& node : observed_.nodes) {
      if (node.data && node.data->state == DataState::Valid) return node.data->cluster;
    }
    return {planned_id({desired_.name}).value};
  }

  void found(base::ClusterId cluster) {
    observed_.membership = Fact<Membership>::known(Membership{cluster, true, {}}, observed_.at);
    observed_.alarms = Fact<std::vector<Alarm>>::known({}, observed_.at);
    for (const Member& each : desired_.members) {
      if (is_founder(each)) begin(each);
    }
    elect();
  }

  void begin(const Member& wanted) {
    ObservedMember member;
    member.listed.id = node_of(observed_, wanted.name)->data->member;
    member.listed.name = wanted.name;
    member.listed.peer_urls = base::to_strings(wanted.peer_urls);
    member.listed.client_urls = base::to_strings(wanted.client_urls);
    member.listed.planned = true;
    MemberStatus status;
    if (desired_.etcd.version) status.version = base::to_string(*desired_.etcd.version);
    member.status = Fact<MemberStatus>::known(std::move(status), observed_.at);
    member.serves = Fact<base::Duration>::known({}, observed_.at);
    insert(std::move(member));
  }

  // A cluster of one, in the place of the one before it.
  void begin_seed(const Member& wanted, NodeFacts& node) {
    Pledge& pledge = *node.standing->pledge;
    pledge.started = true;
    const base::ClusterId cluster = node.data ? node.data->cluster : base::ClusterId{};
    observed_.membership = Fact<Membership>::known(Membership{cluster, true, {}}, observed_.at);
    observed_.alarms = Fact<std::vector<Alarm>>::known({}, observed_.at);
    const Decision& decision = pledge.decision;
    observed_.formed = Fact<Formed>::known(
        Formed{cluster, decision.id, decision.generation, {wanted.name}, decision.after}, observed_.at);
    if (observed_.applied) observed_.applied.get()->cluster = cluster;
    begin(wanted);
    elect();
  }

  Observed& observed_;
  const Desired& desired_;
};

// Steps that are followed by a soak: what changes how the cluster runs.
bool unsettles(const Action& action) {
  return std::holds_alternative<Promote>(action) || std::holds_alternative<Remove>(action) ||
         std::holds_alternative<WriteManifest>(action) || std::holds_alternative<UpdatePeerUrls>(action);
}

}  // namespace

void project(Observed& observed, const Desired& desired, const Action& action, StepClass step_class) {
  std::visit(Projection{observed, desired}, action);
  if (step_class != StepClass::Heal && unsettles(action)) {
    observed.last_change = Fact<base::Time>::known(observed.at, observed.at);
  }
}

}  // namespace quorate::model
