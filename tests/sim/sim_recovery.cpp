// Without a quorum: clusters that go on with the data of another, tails that nobody acknowledged, and what must hold
// before there may be a second cluster.
#include <algorithm>

#include "reconciler/model/quorum.h"
#include "reconciler/model/state_paths.h"
#include "tests/sim/sim_etcd.h"
#include "tests/sim/twins_store.h"

namespace quorate::sim {
namespace {

// Nobody can know of a disk that people have put in just now.
constexpr Duration kNews{15000};
// What all caches of the life before have never seen.
constexpr std::int64_t kBump = 1'000'000'000;

std::uint64_t id_from(const std::string& text) {
  return mix(0xcbf29ce484222325ULL, text) | 1U;
}

bool has(const std::vector<base::ClusterId>& all, base::ClusterId one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool is_in_place(const std::string& path, const Machine& machine) {
  return path == place_of(machine);
}

}  // namespace

bool is_set_aside(const std::string& path) {
  return path.find(".aside-") != std::string::npos || path.find(".restoring-") != std::string::npos;
}

std::string place_of(const Machine& machine) {
  return "/var/lib/etcd/" + machine.name;
}

std::uint64_t Cluster::term_at(std::uint64_t last) const {
  std::uint64_t found = 1;
  for (const auto& [index, of] : terms) {
    if (index <= last) found = of;
  }
  return found;
}

Reach Etcd::reach(const MemberData& data) const {
  if (data.tail != 0) return {data.tail_term, data.last + data.tail};
  return {clusters_.at(data.cluster).term_at(data.last), data.last};
}

std::int64_t Etcd::revision(const MemberData& data) const {
  const Cluster& cluster = clusters_.at(data.cluster);
  const auto& all = cluster.changes;
  const auto after =
      std::upper_bound(all.begin(), all.end(), data.last,
                       [](std::uint64_t last, const Cluster::Change& each) { return last < each.index; });
  return after == all.begin() ? cluster.born_with : std::prev(after)->revision;
}

bool Etcd::has_served(base::ClusterId cluster) const {
  return clusters_.at(cluster).formed;
}

bool Etcd::is_restored(base::ClusterId cluster) const {
  return !clusters_.at(cluster).after.empty();
}

namespace {

bool is_listed(const model::Desired& desired, const std::string& name) {
  return std::any_of(desired.members.begin(), desired.members.end(),
                     [&](const model::Member& each) { return each.name == name; });
}

}  // namespace

bool Etcd::has_data(const Cluster& cluster) const {
  return std::any_of(world_.machines.begin(), world_.machines.end(), [&](const Machine& machine) {
    if (!machine.text || !is_listed(machine.text->desired, machine.name)) return false;  // nobody asks it
    return std::any_of(machine.disk.data.begin(), machine.disk.data.end(), [&](const auto& each) {
      if (each.second.went_back) return false;
      if (each.second.cluster == cluster.id) return !is_set_aside(each.first);
      // What was restored from it and is whole is gone on with, whatever becomes of the data that gave way.
      return has(clusters_.at(each.second.cluster).after, cluster.id) &&
             machine.disk.files.count(model::decision_path(each.first)) != 0;
    });
  });
}

// Whoever has been removed hears so from anybody who knows it, also where nobody leads.
void Etcd::end_removed() {
  for (Machine& machine : world_.machines) {
    if (!machine.up || !machine.etcd || !machine.etcd->booted) continue;
    const Cluster& cluster = clusters_.at(machine.etcd->cluster);
    const auto gone = cluster.removed.find(machine.etcd->member);
    if (gone == cluster.removed.end()) continue;
    for (Machine& other : world_.machines) {
      if (!other.etcd || !other.etcd->booted || other.etcd->cluster != cluster.id || !world_.reaches(machine, other) ||
          data_of(other).last < gone->second) {
        continue;
      }
      end(machine, model::EndReason::RemovedFromCluster, "the member has been permanently removed from the cluster");
      break;
    }
  }
}

bool Etcd::is_replaced(base::ClusterId cluster) const {
  return clusters_.at(cluster).replaced;
}

// It still takes what clients send, and hears of nobody who has it.
void Etcd::grow_tail(Cluster& cluster) {
  if (!world_.deposed_tails || cluster.leader.value == 0) return;
  Machine* machine = machine_of(cluster.id, cluster.leader);
  if (machine == nullptr || data_of(*machine).last != cluster.committed || world_.noise.chance(300)) return;
  MemberData& data = data_of(*machine);
  data.tail += 1 + world_.noise.below(3000);
  data.tail_term = cluster.term;
  world_.trace(machine->name + " leads nobody, and has written " + std::to_string(data.tail) + " entries");
}

void Etcd::seed(Machine& machine, const ports::Seeding& seeding, const MemberData& source,
                const model::Decision& decision) {
  const std::string& url = seeding.peer_urls.front();
  const base::ClusterId id{id_from(seeding.token + " " + url)};
  const base::MemberId self{id_from(url + " " + seeding.token)};
  if (clusters_.count(id) != 0 && clusters_.at(id).formed) {
    return world_.violate(machine.name + " restores cluster " + base::to_string(id) + " again, which has served");
  }
  const Cluster& before = clusters_.at(source.cluster);
  Cluster cluster;
  cluster.id = id;
  cluster.after = decision.after;
  cluster.decision = decision.id;
  cluster.committed = cluster.term = 1;
  cluster.confs.push_back({1, {{self, seeding.member, seeding.peer_urls, {}, false}}});
  cluster.revision = cluster.born_with = before.revision + kBump;
  cluster.generation = decision.generation;
  cluster.ever_ran.insert(self);
  for (const Cluster::Change& change : before.changes) {
    if (change.index > source.last) break;
    for (const ports::Write& write : change.writes) {
      cluster.keys.erase(write.key);
      if (write.value) {
        cluster.keys[write.key] = {write.key, *write.value, change.revision, change.revision, write.lease};
        cluster.leases[write.lease] = {Duration{20000}, world_.now() + Duration{60000}};  // its full time again
      }
    }
  }
  cluster.leases.erase(0);
  clusters_[id] = std::move(cluster);
  machine.disk.data[seeding.data_dir] = {id, self, 1, 1, world_.now()};
}

// Whoever has data of it where a start would find them, or did have before he gave way; people have given up the rest.
std::vector<Machine*> Etcd::holders(const Cluster& cluster, const Machine& asker) {
  std::vector<Machine*> found;
  for (Machine& machine : world_.machines) {
    if (machine.given_up || !asker.text) continue;
    const auto& all = asker.text->desired.members;
    const bool asked =
        std::any_of(all.begin(), all.end(), [&](const auto& member) { return member.name == machine.name; });
    const bool holds = std::any_of(machine.disk.data.begin(), machine.disk.data.end(), [&](const auto& each) {
      return each.second.cluster == cluster.id && !is_set_aside(each.first) && !each.second.went_back;
    });
    if (asked && holds) found.push_back(&machine);
  }
  return found;
}

void Etcd::check_source(const Machine& machine, const MemberData& data, const std::string& source) {
  const Reach own = reach(data);
  const std::string text =
      base::to_string(data.member) + "@" + std::to_string(own.term) + "." + std::to_string(own.index);
  if (text != source) {
    return world_.violate(machine.name + " goes on with " + text + ", and all have promised " + source);
  }
  const bool said =
      std::any_of(world_.machines.begin(), world_.machines.end(), [](const Machine& each) { return each.told_loss; });
  if (world_.ordered == machine.name && said) return;  // people have chosen, and knew what it costs
  const auto further = reaches_further(machine, data, world_.now());
  if (!further) return;
  world_.violate("the cluster goes on with the data of " + machine.name + ", which end at entry " +
                 std::to_string(own.index) + " of term " + std::to_string(own.term) + ", though those of " +
                 further->first + " reach entry " + std::to_string(further->second.index) + " of term " +
                 std::to_string(further->second.term));
}

std::optional<std::pair<std::string, Reach>> Etcd::reaches_further(const Machine& asker, const MemberData& data,
                                                                   Duration looked) {
  for (const Machine* other : holders(clusters_.at(data.cluster), asker)) {
    // Whose disk people have just changed, or of whom they have just changed their mind.
    if (looked - std::max(other->disk_changed_at, world_.edited_at) < kNews) continue;
    for (const auto& [path, theirs] : other->disk.data) {
      const bool counts = theirs.cluster == data.cluster && !is_set_aside(path) && !theirs.went_back;
      if (counts && reach(theirs) > reach(data)) return std::pair(other->name, reach(theirs));
    }
  }
  return std::nullopt;
}

void Etcd::check_backup(const Machine& machine, const model::Decision& decision, const MemberData& data) {
  const auto stored = data_in_backup(world_, decision.backup->name);
  if (stored && (stored->cluster != data.cluster || stored->last != data.last)) {
    return world_.violate(machine.name + " restores what is not in " + decision.backup->name);
  }
  const bool asked = world_.restores_ordered.count(decision.generation) != 0;
  if (decision.deliberate) {
    if (asked) return;
    return world_.violate(machine.name + " restores " + decision.backup->name + " of a cluster that ran, unasked");
  }
  const auto further = reaches_further(machine, data, machine.restore_begun_at);
  if (asked || !further) return;
  world_.violate(machine.name + " restores " + decision.backup->name + " up to entry " + std::to_string(data.last) +
                 ", though the data of " + further->first + " reach entry " + std::to_string(further->second.index));
}

void Etcd::check_promises(const Machine& seed, const model::Decision& decision) {
  for (const model::Founder& founder : decision.founders) {
    const Machine* machine = world_.machine_named(founder.member);
    if (machine == nullptr || machine->given_up || world_.now() - machine->disk_changed_at < kNews) continue;
    const auto is_of_before = [&](const MemberData& data) { return has(decision.after, data.cluster); };
    const bool runs = machine->etcd && machine->etcd->booted && has(decision.after, machine->etcd->cluster);
    if (runs) {
      return world_.violate(seed.name + " begins decision " + decision.id +
                            ", and etcd of the cluster before runs on " + machine->name);
    }
    for (const auto& [path, data] : machine->disk.data) {
      if (!is_in_place(path, *machine) || !is_of_before(data)) continue;
      return world_.violate(seed.name + " begins decision " + decision.id + ", and on " + machine->name +
                            " the data of the cluster before are in place");
    }
  }
}

// A quorum of the voters could be started as they are, so there is nothing to recover from.
void Etcd::check_giving_way(const Machine& machine, const model::Decision& decision) {
  const Cluster* cluster = formed();
  if (cluster == nullptr) return world_.violate(machine.name + " gives way, and there has never been a cluster");
  // People want another state than the one that runs.
  if (decision.backup && world_.restores_ordered.count(decision.generation) != 0) return;
  int whole = 0;
  for (const model::ListedMember& member : cluster->members()) {
    if (member.learner) continue;
    const auto has_it = [&](const Machine& each) {
      if (each.given_up || world_.now() - each.disk_changed_at < kNews) return false;
      const auto is_it = [&](const auto& data) {
        return data.second.cluster == cluster->id && data.second.member == member.id && !data.second.went_back &&
               !is_set_aside(data.first);
      };
      return std::any_of(each.disk.data.begin(), each.disk.data.end(), is_it);
    };
    if (std::any_of(world_.machines.begin(), world_.machines.end(), has_it)) ++whole;
  }
  const int voters = voters_in(cluster->members());
  if (whole < model::quorum(voters)) return;
  world_.violate(machine.name + " gives way, and " + std::to_string(whole) + " of " + std::to_string(voters) +
                 " voters have their data");
}

// Whoever has given way, or whose cluster another one has replaced, is not started by an agent.
void Etcd::check_start(Machine& machine, Cluster& cluster) {
  const std::string& path = machine.etcd->data_dir;
  if (!machine.etcd->stray && path.find(model::kYielded) != std::string::npos) {
    return world_.violate(machine.name + " is started on data that have given way");
  }
  const std::string start = place_of(machine) + model::kYielded;
  for (const auto& [other, data] : machine.disk.data) {
    const bool gave_way = other.compare(0, start.size(), start) == 0 && data.cluster == cluster.id;
    if (gave_way && !machine.etcd->stray && world_.now() - machine.disk_changed_at > kNews) {
      return world_.violate(machine.name + " is started on data of the cluster that it has given way for");
    }
  }
  if (cluster.formed || cluster.after.empty()) return;
  for (Machine& each : world_.machines) {
    for (const auto& [file, content] : each.disk.files) {
      if (file.find(std::string(model::kYielded) + cluster.decision + "/") == std::string::npos) continue;
      const auto decision = read_decision(content.content);
      if (decision && decision->id == cluster.decision) return check_promises(machine, *decision);
    }
  }
}

bool Etcd::is_nowhere(base::ClusterId cluster) const {
  const auto is_of_it = [&](const auto& each) { return each.second.cluster == cluster; };
  return std::none_of(world_.machines.begin(), world_.machines.end(), [&](const Machine& each) {
    const auto& beneath = each.beneath.data;
    return std::any_of(each.disk.data.begin(), each.disk.data.end(), is_of_it) ||
           std::any_of(beneath.begin(), beneath.end(), is_of_it);
  });
}

// What takes the place of another does so once, and for good.
void Etcd::succeed(Cluster& cluster) {
  if (cluster.replaced) {
    return world_.violate("cluster " + base::to_string(cluster.id) + " serves again, and another has replaced it");
  }
  Cluster* other = formed();
  if (other != nullptr && !has(cluster.after, other->id) && is_nowhere(other->id)) {
    other->replaced = true;  // it was lost with its only disk, as people have said
    other = formed();
  }
  if (other != nullptr && !has(cluster.after, other->id)) {
    return world_.violate("two clusters: " + base::to_string(other->id) + " and " + base::to_string(cluster.id));
  }
  for (const base::ClusterId before : cluster.after) {
    Cluster& old = clusters_.at(before);
    if (leader(old) != nullptr) {
      return world_.violate("two clusters: " + base::to_string(before) + " still serves, and " +
                            base::to_string(cluster.id) + " takes its place");
    }
    old.replaced = true;
  }
  cluster.formed = true;
}

}  // namespace quorate::sim
