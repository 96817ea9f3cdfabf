// How members boot, elect, replicate and end.
#include "tests/sim/sim_etcd.h"

#include <algorithm>

#include "reconciler/model/claim.h"
#include "reconciler/model/memory.h"
#include "reconciler/model/quorum.h"
#include "reconciler/model/records.h"

namespace quorate::sim {
namespace {

constexpr std::uint64_t kEntriesOfAWrite = 200;  // many clients write, and one of them is watched

std::uint64_t id_from(const std::string& text) {
  return mix(0xcbf29ce484222325ULL, text) | 1U;
}

std::string without_quotes(std::string text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

bool is_booted(const Machine& machine) {
  return machine.up && machine.etcd && machine.etcd->booted;
}

// Its runtime reads so in what etcd writes.
void say_that_log_is_there(Machine& machine) {
  for (Running& running : machine.running) running.had_log = running.had_log || running.pid == machine.etcd->pid;
}

}  // namespace

const model::ListedMember* member_in(const Members& members, base::MemberId id) {
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.id == id; });
  return found == members.end() ? nullptr : &*found;
}

int voters_in(const Members& members) {
  return static_cast<int>(
      std::count_if(members.begin(), members.end(), [](const auto& each) { return !each.learner; }));
}

const Members& Cluster::members_at(std::uint64_t last) const {
  static const Members none;
  const Members* found = &none;
  for (const Conf& conf : confs) {
    if (conf.index <= last) found = &conf.members;
  }
  return *found;
}

std::optional<Boot> read_boot(const std::string& text) {
  std::map<std::string, std::string> values;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || line.front() == ' ' || line.front() == '#') continue;
    values[line.substr(0, colon)] = without_quotes(line.substr(colon + 2));
  }
  Boot boot{values["name"],
            values["data-dir"],
            values["initial-advertise-peer-urls"],
            values["advertise-client-urls"],
            values["initial-cluster-state"],
            values["initial-cluster-token"],
            {}};
  const std::string initial = values["initial-cluster"] + ",";
  at = 0;
  for (std::size_t comma = initial.find(','); comma != std::string::npos; comma = initial.find(',', at)) {
    const std::string entry = initial.substr(at, comma - at);
    at = comma + 1;
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) boot.initial[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  if (boot.name.empty() || boot.data_dir.empty() || boot.initial.empty()) return std::nullopt;
  return boot;
}

// ------------------------------------------------------------------------------------------------------- starting
void Etcd::boot(Machine& machine) {
  const auto file = machine.disk.files.find(machine.etcd->config);
  if (file == machine.disk.files.end()) return end(machine, model::EndReason::BadFlag, "cannot read its configuration");
  const auto boot = read_boot(file->second.content);
  if (!boot) return end(machine, model::EndReason::BadConfig, "cannot read its configuration");
  Process& process = *machine.etcd;
  process.name = boot->name;
  process.data_dir = boot->data_dir;
  process.peer_url = boot->peer_url;
  process.client_url = boot->client_url;
  const auto data = machine.disk.data.find(boot->data_dir);
  if (data == machine.disk.data.end()) return boot->state == "new" ? found(machine, *boot) : join(machine, *boot);
  Cluster& cluster = clusters_.at(data->second.cluster);
  const auto gone = cluster.removed.find(data->second.member);
  if (gone != cluster.removed.end() && gone->second <= data->second.last) {
    return end(machine, model::EndReason::RemovedFromCluster,
               "the member has been permanently removed from the cluster");
  }
  check_start(machine, cluster);
  process.cluster = data->second.cluster;
  process.member = data->second.member;
  process.booted = true;
  say_that_log_is_there(machine);
  machine.etcd_down_since = Duration{-1};
}

void Etcd::end(Machine& machine, model::EndReason reason, const std::string& text) {
  world_.crash_etcd(machine, reason, text);
}

// Nobody counts on a learner that has ended before its name was in the list, and whose log is gone.
bool Etcd::is_unheard_of(const Machine& machine, const Cluster& cluster, base::MemberId member) const {
  const auto* listed = member_in(cluster.members(), member);
  const auto& all = machine.disk.data;
  return listed != nullptr && listed->learner && listed->name.empty() &&
         std::none_of(all.begin(), all.end(), [&](const auto& each) { return each.second.member == member; });
}

