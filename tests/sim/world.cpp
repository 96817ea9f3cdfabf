// Events in order, machines that go down and come back, and the first thing that went wrong.
#include "tests/sim/world.h"

#include <algorithm>

#include "reconciler/base/time.h"
#include "reconciler/model/state_paths.h"
#include "reconciler/ports/clock.h"
#include "tests/fakes/fake_store.h"
#include "tests/sim/agent_life.h"
#include "tests/sim/sim_etcd.h"

namespace quorate::sim {
namespace {

constexpr const char* kDataPlace = "/var/lib/etcd/";
constexpr Duration kMinority{15000};  // what an agent may have seen before its node was cut off, or its disk wiped

template <class Map>
void erase_below(Map& map, const std::string& folder) {
  for (auto it = map.begin(); it != map.end();) {
    it = it->first.compare(0, folder.size(), folder) == 0 ? map.erase(it) : std::next(it);
  }
}

template <class Map>
void move_out(Map& map, const std::string& folder, Map& out) {
  for (auto it = map.begin(); it != map.end();) {
    const auto here = it++;
    if (here->first.compare(0, folder.size(), folder) == 0) out.insert(map.extract(here));
  }
}

// Under which what lies in the place was restored.
bool holds_decision(const Machine& machine) {
  return machine.disk.files.count(model::decision_path(place_of(machine))) != 0;
}

}  // namespace

const std::vector<BugName>& all_bugs() {
  static const std::vector<BugName> bugs{
      {Bug::RuntimeIgnoresKeep, "runtime-ignores-keep", "an emptied member is started under its old ID"},
      {Bug::StalePeers, "stale-peers", "what agents say of their nodes is minutes old"},
      {Bug::LockAlwaysFree, "lock-always-free", "the comparison of the lock is left out"},
      {Bug::MemoryNotSynced, "memory-not-synced", "the agent's memory is lost when it ends without warning"},
      {Bug::StoppedLooksEmptied, "stopped-looks-emptied", "a data directory that no etcd has open counts as empty"},
      {Bug::PromisesAreLies, "promises-are-lies", "the others are said to have promised what we have promised"},
      {Bug::CondemnedIsForgotten, "condemned-is-forgotten", "a removal leaves no record"},
      {Bug::KeepIsNotWritten, "keep-is-not-written", "the configuration stays as it was for the first start"},
      {Bug::JoinsTwice, "joins-twice", "a log that a learner has just begun is not seen"},
      {Bug::FreshAfterRestart, "fresh-after-restart", "an agent that starts again has forgotten what it promised"},
      {Bug::EveryFileInForce, "every-file-in-force", "an agent acts on a file that a majority does not hold"},
      {Bug::PromotesAtOnce, "promotes-at-once", "how far a learner is behind is not looked at"},
      {Bug::PromiseIsANote, "promise-is-a-note", "a node that gives way leaves its data where they are"},
      {Bug::SeedDoesNotWait, "seed-does-not-wait", "the seed restores before everybody has promised"},
      {Bug::YieldedComesBack, "yielded-comes-back",
       "an agent that starts again puts back what has given way, and does not say so"},
      {Bug::StartIsForgotten, "start-is-forgotten",
       "that the seed has been started is neither kept nor seen in its log"},
      {Bug::FetchedIsAnother, "fetched-is-another", "what was fetched is an older backup than the chosen one"},
      {Bug::BackupsBoast, "backups-boast", "a backup says that it reaches further than it does"},
  };
  return bugs;
}

std::string_view name_of(Bug bug) {
  for (const BugName& each : all_bugs()) {
    if (each.bug == bug) return each.name;
  }
  return "none";
}

class World::Calendar final : public ports::Clock {
 public:
  explicit Calendar(const World& world) : world_(world) {}
  base::Time now() override { return world_.date(); }
  Duration elapsed() override { return world_.now(); }

