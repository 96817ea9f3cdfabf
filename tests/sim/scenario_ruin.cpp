// More is lost than a cluster can lose: what happens to the disks, and what people do who read what the agents say.
#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/model/quorum.h"
#include "reconciler/model/records.h"
#include "reconciler/model/state_paths.h"
#include "tests/sim/agent_life.h"
#include "tests/sim/scenario.h"
#include "tests/sim/sim_etcd.h"

namespace quorate::sim {
namespace {

constexpr Duration kLooksAgain{8000};
constexpr Duration kImageAge{60000};
constexpr Duration kOneWord{25000};  // until people see that they have written two

// What of a cluster lies on a machine, wherever an agent may have put it.
const MemberData* data_on(const Machine& machine, base::ClusterId cluster) {
  for (const auto& [path, data] : machine.disk.data) {
    if (data.cluster == cluster && !is_set_aside(path) && !data.went_back) return &data;
  }
  return nullptr;
}

bool is_voter(const Cluster& cluster, const MemberData& data) {
  const auto* listed = data.cluster == cluster.id ? member_in(cluster.members(), data.member) : nullptr;
  return listed != nullptr && !listed->learner;
}

// What people are asked to write: the ID that the newest list on any node has for the name. Where no node says, they
// know the member's ID from before.
std::string word_for(const World& world, const Cluster& cluster, const std::string& name) {
  std::optional<model::Voters> newest;
  for (const Machine& machine : world.machines) {
    const auto memory = machine.up ? memory_on(machine) : std::nullopt;
    if (!memory || !memory->standing.voters) continue;
    if (!newest || model::is_newer(*memory->standing.voters, *newest)) newest = *memory->standing.voters;
  }
  if (!newest) {
    const auto& all = cluster.members();
    const auto member = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
    return member == all.end() || member->learner ? "never" : base::to_string(member->id);
  }
  for (const model::Voter& each : newest->voters) {
    if (each.name == name) return base::to_string(each.id);
  }
  return "never";
}

// What the agents look for on this machine, or what cannot be told from it: the data of the voter of its name, else of
// the member that its agent has seen last. What was made anew while its disk was away is lost to people when that is
// back.
bool has_what_is_asked_for(const Cluster& cluster, const Machine& machine) {
  const auto& all = cluster.members();
  const auto voter = std::find_if(all.begin(), all.end(),
                                  [&](const auto& each) { return each.name == machine.name && !each.learner; });
  const bool votes = voter != all.end();
  const auto memory = memory_on(machine);
  base::MemberId asked = votes ? voter->id : base::MemberId{};
  if (!votes && memory && memory->cluster_id == cluster.id) asked = memory->member_id;
  const auto is_it = [&](const auto& each) {
    const MemberData& data = each.second;
    return !is_set_aside(each.first) && (asked.value == 0 || data.member == asked || data.cluster != cluster.id);
  };
  const auto& found = machine.disk.data;
  if (std::any_of(found.begin(), found.end(), is_it)) return true;
  // A voter whose agent has seen it, and whose place is empty, is lost without a word of anybody.
  return votes && found.empty() && memory && memory->initialised;
}

// A seed that was started, and whose disk was wiped before anybody saw it serve.
bool has_lost_what_it_restored(const Machine& machine) {
  const auto memory = memory_on(machine);
  const bool started = memory && memory->standing.pledge && memory->standing.pledge->started;
  return started && machine.disk.data.count(place_of(machine)) == 0;
}

}  // namespace

void Scenario::prepare_ruin() {
  ruins_ = take(Fault::Ruin);
  away_ = take(Fault::AwayAndBack);
  contrary_ = take(Fault::ContraryOrders);
  world_.deposed_tails = take(Fault::DeposedTails);
  world_.recovers = ruins_;
  if (!ruins_) return;
  take(Fault::SecondAgent);  // two memories for one node, of which one has promised nothing
  automatic_ = world_.chance.chance(300);
}

// Within a moment, so that nobody is replaced in between; some with what their agents remember.
void Scenario::ruin() {
  Cluster* cluster = world_.etcd().formed();
  const bool ready = cluster != nullptr && cluster->keys.count(model::kAppliedKey) != 0;
  std::vector<Machine*> whole;
  for (const model::ListedMember& member : ready ? cluster->members() : Members{}) {
    Machine* disk = member.learner ? nullptr : world_.etcd().disk_of(cluster->id, member.id);
    if (disk != nullptr && disk->disk.data.count(place_of(*disk)) != 0) whole.push_back(disk);
  }
  if (over_) return;
  const int voters = ready ? voters_in(cluster->members()) : 0;
  if (voters < 2 || static_cast<int>(whole.size()) < 2) {
    return world_.after(Duration{5000}, [this] { ruin(); });
  }
  if (Machine* led = world_.deposed_tails && !deposed_ ? world_.etcd().leader(*cluster) : nullptr) return depose(*led);
  world_.trace("more is lost than the cluster can lose");
  ruined_ = wiped_ = true;
  for (const model::ListedMember& member : cluster->members()) {  // what was dropped, and is still a voter, is asked
    const bool listed = member.name.empty() || base::contains(members_, member.name);
    if (!listed && !member.learner) members_.push_back(member.name);
  }
  const int most = model::quorum(voters) - 1;
  int left = 1 + static_cast<int>(world_.chance.below(static_cast<std::uint64_t>(most)));
  const auto deposed = std::find(whole.begin(), whole.end(), deposed_);
  if (deposed != whole.end() && most > 1) {  // of two that are left its log may be the longer one
    left = 2;
  }
  while (static_cast<int>(whole.size()) > left) {
    const auto victim = whole.begin() + static_cast<std::ptrdiff_t>(world_.chance.below(whole.size()));
    if (left == 2 && *victim == deposed_) continue;
    Machine& machine = **victim;
    whole.erase(victim);
    const bool both = world_.chance.chance(250);
    const bool reboots = both || world_.chance.chance(500);
    world_.after(world_.chance.between(0, 1500), [this, &machine, both, reboots] {
      const bool with_state = both && is_remembered_without(machine);
      world_.trace("wiped " + machine.name + (with_state ? " with what its agent remembers" : ""));
      if (reboots) {
        world_.crash_machine(machine);
        world_.after(world_.chance.between(1000, 20000), [this, &machine] { world_.boot_machine(machine); });
      } else {
        world_.crash_etcd(machine, model::EndReason::DataUnusable, "no such file or directory");
      }
      world_.wipe(machine, with_state);
      machine.disk_changed_at = world_.now();
    });
  }
  if (away_) {
    Machine& machine = *world_.chance.pick(whole);
    world_.trace("away " + machine.name);
    world_.crash_machine(machine);
    world_.after(world_.chance.between(10000, 150000), [this, &machine] { world_.boot_machine(machine); });
  }
  publish();
}

// The others elect another leader, and this one writes what nobody acknowledges.
void Scenario::depose(Machine& machine) {
  deposed_ = &machine;
  world_.trace("cut off the leader " + machine.name);
  for (const Machine& each : world_.machines) {
    if (&each != &machine) world_.cut(machine, each);
  }
  world_.after(Duration{6000}, [this] {
    ruin();
    world_.after(Duration{2000}, [this] { world_.mend_all(); });
  });
}

// They look again and again until the cluster serves, and write what the agents ask them for.
void Scenario::people() {
  world_.after(kLooksAgain + world_.chance.between(0, 8000), [this] { people(); });
  Cluster* cluster = world_.etcd().formed();
  const bool serves = cluster == nullptr || world_.etcd().leader(*cluster) != nullptr;
  if (!other_survivor_.empty() && (serves || world_.now() - *ordered_at_ > kOneWord)) {
    other_survivor_.clear();
    publish();
  }
  if (serves) {
    ordered_at_.reset();
    if (cluster != nullptr && take_back_refuted(*cluster)) return publish();
    if (cluster != nullptr && has_second_thoughts(*cluster)) publish();
    return;
  }
  if (take_back_words(*cluster)) return publish();
  if (over_) look_beneath(*cluster);
  int whole = 0;
  for (const model::ListedMember& member : cluster->members()) {
    const Machine* disk = member.learner ? nullptr : world_.etcd().disk_of(cluster->id, member.id);
    if (disk != nullptr && lost_.count(disk->name) == 0) ++whole;
  }
  for (const Machine& machine : world_.machines) {  // a disk that is not mounted is not lost
    const auto is_its = [&](const auto& each) { return is_voter(*cluster, each.second); };
    if (std::any_of(machine.beneath.data.begin(), machine.beneath.data.end(), is_its)) ++whole;
  }
  if (whole >= model::quorum(voters_in(cluster->members()))) {
    if (list_again(Whom::Founders)) publish();
    return;
  }
  const bool listed = list_again(Whom::Voters);
  const bool declared = declare_lost(*cluster);
  const bool ordered = order(*cluster);
  if (listed || declared || ordered) publish();
}

// A member that was made anew while its disk was away lies beneath that disk since: the agents ask for what they saw
// last, and people take the disk out again.
void Scenario::look_beneath(const Cluster& cluster) {
  for (Machine& machine : world_.machines) {
    if (!machine.mounted || machine.beneath.data.empty()) continue;
    const MemberData& data = machine.beneath.data.begin()->second;
    const auto memory = memory_on(machine);
    const bool is_asked_for = memory && memory->cluster_id == data.cluster && memory->member_id == data.member;
    if (!is_voter(cluster, data) && !is_asked_for) continue;
    world_.trace("without its disk again " + machine.name);
    world_.crash_machine(machine);
    world_.mount(machine, false);
    world_.boot_machine(machine);
  }
}

// Whoever the agents wait for and cannot ask: voters as they remember them, and who was to promise with them.
bool Scenario::list_again(Whom whom) {
  const std::size_t before = members_.size();
  for (const Machine& machine : world_.machines) {
    const auto memory = memory_on(machine);
    if (!memory) continue;
    std::vector<std::string> names;
    if (memory->standing.voters && whom == Whom::Voters) {
      for (const model::Voter& each : memory->standing.voters->voters) names.push_back(each.name);
    }
    if (memory->standing.pledge) {
      for (const model::Founder& each : memory->standing.pledge->decision.founders) names.push_back(each.member);
    }
    for (const std::string& name : names) {
      if (!base::contains(members_, name)) members_.push_back(name);
    }
  }
  return members_.size() != before;
}

// The agents refuse to go on beside a member that answers and that the file calls lost by its ID.
bool Scenario::take_back_refuted(const Cluster& cluster) {
  return std::erase_if(lost_, [&](const auto& said) {
           return std::any_of(cluster.members().begin(), cluster.members().end(), [&](const model::ListedMember& each) {
             const bool named = each.name == said.first && base::to_string(each.id) == said.second;
             return named && world_.etcd().machine_of(cluster.id, each.id) != nullptr;
           });
         }) > 0;
}

// Who was declared lost and answers with whole data before anything was recovered is not lost.
bool Scenario::take_back_words(const Cluster& cluster) {
  bool changed = false;
  for (auto it = lost_.begin(); it != lost_.end();) {
    Machine& machine = *world_.machine_named(it->first);
    const bool lives = machine.up && data_on(machine, cluster.id) != nullptr && has_what_is_asked_for(cluster, machine);
    if (!lives) {
      ++it;
      continue;
    }
    world_.trace(machine.name + " is not lost after all");
    machine.given_up = false;
    it = lost_.erase(it);
    changed = true;
  }
  return changed;
}

// Fewer than a quorum of those whose data are whole: more of them could be a cluster of their own when they return.
bool Scenario::may_be_declared(const Cluster& cluster, const Machine& machine) const {
  if (data_on(machine, cluster.id) == nullptr) return true;
  int declared = 1;
  for (const auto& [name, id] : lost_) {
    if (data_on(*world_.machine_named(name), cluster.id) != nullptr) ++declared;
  }
  return declared < model::quorum(voters_in(cluster.members()));
}

bool Scenario::declare_lost(const Cluster& cluster) {
  bool changed = false;
  for (Machine& machine : world_.machines) {
    const std::string& name = machine.name;
    if (!machine.listed || !base::contains(members_, name)) continue;
    const bool unsure =
        machine.mounted && (!has_what_is_asked_for(cluster, machine) || has_lost_what_it_restored(machine));
    const bool gone = !machine.up && !over_ && world_.chance.chance(250) && may_be_declared(cluster, machine);
    const std::string word = word_for(world_, cluster, name);
    const auto before = lost_.find(name);
    if ((!unsure && !gone) || (before != lost_.end() && before->second == word)) continue;
    world_.trace(name + " is declared lost");
    if (gone) machine.given_up = true;
    lost_[name] = word;
    changed = true;
  }
  return changed;
}

// The one whose log reaches furthest, mostly; people may have reasons of their own.
bool Scenario::order(const Cluster& cluster) {
  const bool waits_for_itself = automatic_ && !ordered_at_;
  if (waits_for_itself) {
    ordered_at_ = world_.now();
    return false;
  }
  if (ordered_at_ && world_.now() - *ordered_at_ < patience_) return false;
  if (restore_ordered_at_ && world_.now() - *restore_ordered_at_ < patience_) return false;
  std::vector<std::pair<Reach, std::string>> whole;
  for (const Machine& machine : world_.machines) {
    const MemberData* data = data_on(machine, cluster.id);
    if (machine.up && data != nullptr && base::contains(members_, machine.name) && lost_.count(machine.name) == 0) {
      whole.emplace_back(world_.etcd().reach(*data), machine.name);
    }
  }
  if (whole.empty()) return order_latest();
  restore_.clear();
  std::sort(whole.rbegin(), whole.rend());
  const bool of_their_own = !over_ && world_.chance.chance(150);
  survivor_ = of_their_own ? world_.chance.pick(whole).second : whole.front().second;
  other_survivor_ = contrary_ && whole.size() > 1 ? whole.back().second : "";
  world_.ordered = survivor_;
  ++generation_;
  if (ordered_at_ && over_) patience_ *= 2;
  ordered_at_ = world_.now();
  return true;
}

// -------------------------------------------------------------------------------------------------- faults of their
// own
void Scenario::stray(Machine& machine) {
  const auto data = machine.disk.data.find(place_of(machine));
  const bool is_seed = data != machine.disk.data.end() && !world_.etcd().has_served(data->second.cluster);
  if (machine.given_up && is_seed) return;  // people have said that it is powered off for good
  if (data != machine.disk.data.end() && data->second.went_back) return;  // `check-start` refuses
  world_.launch_stray(machine);
  world_.after(world_.chance.between(2000, 40000), [this, &machine] { world_.end_stray(machine); });
}

void Scenario::hang(Machine& machine) {
  if (!world_.agent_runs(machine, 0)) return;
  machine.agents[0]->hang_in(static_cast<int>(world_.chance.below(80)), world_.chance.between(5000, 60000));
}

// An image is made now and put back later, if the agent can tell: what it has not seen of its member nobody can know.
void Scenario::old_image(Machine& machine) {
  const auto now = machine.disk.data.find(place_of(machine));
  if (now == machine.disk.data.end()) return;
  const MemberData image = now->second;
  world_.after(kImageAge + world_.chance.between(0, 60000), [this, &machine, image] { put_back(machine, image); });
}

void Scenario::put_back(Machine& machine, const MemberData& image) {
  Cluster* cluster = world_.etcd().formed();
  const auto data = machine.disk.data.find(place_of(machine));
  if (over_ || cluster == nullptr || image.cluster != cluster->id || !machine.mounted) return;
  if (ruined_ && world_.etcd().leader(*cluster) == nullptr) return;  // it may be all that is left
  const bool same =
      data != machine.disk.data.end() && data->second.cluster == image.cluster && data->second.member == image.member;
  const auto memory = memory_on(machine);
  const bool shows = memory && memory->cluster_id == image.cluster && memory->member_id == image.member &&
                     (memory->lagged_index > image.last || memory->highest_term > image.term);
  const auto [whole, voters] = world_.etcd().whole_voters(*cluster);
  const auto* listed = member_in(cluster->members(), image.member);
  const bool costs = listed != nullptr && !listed->learner;
  if (!same || !shows || (costs && whole - 1 < model::quorum(voters))) return;
  if (costs && std::none_of(members_.begin(), members_.end(),
                            [&](const auto& name) { return is_another_voter(name, machine); })) {
    return;
  }
  world_.trace("an older image of its disk is put back on " + machine.name);
  wiped_ = true;
  world_.crash_machine(machine);
  data->second = image;
  data->second.went_back = true;
  machine.disk_changed_at = world_.now();
  world_.after(world_.chance.between(500, 5000), [this, &machine] { world_.boot_machine(machine); });
}

}  // namespace quorate::sim
