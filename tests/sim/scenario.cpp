// Each seed has its own few kinds of faults: a world with all of them at once is always the same.
#include "tests/sim/scenario.h"

#include <algorithm>
#include <map>

#include "reconciler/base/words.h"
#include "reconciler/model/quorum.h"
#include "reconciler/model/records.h"
#include "reconciler/model/state_paths.h"
#include "tests/sim/agent_life.h"
#include "tests/sim/sim_etcd.h"

namespace quorate::sim {
namespace {

constexpr int kMachines = 6;

std::string text_of(const std::vector<std::string>& members, int variant,
                    const std::map<std::string, std::string>& lost) {
  std::string list;
  for (const std::string& name : members) {
    const std::string address = "127.0.0." + std::to_string(11 + (name.back() - 'a'));
    const auto gone = lost.find(name);
    list += (list.empty() ? "" : ", ") + name + ": ";
    list += gone == lost.end() ? address : "{address: " + address + ", lost: \"" + gone->second + "\"}";
  }
  return "apiVersion: quorate/v1\nname: sim\nmembers: {" + list + "}\ntls: {mode: \"off\"}\netcd: {version: \"" +
         kVersion + "\", binary: /usr/bin/etcd, snapshotCount: " + std::to_string(10000 + variant) +
         "}\nruntime: {type: process, stopTimeout: 5s}\nstorage: {dir: /var/lib/etcd}\n"
         "reconcile: {maxHealsPerDay: 1000}\nprotect: {approve: [], maxRemovals: 5}\nrollout: {soak: 1s}\n";
}

// Reading and rendering cost more than a pass does, and there are few different texts.
std::shared_ptr<const loop::Followed> read(World& world, const std::string& text, const std::string& state_dir) {
  static std::map<std::string, std::shared_ptr<const loop::Followed>> known;
  auto& there = known[state_dir + "\n" + text];
  if (there) return there;
  loop::Read read = loop::read_desired(model::Source("/etc/quorate/quorate.yaml", text, "/etc/quorate"), state_dir);
  if (!read.followed) {
    std::string all;
    for (const auto& finding : read.findings) all += finding.message + "; ";
    world.violate("the desired file is not valid: " + all);
    return nullptr;
  }
  // As in life, in a fifth of the time.
  read.followed->desired.reconcile.every = Duration{10000};
  read.followed->desired.recovery.open_when = model::OpenWhen::First;  // there is no TLS here
  read.followed->desired.reconcile.dead_after = Duration{45000};
  there = std::make_shared<const loop::Followed>(*std::move(read.followed));
  return there;
}

}  // namespace

std::optional<model::Memory> memory_on(const Machine& machine) {
  const auto file = machine.disk.files.find(model::memory_path(kStateDir, "sim", machine.name));
  if (file == machine.disk.files.end()) return std::nullopt;
  const auto memory = model::read_memory(file->second.content, file->first);
  return memory ? std::optional(*memory) : std::nullopt;
}

Scenario::Scenario(World& world) : world_(world) {
  world.machines.resize(kMachines);
  for (int i = 0; i < kMachines; ++i) {
    Machine& machine = world.machines[static_cast<std::size_t>(i)];
    machine.name = std::string("etcd-") + static_cast<char>('a' + i);
    machine.address = "127.0.0." + std::to_string(11 + i);
    machine.saw_quorum_at = world.now();
  }
  const int all = static_cast<int>(Fault::RestoreOrders) + 1;
  const int kinds = world.options.kinds == 0 ? all : std::min(world.options.kinds, all);
  for (int i = 0; i < kinds; ++i) {
    if (world.chance.chance(450)) faults_.push_back(static_cast<Fault>(i));
  }
  bold_ = world.chance.chance(60);
  // A second agent without any memory beside disks that are all wiped is the wiping of what agents remember, too.
  if (bold_) {
    take(Fault::SecondAgent);
    faults_.push_back(Fault::WipedDisk);
  }
  prepare_ruin();
  prepare_backups();
  world.slow_learners = take(Fault::SlowLearners);
  const int sizes[] = {1, 3, 3, 3, 3, 5};
  int size = sizes[world.chance.below(6)];
  if (ruins_ && world.deposed_tails && world.chance.chance(600)) size = 5;
  for (int i = 0; i < size; ++i) members_.push_back(world.machines[static_cast<std::size_t>(i)].name);
  length_ = world.chance.between(40000, 160000);
  if (ruins_) length_ += Duration{120000};
}

bool Scenario::take(Fault fault) {
  const bool there = std::count(faults_.begin(), faults_.end(), fault) != 0;
  faults_.erase(std::remove(faults_.begin(), faults_.end(), fault), faults_.end());
  return there;
}

void Scenario::begin() {
  publish();
  tick();
  world_.after(Duration{500}, [this] { write(); });
  const int edits = static_cast<int>(world_.chance.below(4));
  for (int i = 0; i < edits; ++i) {
    world_.after(world_.chance.between(10000, length_.count()), [this] {
      // Which members are ours is written down when the first file has been carried out.
      const Cluster* cluster = world_.etcd().formed();
      if (!over_ && cluster != nullptr && cluster->keys.count(model::kAppliedKey) != 0) edit();
    });
  }
  if (!faults_.empty()) world_.after(world_.chance.between(500, 20000), [this] { next_fault(); });
  if (ruins_) world_.after(world_.chance.between(30000, length_.count() - 100000), [this] { ruin(); });
  if (restores_) world_.after(world_.chance.between(40000, length_.count()), [this] { order_restore(); });
  if (has_people()) people();
}

void Scenario::tick() {
  world_.etcd().tick();
  world_.after(Duration{100}, [this] { tick(); });
}

void Scenario::write() {
  if (world_.etcd().write(somebody())) ++world_.writes_acknowledged;
  world_.after(Duration{100}, [this] { write(); });
}

Machine& Scenario::somebody() {
  std::vector<Machine*> listed;
  for (Machine& machine : world_.machines) {
    if (machine.listed) listed.push_back(&machine);
  }
  return *world_.chance.pick(listed);
}

// -------------------------------------------------------------------------------------------------------- desired
// files
void Scenario::publish() {
  for (const std::string& name : members_) world_.machine_named(name)->listed = true;
  world_.edited_at = world_.now();
  std::string all;
  for (const std::string& name : members_) all += " " + name;
  world_.trace("file:" + all + " variant " + std::to_string(variant_) + said_of_recovery());
  for (Machine& machine : world_.machines) {
    if (!machine.listed || stale_.count(machine.name) != 0) continue;
    world_.after(world_.chance.between(0, machine.text ? 4000 : 1500), [this, &machine] {
      if (stale_.count(machine.name) == 0) give(machine);
    });
  }
}

std::string Scenario::text_for(const Machine& machine) const {
  const bool other = contrary_ && !over_ && !other_survivor_.empty() && machine.name.back() % 2 == 0;
  const std::string& named = other ? other_survivor_ : survivor_;
  const std::string survivor = std::count(members_.begin(), members_.end(), named) != 0 ? named : "";
  std::string text = text_of(members_, variant_, lost_);
  if (generation_ > 1) text += "generation: " + std::to_string(generation_) + "\n";
  if (automatic_ || !survivor.empty() || !restore_.empty()) {
    text += "recovery: {quorumLoss: " + std::string(automatic_ ? "auto" : "ask");
    text += (survivor.empty() ? "" : ", survivor: " + survivor);
    text += (restore_.empty() ? "" : ", restore: \"" + restore_ + "\"") + "}\n";
  }
  return text + said_of_backups();
}

std::string Scenario::said_of_recovery() const {
  std::string text = generation_ == 1 ? "" : " generation " + std::to_string(generation_);
  text += survivor_.empty() ? "" : " survivor " + survivor_;
  text += restore_.empty() ? "" : " restore " + restore_;
  for (const auto& [name, id] : lost_) text += ", lost " + name;
  return text;
}

void Scenario::give(Machine& machine) {
  const std::string text = text_for(machine);
  machine.text = read(world_, text, kStateDir);
  machine.second_text = read(world_, text, std::string(kStateDir) + "-2");
  for (const auto& life : machine.agents) {
    if (life && !life->ended()) life->follow();
  }
  world_.start_agent(machine, 0);
}

void Scenario::grow() {
  for (const Machine& machine : world_.machines) {
    if (std::find(members_.begin(), members_.end(), machine.name) != members_.end()) continue;
    members_.push_back(machine.name);
    return;
  }
}

// Never the last one that is in the cluster: a file of new members alone, with ifNoCluster: new still in it, is the
// order to form another cluster, and none of its agents has ever heard of the first.
void Scenario::shrink() {
  const Cluster* cluster = world_.etcd().formed();
  if (members_.size() < 2 || cluster == nullptr) return;
  const auto victim = members_.begin() + static_cast<std::ptrdiff_t>(world_.chance.below(members_.size()));
  const Machine& machine = *world_.machine_named(*victim);
  if (std::any_of(members_.begin(), members_.end(),
                  [&](const auto& name) { return is_another_voter(name, machine); })) {
    members_.erase(victim);
  }
}

bool Scenario::is_another_voter(const std::string& name, const Machine& machine) {
  const Cluster& cluster = *world_.etcd().formed();
  return name != machine.name &&
         std::any_of(cluster.members().begin(), cluster.members().end(), [&](const model::ListedMember& each) {
           return each.name == name && !each.learner && world_.etcd().disk_of(cluster.id, each.id) != nullptr;
         });
}

void Scenario::edit() {
  if (ruined_ && !over_ && world_.chance.chance(800)) {  // nobody changes the members of a cluster that is down
    ++variant_;
    return publish();
  }
  switch (world_.chance.below(4)) {
    case 0:
      grow();
      break;
    case 1:
      shrink();
      break;
    case 2:
      grow();
      shrink();
      break;
    default:
      ++variant_;
  }
  publish();
}

// -------------------------------------------------------------------------------------------------------------- faults
void Scenario::next_fault() {
  if (over_) return;
  strike(world_.chance.pick(faults_), somebody());
  world_.after(world_.chance.between(500, 14000), [this] { next_fault(); });
}

// The agents of a file that allows a new cluster form one where none of them remembers any; an old file may name nobody
// else.
bool Scenario::is_remembered_without(const Machine& machine) const {
  const auto& read = machine.text->desired.members;
  return std::any_of(world_.machines.begin(), world_.machines.end(), [&](const Machine& each) {
    const bool named =
        base::contains(members_, each.name) &&
        std::any_of(read.begin(), read.end(), [&](const auto& member) { return member.name == each.name; });
    const auto memory = memory_on(each);
    return &each != &machine && named && memory && memory->formed;
  });
}

void Scenario::wipe(Machine& machine) {
  Cluster* cluster = world_.etcd().formed();
  // Between the first start of a member and the moment when its agent has seen data there, nothing protects it.
  const auto says_keep = [&](const std::string& state_dir, bool without) {
    const auto file = machine.disk.files.find(state_dir + "/sim/" + machine.name + "/etcd.yaml");
    if (file == machine.disk.files.end()) return without;
    const auto boot = read_boot(file->second.content);
    return boot && boot->state == "existing" && boot->initial.size() == 1;
  };
  const bool keeps = says_keep(kStateDir, false) && says_keep(std::string(kStateDir) + "-2", true);
  if (cluster == nullptr || !keeps || machine.disk.data.empty()) return;
  const base::MemberId member = machine.disk.data.begin()->second.member;
  const auto* listed = member_in(cluster->members(), member);
  const auto [whole, voters] = world_.etcd().whole_voters(*cluster);
  const bool costs = listed != nullptr && !listed->learner;
  if (!bold_ && costs && whole - 1 < model::quorum(voters)) return;
  // Nor the last one that the file still wants: the agents of those that it has dropped take no turns.
  const auto stays = [&](const std::string& name) { return is_another_voter(name, machine); };
  if (!bold_ && costs && std::none_of(members_.begin(), members_.end(), stays)) return;
  const bool with_state = world_.chance.chance(300) && is_remembered_without(machine);
  wiped_ = true;
  world_.trace("wiped " + machine.name + (with_state ? " with what its agent remembers" : ""));
  if (with_state || world_.chance.chance(500)) {
    world_.crash_machine(machine);
    world_.after(world_.chance.between(1000, 20000), [this, &machine] { world_.boot_machine(machine); });
  } else {
    world_.crash_etcd(machine, model::EndReason::DataUnusable, "no such file or directory");
  }
  world_.wipe(machine, with_state);
}

// It boots without the disk of its data: the place is there, and something else is in it.
void Scenario::unmount(Machine& machine) {
  if (!machine.mounted || machine.disk.data.empty()) return;
  world_.trace("without its disk " + machine.name);
  world_.crash_machine(machine);
  world_.mount(machine, false);
  world_.after(world_.chance.between(500, 5000), [this, &machine] { world_.boot_machine(machine); });
  world_.after(world_.chance.between(10000, 120000), [this, &machine] { mount(machine); });
}

// People put it back; and a member that was made anew meanwhile, on what was there instead, is lost to them.
void Scenario::mount(Machine& machine) {
  if (machine.mounted) return;
  Cluster* cluster = world_.etcd().formed();
  const bool has_voter = cluster != nullptr && !machine.disk.data.empty() &&
                         member_in(cluster->members(), machine.disk.data.begin()->second.member) != nullptr;
  if (has_voter) {
    const auto [whole, voters] = world_.etcd().whole_voters(*cluster);
    const auto stays = [&](const std::string& name) { return is_another_voter(name, machine); };
    if (over_ || whole - 1 < model::quorum(voters) || std::none_of(members_.begin(), members_.end(), stays)) return;
    wiped_ = true;
  }
  world_.trace("with its disk again " + machine.name);
  world_.crash_machine(machine);
  world_.mount(machine, true);
  world_.after(world_.chance.between(500, 5000), [this, &machine] { world_.boot_machine(machine); });
}

void Scenario::isolate(Machine& machine) {
  const bool with_friend = world_.chance.chance(300);
  const Machine& other = somebody();
  world_.trace("cut off " + machine.name + (with_friend ? " and " + other.name : ""));
  for (const Machine& each : world_.machines) {
    if (&each == &machine || (with_friend && &each == &other)) continue;
    world_.cut(machine, each);
    if (with_friend && &other != &machine) world_.cut(other, each);
  }
  world_.after(world_.chance.between(2000, 60000), [this] {
    world_.trace("the network is whole");
    world_.mend_all();
  });
}

void Scenario::second_agent(Machine& machine) {
  const auto& all = machine.disk.data;  // it would not know that these went back
  if (std::any_of(all.begin(), all.end(), [](const auto& each) { return each.second.went_back; })) return;
  // On an empty place it would be an agent that has lost its memory together with its data.
  if (!machine.text || !machine.mounted) return;
  second_founder_ = second_founder_ || world_.etcd().formed() == nullptr;
  world_.start_agent(machine, 1);
  world_.after(world_.chance.between(3000, 40000), [this, &machine] { world_.crash_agent(machine, 1); });
}

void Scenario::strike(Fault fault, Machine& machine) {
  const Duration a_while = world_.chance.between(2000, 30000);
  switch (fault) {
    case Fault::AgentEnds:
      return world_.crash_agent(machine, 0);
    case Fault::AgentEndsInACall:
      if (world_.agent_runs(machine, 0)) machine.agents[0]->crash_in(static_cast<int>(world_.chance.below(80)));
      return;
    case Fault::EtcdEnds:
      world_.trace("etcd of " + machine.name + " ends");
      return world_.crash_etcd(machine, model::EndReason::Other, "signal: killed");
    case Fault::MachineEnds:
      world_.trace("power off " + machine.name);
      world_.crash_machine(machine);
      return world_.after(world_.chance.between(2000, 90000), [this, &machine] { world_.boot_machine(machine); });
    case Fault::Partition:
      return isolate(machine);
    case Fault::SlowDisk:
      machine.slow = true;
      return world_.after(a_while, [&machine] { machine.slow = false; });
    case Fault::WipedDisk:
      return wipe(machine);
    case Fault::ClockStep:
      machine.skew = world_.chance.chance(500) ? Duration{600000} : Duration{-600000};
      world_.trace("clock of " + machine.name + " by " + base::to_string(machine.skew));
      return world_.after(a_while * 2, [&machine] { machine.skew = {}; });
    case Fault::FullDisk:
      world_.trace("full " + machine.name);
      machine.full = true;
      return world_.after(a_while, [&machine] { machine.full = false; });
    case Fault::StaleFile:
      if (stale_.empty()) stale_.insert(machine.name);
      return;
    case Fault::SecondAgent:
      return second_agent(machine);
    case Fault::NotMounted:
      return unmount(machine);
    case Fault::FastClocks:
      if (world_.fast_since.count() >= 0) return;
      world_.trace("all clocks run too fast");
      world_.fast_since = world_.now();
      return world_.after(a_while * 4, [this] { world_.fast_since = Duration{-1}; });
    case Fault::EtcdEndsAtStart:
      machine.dies_young = true;
      return;
    case Fault::SlowLearners:  // all of this world are
    case Fault::Ruin:
    case Fault::AwayAndBack:
    case Fault::ContraryOrders:
    case Fault::DeposedTails:
    case Fault::Backups:
    case Fault::RestoreOrders:
      return;
    case Fault::StoreFails:
      world_.trace("the store is away");
      world_.store_down = true;
      return world_.after(a_while * 2, [this] { world_.store_down = false; });
    case Fault::StrayStarts:
      return stray(machine);
    case Fault::OldImages:
      return old_image(machine);
    case Fault::SuspendedAgents:
      return hang(machine);
  }
}

// A second agent gets as far as writing down whose data it has begun: else people would have to say.
void Scenario::let_it_mark(Machine& machine) {
  const std::string place = place_of(machine);
  const auto data = machine.disk.data.find(place);
  const std::string marker = model::marker_path(place);
  if (machine.agents.size() < 2 || data == machine.disk.data.end() || machine.disk.files.count(marker) != 0) return;
  machine.disk.files[marker] = {
      model::to_json(model::Marker{data->second.cluster, data->second.member, machine.name, "", generation_}), 0600};
}

void Scenario::heal() {
  over_ = true;
  calm_since_ = world_.now();
  world_.faults = false;
  world_.trace("from here on nothing goes wrong");
  world_.mend_all();
  stale_.clear();
  world_.fast_since = Duration{-1};
  world_.store_down = false;
  for (Machine& machine : world_.machines) {
    machine.slow = machine.full = machine.dies_young = false;
    machine.skew = {};
    mount(machine);
    world_.end_stray(machine);
    if (!machine.listed) continue;
    let_it_mark(machine);
    world_.crash_agent(machine, 1);
    // What a second agent has started with files of its own is nobody's now; whoever finds it stops it.
    if (machine.etcd && machine.etcd->pid == machine.running[1].pid) {
      world_.crash_etcd(machine, model::EndReason::None, "");
    }
    machine.running[1] = {};
    world_.boot_machine(machine);
    world_.start_agent(machine, 0);
    if (world_.agent_runs(machine, 0)) machine.agents[0]->crash_in(-1);
    if (world_.agent_runs(machine, 0)) machine.agents[0]->hang_in(-1, {});
    give(machine);
  }
}

}  // namespace quorate::sim