void Etcd::begin(Machine& machine, Cluster& cluster, base::MemberId member, std::uint64_t last) {
  if (cluster.ever_ran.count(member) != 0 && !is_unheard_of(machine, cluster, member)) {
    world_.violate(machine.name + " starts from nothing under its old ID " + base::to_string(member) +
                   ": it votes with amnesia");
  }
  cluster.ever_ran.insert(member);
  machine.disk.data[machine.etcd->data_dir] = {cluster.id, member, 0, last, world_.now()};
  machine.etcd->cluster = cluster.id;
  machine.etcd->member = member;
  machine.etcd->booted = true;
  say_that_log_is_there(machine);
  machine.etcd->catches_up_at = world_.now() + world_.noise.between(50, 600);
  if (last == 0 && world_.slow_learners) {
    machine.etcd->is_full_at = world_.now() + Duration{1000 + static_cast<std::int64_t>(member.value % 9000)};
  }
  machine.etcd_down_since = Duration{-1};
  world_.wake(machine);
  if (!machine.dies_young) return;
  machine.dies_young = false;
  const std::int64_t pid = machine.etcd->pid;
  world_.after(Duration{10}, [this, &machine, pid] {
    if (!machine.etcd || machine.etcd->pid != pid) return;
    world_.trace("etcd of " + machine.name + " ends at once");
    end(machine, model::EndReason::Other, "signal: killed");
  });
}

// Every founder that people have not replaced meanwhile has promised the decision that the token names.
void Etcd::check_founding(Machine& machine, const Boot& boot, const Cluster& cluster, base::MemberId member) {
  const std::string decision = boot.token.substr(boot.token.rfind('-') + 1);
  for (const auto& [name, url] : boot.initial) {
    Machine* founder = world_.machine_at(url);
    if (founder == nullptr || founder->state_was_wiped) continue;
    const auto holds = [&](const std::string& state_dir) {  // of either of its agents, where it has two
      const auto memory = founder->disk.files.find(state_dir + "/sim/" + name + "/memory.json");
      return memory != founder->disk.files.end() &&
             memory->second.content.find("\"" + decision + "\"") != std::string::npos;
    };
    if (!holds(kStateDir) && !holds(std::string(kStateDir) + "-2")) {
      world_.violate(machine.name + " forms a cluster under decision " + decision + ", which " + name +
                     " has not promised");
    }
  }
  const Cluster* other = formed();
  if (other == nullptr) return;
  if (other->id != cluster.id) {
    world_.violate(machine.name + " forms cluster " + base::to_string(cluster.id) + " beside " +
                   base::to_string(other->id));
  } else if (member_in(other->members(), member) == nullptr) {
    world_.violate(machine.name + " starts as a founder of a cluster that it is not in any more");
  }
}

void Etcd::found(Machine& machine, const Boot& boot) {
  std::string everyone = boot.token;
  std::vector<std::string> urls;
  for (const auto& [name, url] : boot.initial) urls.push_back(url);
  std::sort(urls.begin(), urls.end());
  for (const std::string& url : urls) everyone += " " + url;
  const base::ClusterId id{id_from(everyone)};
  const base::MemberId self{id_from(boot.peer_url + " " + boot.token)};
  for (Machine& other : world_.machines) {
    if (&other == &machine || !is_booted(other) || !world_.reaches(machine, other) || other.etcd->cluster != id)
      continue;
    const auto* listed = member_in(clusters_.at(id).members_at(data_of(other).last), self);
    if (listed == nullptr || !listed->client_urls.empty()) {
      return end(machine, model::EndReason::Other,
                 "member " + base::to_string(self) + " has already been bootstrapped");
    }
  }
  const bool is_first = clusters_.count(id) == 0;
  Cluster& cluster = clusters_[id];
  if (is_first) {
    cluster.id = id;
    Members members;
    for (const auto& [name, url] : boot.initial) {
      members.push_back({{id_from(url + " " + boot.token)}, name, {url}, {}, false});
    }
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    cluster.committed = members.size();
    cluster.confs.push_back({members.size(), std::move(members)});
  }
  check_founding(machine, boot, cluster, self);
  begin(machine, cluster, self, cluster.confs.front().index);
}