 private:
  const World& world_;
};

World::World(const Options& of)
    : options(of),
      chance(of.seed),
      noise(of.seed ^ 0x5bd1e995ULL),
      etcd_(std::make_unique<Etcd>(*this)),
      calendar_(std::make_unique<Calendar>(*this)) {
  shelf = std::make_shared<fakes::Shelf>(*calendar_);
}

World::~World() {
  for (Machine& machine : machines) {
    for (const auto& life : machine.agents) {
      if (life) life->crash();  // so that nothing stays on a stack that nobody goes on with
    }
  }
}

void World::at(Duration when, std::function<void()> what) {
  events_.push({std::max(when, now_), next_order_++, std::move(what)});
}

void World::run_until(Duration end) {
  while (!stopped_ && violation_.empty() && !events_.empty() && events_.top().when <= end) {
    const std::function<void()> what = events_.top().what;
    now_ = events_.top().when;
    events_.pop();
    ++steps;
    what();
  }
  if (!stopped_ && violation_.empty()) now_ = std::max(now_, end);
}

Machine* World::machine_at(const std::string& url) {
  const auto begin = url.find("://") + 3;
  const std::string host = url.substr(begin, url.find(':', begin) - begin);
  const auto found =
      std::find_if(machines.begin(), machines.end(), [&](const Machine& each) { return each.address == host; });
  return found == machines.end() ? nullptr : &*found;
}

Machine* World::machine_named(const std::string& name) {
  const auto found =
      std::find_if(machines.begin(), machines.end(), [&](const Machine& each) { return each.name == name; });
  return found == machines.end() ? nullptr : &*found;
}

bool World::reaches(const Machine& from, const Machine& to) const {
  return from.up && to.up && (cut_.empty() || cut_.count(std::minmax(from.name, to.name)) == 0);
}

void World::cut(const Machine& one, const Machine& other) {
  cut_.insert(std::minmax(one.name, other.name));
}

// ----------------------------------------------------------------------------------------------------------- processes
bool World::agent_runs(const Machine& machine, int slot) const {
  const auto at = static_cast<std::size_t>(slot);
  return machine.agents.size() > at && machine.agents[at] && !machine.agents[at]->ended();
}

void World::start_agent(Machine& machine, int slot) {
  if (!machine.up || !machine.text || agent_runs(machine, slot)) return;
  const auto at = static_cast<std::size_t>(slot);
  if (machine.agents.size() <= at) machine.agents.resize(at + 1);
  if (machine.agents[at]) machine.past.push_back(std::move(machine.agents[at]));
  machine.agents[at] = std::make_unique<AgentLife>(*this, machine, slot);
  AgentLife* life = machine.agents[at].get();
  trace("agent " + machine.name + "/" + std::to_string(slot));
  after(Duration{1}, [life] {
    if (life->machine.up) life->begin();
  });
}

void World::agent_ended(Machine& machine, int slot) {
  for (const auto& [path, file] : machine.unsynced) {
    if (file) {
      machine.disk.files[path] = *file;
    } else {
      machine.disk.files.erase(path);
    }
  }
  machine.unsynced.clear();
  if (slot == 0) after(noise.between(500, 15000), [this, &machine] { start_agent(machine, 0); });
  // Whom it would have started again stays down.
  machine.running[static_cast<std::size_t>(slot)].state = {};
}

void World::crash_agent(Machine& machine, int slot) {
  if (!agent_runs(machine, slot)) return;
  machine.agents[static_cast<std::size_t>(slot)]->crash();
  agent_ended(machine, slot);
}

void World::launch(Machine& machine, int slot) {
  Running& running = machine.running[static_cast<std::size_t>(slot)];
  running.pid = ++next_pid;
  running.state.phase = model::RunPhase::Running;
  running.state.pid = running.pid;
  if (machine.etcd) {  // the ports are taken, and so is the lock of the directory
    running.pid = 0;
    running.state.phase = model::RunPhase::Waiting;
    running.state.reason = model::EndReason::PortTaken;
    schedule_restart(machine, slot);
    return;
  }
  Process process;
  process.pid = running.pid;
  process.up_since = now_;
  process.config = running.launch->args.at(1);
  machine.etcd = process;
  const std::int64_t pid = process.pid;
  after(noise.between(30, 250), [this, &machine, pid] {
    if (machine.etcd && machine.etcd->pid == pid) etcd_->boot(machine);
  });
}

void World::launch_stray(Machine& machine) {
  const std::string config = std::string(kStateDir) + "/sim/" + machine.name + "/etcd.yaml";
  if (!machine.up || machine.etcd || machine.disk.files.count(config) == 0) return;
  // Between the first start of a member and the moment when its agent has seen data there, nothing protects it.
  const auto boot = read_boot(machine.disk.files.at(config).content);
  if (!boot || boot->state != "existing" || boot->initial.size() != 1) return;
  trace("something else starts etcd on " + machine.name);
  Process process;
  process.pid = ++next_pid;
  process.up_since = now_;
  process.config = config;
  process.stray = true;
  machine.etcd = process;
  after(Duration{50}, [this, &machine, pid = process.pid] {
    if (machine.etcd && machine.etcd->pid == pid) etcd_->boot(machine);
  });
}

void World::end_stray(Machine& machine) {
  if (!machine.etcd || !machine.etcd->stray) return;
  trace("what something else has started on " + machine.name + " ends");
  crash_etcd(machine, model::EndReason::None, "");
}

// As the runtime asks before it starts etcd again after its end: Keep comes a moment after the first start.
bool World::has_lost_its_log(const Machine& machine, int slot) const {
  if (has(Bug::RuntimeIgnoresKeep)) return false;
  const auto at = static_cast<std::size_t>(slot);
  return machine.running[at].had_log && machine.agents[at]->has_lost_its_log();
}

void World::schedule_restart(Machine& machine, int slot) {
  after(noise.between(1000, 3000), [this, &machine, slot] {
    Running& running = machine.running[static_cast<std::size_t>(slot)];
    if (!running.launch || running.state.phase != model::RunPhase::Waiting || !agent_runs(machine, slot)) return;
    if (!has_lost_its_log(machine, slot)) return launch(machine, slot);
    running.launch.reset();
    running.state.phase = model::RunPhase::Stopped;
    running.state.reason = model::EndReason::Other;
    running.state.text = "it had a log, and nothing of it is there";
    wake(machine);
  });
}

void World::crash_etcd(Machine& machine, model::EndReason reason, const std::string& text) {
  if (!machine.etcd) return;
  const std::int64_t pid = machine.etcd->pid;
  if (machine.etcd->booted) machine.etcd_down_since = now_;
  machine.etcd.reset();
  for (int slot = 0; slot < 2; ++slot) {
    Running& running = machine.running[static_cast<std::size_t>(slot)];
    if (running.pid != pid || !running.launch || !agent_runs(machine, slot)) continue;
    running.state.reason = reason;
    running.state.text = text;
    const bool for_good = reason == model::EndReason::RemovedFromCluster;
    running.state.phase = for_good ? model::RunPhase::Ended : model::RunPhase::Waiting;
    running.state.restarts += 1;
    if (!for_good) schedule_restart(machine, slot);
  }
  wake(machine);
}

void World::crash_machine(Machine& machine) {
  if (!machine.up) return;
  machine.up = false;
  for (int slot = 0; slot < 2; ++slot) crash_agent(machine, slot);
  crash_etcd(machine, model::EndReason::None, "");
  for (Running& running : machine.running) running = {};
}

void World::boot_machine(Machine& machine) {
  if (machine.up) return;
  machine.up = true;
  start_agent(machine, 0);
}

void World::wipe(Machine& machine, bool with_state) {
  if (holds_decision(machine)) machine.unbound_at = now_;
  erase_below(machine.disk.files, kDataPlace);
  machine.disk.data.clear();
  if (!with_state) return;
  erase_below(machine.disk.files, kStateDir);
  machine.unsynced.clear();
  machine.state_was_wiped = true;
}

// What lies in the place of the data changes with the disk that is there.
void World::mount(Machine& machine, bool mounted) {
  if (machine.mounted == mounted) return;
  machine.mounted = mounted;
  if (holds_decision(machine)) machine.unbound_at = now_;
  Disk hidden;
  move_out(machine.disk.files, kDataPlace, hidden.files);
  move_out(machine.disk.data, kDataPlace, hidden.data);
  machine.disk.files.merge(machine.beneath.files);
  machine.disk.data.merge(machine.beneath.data);
  machine.beneath = std::move(hidden);
  machine.disk_changed_at = now_;
}

Duration World::skew_of(const Machine& machine) const {
  return machine.skew + (fast_since.count() < 0 ? Duration{0} : (now_ - fast_since) * 4 / 5);
}

void World::wake(Machine& machine) {
  for (const auto& life : machine.agents) {
    if (life) life->wake();
  }
}

void World::wake_others(const Machine& machine) {
  for (Machine& other : machines) {
    if (&other != &machine && reaches(machine, other)) wake(other);
  }
}

// ------------------------------------------------------------------------------------------------------ what was seen
void World::trace(const std::string& text) {
  hash_ = mix(hash_ ^ static_cast<std::uint64_t>(now_.count()), text);
  lines_.push_back(base::to_string(base::Time(now_ - std::chrono::hours{1})).substr(11) + " " + text);
}

void World::violate(const std::string& what) {
  if (!violation_.empty()) return;
  violation_ = what;
  trace("WRONG: " + what);
}

// What may be begun without a quorum, since all have promised it, or are about to; by a look that may have seen it in
// place.
bool World::is_of_decision(const Machine& machine, const std::string& step) const {
  if (!recovers || etcd_->formed() == nullptr) return false;
  for (const char* kind : {"promise/", "abandon/", "restore/", "fetch/"}) {
    if (step.compare(0, std::string_view(kind).size(), kind) == 0) return true;
  }
  const bool writes = step.compare(0, 15, "write-manifest/") == 0;
  return writes && (holds_decision(machine) || now_ - machine.unbound_at <= kMinority);
}

namespace {

// Done again and again where nothing is to be changed.
bool is_of_store(const std::string& step) {
  for (const char* kind : {"backup/", "verify/", "prune/"}) {
    if (step.compare(0, std::string_view(kind).size(), kind) == 0) return true;
  }
  return false;
}

}  // namespace

void World::noted(Machine& machine, int slot, const model::JournalEntry& entry, Duration begun) {
  machine.journal.push_back(entry);
  trace(machine.name + (slot == 0 ? " " : "(2) ") + std::string(model::name_of(entry.event)) + " " + entry.step + " (" +
        entry.text + ")");
  if (entry.event != model::JournalEvent::Intent || entry.plan.empty()) return;  // without a plan: on its own node
  if (!is_of_store(entry.step)) last_intent = now_;
  if (entry.step.starts_with("restore/")) machine.restore_begun_at = begun;
  const auto colon = entry.text.find(": ");
  if (colon == std::string::npos || colon == 0 || colon + 2 >= entry.text.size()) {
    violate(entry.step + " is begun without a reason");
  }
  if (now_ - begun > kMinority) return;  // what comes of it is checked where it would be done
  etcd_->check_file(machine, entry);
  const bool of_decision = is_of_decision(machine, entry.step);
  if (nothing_may_begin) violate(machine.name + " begins " + entry.step + " though the quorum is lost for good");
  if (!of_decision && now_ - machine.saw_quorum_at > kMinority && !etcd_->sees_quorum(machine)) {
    violate(machine.name + " begins " + entry.step + " and has not reached a quorum for " +
            base::to_string(now_ - machine.saw_quorum_at));
  }
}

}  // namespace quorate::sim