void Etcd::join(Machine& machine, const Boot& boot) {
  const bool keeps = boot.initial.size() == 1 && boot.initial.count(boot.name) != 0;
  const bool careless = world_.has(Bug::RuntimeIgnoresKeep) && keeps;
  for (Machine& other : world_.machines) {
    if (&other == &machine || !is_booted(other) || !world_.reaches(machine, other)) continue;
    const bool named = std::any_of(boot.initial.begin(), boot.initial.end(),
                                   [&](const auto& each) { return each.second == other.etcd->peer_url; });
    if (!named && !careless) continue;
    Cluster& cluster = clusters_.at(other.etcd->cluster);
    const Members& members = cluster.members_at(data_of(other).last);
    const bool same = members.size() == boot.initial.size() &&
                      std::all_of(members.begin(), members.end(), [&](const model::ListedMember& each) {
                        return std::any_of(boot.initial.begin(), boot.initial.end(),
                                           [&](const auto& entry) { return entry.second == each.peer_urls.front(); });
                      });
    const auto self = std::find_if(members.begin(), members.end(), [&](const model::ListedMember& each) {
      return each.peer_urls.front() == boot.peer_url;
    });
    if ((!same && !careless) || self == members.end()) continue;
    return begin(machine, cluster, self->id, 0);
  }
  end(machine, model::EndReason::Other, "error validating peerURLs: cannot fetch cluster info from peer urls");
}

// ------------------------------------------------------------------------------------------------ who runs, who sees
Machine* Etcd::machine_of(base::ClusterId cluster, base::MemberId member) {
  for (Machine& machine : world_.machines) {
    if (is_booted(machine) && machine.etcd->cluster == cluster && machine.etcd->member == member) return &machine;
  }
  return nullptr;
}

Machine* Etcd::disk_of(base::ClusterId cluster, base::MemberId member) {
  for (Machine& machine : world_.machines) {
    for (const auto& [path, data] : machine.disk.data) {
      if (data.cluster == cluster && data.member == member && !data.went_back &&
          path.find(".aside-") == std::string::npos && path.find(".restoring-") == std::string::npos)
        return &machine;
    }
  }
  return nullptr;
}

std::pair<int, int> Etcd::whole_voters(const Cluster& cluster) {
  int whole = 0;
  for (const model::ListedMember& member : cluster.members()) {
    if (!member.learner && disk_of(cluster.id, member.id) != nullptr) ++whole;
  }
  return {whole, voters_in(cluster.members())};
}

Cluster* Etcd::formed() {
  for (auto& [id, cluster] : clusters_) {
    if (cluster.formed && !cluster.replaced) return &cluster;
  }
  return nullptr;
}

Cluster* Etcd::cluster_of(const Machine& machine) {
  return is_booted(machine) ? &clusters_.at(machine.etcd->cluster) : nullptr;
}

Machine* Etcd::leader(Cluster& cluster) {
  Machine* machine = cluster.leader.value == 0 ? nullptr : machine_of(cluster.id, cluster.leader);
  if (machine == nullptr) return nullptr;
  const auto* self = member_in(cluster.members(), cluster.leader);
  if (self == nullptr || self->learner) return nullptr;
  int follow = 0;
  for (const model::ListedMember& member : cluster.members()) {
    const Machine* voter = member.learner ? nullptr : machine_of(cluster.id, member.id);
    if (voter != nullptr && world_.reaches(*machine, *voter)) ++follow;
  }
  return follow >= model::quorum(voters_in(cluster.members())) ? machine : nullptr;
}

bool Etcd::sees_quorum(const Machine& machine) {
  const Cluster* cluster = formed();
  if (cluster == nullptr) return true;
  int seen = 0;
  for (const model::ListedMember& member : cluster->members()) {
    const Machine* voter = member.learner ? nullptr : machine_of(cluster->id, member.id);
    if (voter != nullptr && world_.reaches(machine, *voter)) ++seen;
  }
  return seen >= model::quorum(voters_in(cluster->members()));
}

bool Etcd::serves(Machine& at) {
  Cluster& cluster = clusters_.at(at.etcd->cluster);
  const Machine* leads = leader(cluster);
  return leads != nullptr && world_.reaches(at, *leads);
}

bool Etcd::connected(const Machine& self, const Machine& other) const {
  if (&self == &other) return true;
  constexpr Duration kHealthInterval{5000};
  return world_.reaches(self, other) &&
         world_.now() - std::max(self.etcd->up_since, other.etcd->up_since) >= kHealthInterval;
}

int Etcd::connected_voters(const Cluster& cluster, Machine& self) {
  int count = 0;
  for (const model::ListedMember& member : cluster.members()) {
    const Machine* voter = member.learner ? nullptr : machine_of(cluster.id, member.id);
    if (voter != nullptr && connected(self, *voter)) ++count;
  }
  return count;
}

int Etcd::started_voters(const Cluster& cluster, base::MemberId except) const {
  const Members& members = cluster.members();
  return static_cast<int>(std::count_if(members.begin(), members.end(), [&](const auto& each) {
    return !each.learner && each.id != except && !each.name.empty();
  }));
}

// ------------------------------------------------------------------------------------------------------- the log
// How much of the log a member has that the leader sends it: a learner gets most of it at once, as a snapshot.
std::uint64_t Etcd::reached(const Cluster& cluster, Machine& machine) {
  const std::uint64_t last = data_of(machine).last;
  if (machine.etcd->catches_up_at > world_.now()) return last;
  if (machine.etcd->is_full_at <= world_.now()) return cluster.committed;
  return std::max(last, cluster.committed * 91 / 100);
}

// A quorum has it on disk before anybody is told; the rest have it soon.
void Etcd::commit(Cluster& cluster, Machine& leader) {
  ++cluster.committed;
  int missing = model::quorum(voters_in(cluster.members()));
  const auto store = [&](Machine& machine) {
    MemberData& data = data_of(machine);
    data.last = cluster.committed;
    data.term = cluster.term;
    data.tail = data.tail_term = 0;
  };
  store(leader);
  --missing;
  std::vector<Machine*> others;
  for (const model::ListedMember& member : cluster.members()) {
    Machine* machine = machine_of(cluster.id, member.id);
    if (machine == nullptr || machine == &leader || !world_.reaches(leader, *machine)) continue;
    const bool behind = std::max(machine->etcd->catches_up_at, machine->etcd->is_full_at) > world_.now();
    if (behind && member.learner) continue;
    if (member.learner) {
      store(*machine);
    } else {
      others.push_back(machine);
    }
  }
  const std::size_t first = others.empty() ? 0 : static_cast<std::size_t>(world_.noise.below(others.size()));
  for (std::size_t i = 0; i < others.size(); ++i) {
    Machine& machine = *others[(first + i) % others.size()];
    if (missing-- > 0 || world_.noise.chance(500)) store(machine);
  }
}

void Etcd::change(Cluster& cluster, Machine& leader, Members members) {
  commit(cluster, leader);
  std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  cluster.confs.push_back({cluster.committed, std::move(members)});
}

bool Etcd::electable(const Cluster& cluster, Machine& candidate) {
  const Reach own = reach(data_of(candidate));
  const Members& members = cluster.members_at(data_of(candidate).last);
  const auto* self = member_in(members, candidate.etcd->member);
  if (self == nullptr || self->learner) return false;
  int votes = 0;
  for (const model::ListedMember& member : members) {
    Machine* voter = member.learner ? nullptr : machine_of(cluster.id, member.id);
    if (voter != nullptr && world_.reaches(candidate, *voter) && reach(data_of(*voter)) <= own) ++votes;
  }
  return votes >= model::quorum(voters_in(members));
}

void Etcd::elect(Cluster& cluster) {
  std::vector<Machine*> candidates;
  for (Machine& machine : world_.machines) {
    if (is_booted(machine) && machine.etcd->cluster == cluster.id && electable(cluster, machine)) {
      candidates.push_back(&machine);
    }
  }
  if (candidates.empty()) return;
  Machine& winner = *world_.noise.pick(candidates);
  const std::uint64_t last = data_of(winner).last;
  if (last < cluster.acknowledged) {
    world_.violate("acknowledged writes are lost: " + winner.name + " leads with " + std::to_string(last) +
                   " entries, " + std::to_string(cluster.acknowledged) + " were acknowledged");
  } else if (last < cluster.committed) {
    world_.violate("the log goes back: " + winner.name + " leads with " + std::to_string(last) + " of " +
                   std::to_string(cluster.committed) + " entries");
  }
  if (!world_.violation().empty()) return;
  if (!cluster.formed || cluster.replaced) succeed(cluster);
  if (!world_.violation().empty()) return;
  MemberData& data = data_of(winner);
  cluster.committed += data.tail;  // nobody had anything else behind it, so it counts now
  data.tail = data.tail_term = 0;
  cluster.leader = winner.etcd->member;
  cluster.election_at = Duration{-1};
  ++cluster.term;
  cluster.terms.emplace_back(cluster.committed + 1, cluster.term);
  for (auto& [id, lease] : cluster.leases) lease.ends = world_.now() + lease.ttl;
  commit(cluster, winner);
  world_.trace("leader " + winner.name);
}

void Etcd::publish(Cluster& cluster, Machine& leader, Machine& machine) {
  Members members = cluster.members();
  for (model::ListedMember& member : members) {
    if (member.id != machine.etcd->member) continue;
    if (member.name == machine.etcd->name && member.client_urls == std::vector<std::string>{machine.etcd->client_url}) {
      return;
    }
    member.name = machine.etcd->name;
    member.client_urls = {machine.etcd->client_url};
    return change(cluster, leader, std::move(members));
  }
}

void Etcd::replicate(Cluster& cluster, Machine& leader) {
  for (Machine& machine : world_.machines) {
    if (!is_booted(machine) || machine.etcd->cluster != cluster.id || !world_.reaches(leader, machine)) continue;
    if (member_in(cluster.members(), machine.etcd->member) == nullptr) {
      data_of(machine).last = cluster.committed;
      end(machine, model::EndReason::RemovedFromCluster, "the member has been permanently removed from the cluster");
      continue;
    }
    if (machine.etcd->catches_up_at > world_.now()) continue;
    MemberData& data = data_of(machine);
    data.last = reached(cluster, machine);
    data.term = cluster.term;
    data.went_back = data.went_back && data.last != cluster.committed;
    data.tail = data.tail_term = 0;
    if (!machine.etcd->ready) {
      machine.etcd->ready = true;
      world_.wake(machine);
    }
    publish(cluster, leader, machine);
  }
}

void Etcd::tick() {
  for (auto& [id, cluster] : clusters_) {
    Machine* leads = leader(cluster);
    if (leads == nullptr) {
      grow_tail(cluster);
      cluster.leader = {};
      if (cluster.election_at.count() < 0) cluster.election_at = world_.now() + world_.noise.between(800, 1800);
      if (cluster.election_at <= world_.now()) elect(cluster);
      leads = leader(cluster);
    }
    if (leads == nullptr) continue;
    cluster.election_at = Duration{-1};
    expire(cluster, *leads);
    replicate(cluster, *leads);
  }
  if (world_.recovers) end_removed();
  constexpr Duration kAWhile{5000};
  for (Machine& machine : world_.machines) {
    // Without a leader etcd answers all the same after a while.
    if (is_booted(machine) && world_.now() - machine.etcd->up_since > Duration{5000}) machine.etcd->ready = true;
    if (!sees_quorum(machine)) continue;
    machine.saw_quorum_at = world_.now();
    if (!is_booted(machine)) continue;
    if (world_.now() - machine.with_others_at > kAWhile) machine.back_at = world_.now();
    machine.with_others_at = world_.now();
  }
}

bool Etcd::write(Machine& machine) {
  if (!is_booted(machine) || !machine.etcd->ready || !serves(machine)) return false;
  Cluster& cluster = clusters_.at(machine.etcd->cluster);
  cluster.committed += kEntriesOfAWrite - 1;
  commit(cluster, *leader(cluster));
  ++cluster.revision;
  cluster.changes.push_back({cluster.committed, cluster.revision, {}});
  cluster.acknowledged = cluster.committed;
  return true;
}

// Under the lock the agent has just looked; a slow disk holds back what it writes down.
void Etcd::check_file(const Machine& machine, const model::JournalEntry& entry) {
  constexpr Duration kLooked{5000};
  constexpr const char* kOfTheCluster[] = {"add-member/", "promote/", "remove/", "move-leader/"};
  const Cluster* cluster = formed();
  if (cluster == nullptr || std::none_of(std::begin(kOfTheCluster), std::end(kOfTheCluster), [&](const char* kind) {
        return entry.step.compare(0, std::string_view(kind).size(), kind) == 0;
      })) {
    return;
  }
  const auto record = cluster->keys.find(model::kInForceKey);
  if (record == cluster->keys.end() || record->second.value.find(entry.desired_digest) != std::string::npos) return;
  if (world_.now() - cluster->in_force_since < kLooked) return;
  world_.violate(machine.name + " begins " + entry.step + " for a file that is not in force");
}

void Etcd::check_promotion(base::MemberId member) {
  constexpr std::uint64_t kMeanwhile = kEntriesOfAWrite * 30;  // since the agent has looked
  Cluster* cluster = formed();
  Machine* machine = cluster == nullptr ? nullptr : machine_of(cluster->id, member);
  if (machine == nullptr) return;
  const std::uint64_t behind = cluster->committed - data_of(*machine).last;
  if (behind <= model::kPromotionLag + kMeanwhile) return;
  world_.violate(machine->name + " is to become a voter, and is " + std::to_string(behind) + " entries behind");
}

std::vector<base::MemberId> Etcd::active_peers(Machine& at) {
  std::vector<base::MemberId> peers;
  const Cluster& cluster = clusters_.at(at.etcd->cluster);
  for (const model::ListedMember& member : cluster.members_at(data_of(at).last)) {
    const Machine* other = machine_of(cluster.id, member.id);
    if (other != nullptr && other != &at && world_.reaches(at, *other)) peers.push_back(member.id);
  }
  return peers;
}

}  // namespace quorate::sim
