// A machine as its agent sees it: files, data, processes, the other agents, time and chance.
#include "tests/sim/twins.h"

#include <algorithm>
#include <set>

#include "reconciler/model/memory.h"
#include "reconciler/model/state_paths.h"

namespace quorate::sim {
namespace {

using base::Result;

constexpr Duration kSynced{20000};  // in the planted bug: after so long a write is on disk after all
constexpr Duration kOldNews{90000};
constexpr Duration kUnnoticed{20000};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_in(const std::string& path, const std::string& folder) {
  return path == folder || path.compare(0, folder.size() + 1, folder + "/") == 0;
}

tl::unexpected<base::Error> failed(const std::string& text) {
  return tl::unexpected(base::Error{base::ErrorKind::Transient, text, ""});
}

template <class Map>
void move_below(Map& map, const std::string& from, const std::string& to) {
  Map moved;
  for (auto it = map.begin(); it != map.end();) {
    if (!is_in(it->first, from)) {
      ++it;
      continue;
    }
    moved.emplace(to + it->first.substr(from.size()), std::move(it->second));
    it = map.erase(it);
  }
  map.merge(moved);
}

template <class Map>
void erase_below(Map& map, const std::string& path) {
  for (auto it = map.begin(); it != map.end();) it = is_in(it->first, path) ? map.erase(it) : std::next(it);
}

template <class Map>
bool any_below(const Map& map, const std::string& path) {
  return std::any_of(map.begin(), map.end(), [&](const auto& each) { return is_in(each.first, path); });
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------ the node
Result<model::DataDir> NodeTwin::data_dir(const std::string& data, const std::string& /*wal*/) {
  life_.call();
  model::DataDir found;
  found.path = data;
  const Machine& machine = life_.machine;
  const auto there = machine.disk.data.find(data);
  const bool open = machine.etcd && machine.etcd->data_dir == data;
  found.filesystem = machine.mounted ? "8:1" : "8:0";
  if (there == machine.disk.data.end() || (life_.world.has(Bug::StoppedLooksEmptied) && !open)) return found;
  if (machine.put_back && data == place_of(machine)) return found;
  if (life_.world.has(Bug::JoinsTwice) && life_.world.now() - there->second.born < kUnnoticed && joins()) return found;
  found.state = model::DataState::Valid;
  found.cluster = there->second.cluster;
  found.member = there->second.member;
  const Reach reach = life_.world.etcd().reach(there->second);
  found.term = there->second.term;
  if (life_.world.has(Bug::StartIsForgotten) && life_.world.etcd().is_restored(found.cluster)) found.term = 1;
  found.last_term = reach.term;
  found.last_index = reach.index;
  found.commit = there->second.last;
  found.consistent_index = there->second.last;
  found.revision = life_.world.etcd().revision(there->second);
  return found;
}

// Its configuration says that it joins a cluster, and not yet Keep.
bool NodeTwin::joins() const {
  const auto& files = life_.machine.disk.files;
  const auto file = files.find(life_.state_dir() + "/sim/" + life_.member() + "/etcd.yaml");
  const auto boot = file == files.end() ? std::nullopt : read_boot(file->second.content);
  return boot && boot->state == "existing" && boot->initial.size() > 1;
}

Result<std::optional<ports::FileOnNode>> NodeTwin::read_file(const std::string& path) {
  life_.call();
  const auto found = life_.machine.disk.files.find(path);
  if (found == life_.machine.disk.files.end()) return std::optional<ports::FileOnNode>{};
  return std::optional<ports::FileOnNode>{{found->second.content, found->second.mode, "root", true}};
}

Result<model::Process> NodeTwin::process_of(const model::Member& member) {
  life_.call();
  const Machine& machine = life_.machine;
  model::Process process;
  if (!machine.etcd || member.name != machine.name) return process;
  process.running = true;
  process.pid = machine.etcd->pid;
  process.version = kVersion;
  return process;
}

Result<model::Certificate> NodeTwin::certificate(const std::string& path, const std::string& /*use*/) {
  return base::invalid(path + ": no such file");
}

Result<model::DiskSpace> NodeTwin::disk_space(const std::string& path) {
  return model::DiskSpace{path, life_.machine.full ? 0 : 10ULL << 30U, 40ULL << 30U};
}

// ------------------------------------------------------------------------------------------------------------ the host
std::optional<tl::unexpected<base::Error>> HostTwin::change(const std::string& path) {
  life_.call();
  Machine& machine = life_.machine;
  life_.sleep(machine.slow ? life_.world.noise.between(200, 2500) : Duration{life_.world.noise.chance(300) ? 2 : 1});
  if (machine.full) return failed(path + ": no space left on device");
  return std::nullopt;
}

// In a planted bug.
std::string HostTwin::without_start(const ports::FileToWrite& file) const {
  if (!life_.world.has(Bug::StartIsForgotten) || !ends_with(file.path, "/memory.json")) return file.content;
  auto memory = model::read_memory(file.content, file.path);
  if (!memory || !memory->standing.pledge || !memory->standing.pledge->started) return file.content;
  memory->standing.pledge->started = false;
  life_.crash_in(static_cast<int>(life_.world.noise.below(60)));
  return model::to_json(*memory);
}

// What an agent forgets or puts back when it starts again, in a planted bug, shows only if it does so now.
bool HostTwin::shows_at_start(const ports::FileToWrite& memory_file) const {
  const bool forgets = life_.world.has(Bug::FreshAfterRestart);
  if (!forgets && !life_.world.has(Bug::YieldedComesBack)) return false;
  const auto memory = model::read_memory(memory_file.content, memory_file.path);
  if (!memory) return false;
  if (forgets) return !memory->promised.empty() && memory->started.empty();
  const auto& pledge = memory->standing.pledge;
  return life_.world.faults && pledge && pledge->given && !pledge->started;
}

Result<bool> HostTwin::write_file(const ports::FileToWrite& file) {
  Machine& machine = life_.machine;
  const auto before = machine.disk.files.find(file.path);
  if (before != machine.disk.files.end() && before->second.content == file.content &&
      before->second.mode == file.mode) {
    life_.call();
    return false;
  }
  if (auto no = change(file.path)) return *no;
  if (life_.world.has(Bug::KeepIsNotWritten) && ends_with(file.path, "/etcd.yaml")) {
    const auto boot = read_boot(file.content);
    if (boot && boot->state == "existing" && boot->initial.size() == 1) return true;
  }
  if (life_.world.has(Bug::MemoryNotSynced) && ends_with(file.path, "/memory.json")) {
    const auto old = machine.disk.files.find(file.path);
    machine.unsynced.emplace(file.path, old == machine.disk.files.end() ? std::nullopt : std::optional(old->second));
    life_.world.after(kSynced, [&machine, path = file.path] { machine.unsynced.erase(path); });
  }
  if (file.path == model::decision_path(place_of(machine))) {  // what stands there is about to give way
    if (const auto decision = read_decision(file.content)) life_.world.etcd().check_giving_way(machine, *decision);
  }
  machine.disk.files[file.path] = {without_start(file), file.mode};
  if (ends_with(file.path, "/memory.json") && shows_at_start(file)) {
    life_.crash_in(static_cast<int>(life_.world.noise.below(60)));
  }
  life_.call();
  return true;
}

Result<std::optional<std::string>> HostTwin::read_file(const std::string& path) {
  life_.call();
  const auto found = life_.machine.disk.files.find(path);
  if (found == life_.machine.disk.files.end()) return std::optional<std::string>{};
  if (life_.world.has(Bug::FreshAfterRestart) && ends_with(path, "/memory.json")) {
    auto memory = model::read_memory(found->second.content, path);
    if (memory && !memory->initialised) {
      memory->incarnation.clear();
      memory->promised.clear();
      memory->promised_with.clear();
      memory->started.clear();
      return std::optional<std::string>{model::to_json(*memory)};
    }
  }
  return std::optional<std::string>{found->second.content};
}

Result<void> HostTwin::remove_file(const std::string& path) {
  if (auto no = change("")) {
    if (!life_.machine.full) return *no;  // a full disk takes deletions
  }
  life_.machine.disk.files.erase(path);
  life_.call();
  return {};
}

Result<void> HostTwin::rename(const std::string& from, const std::string& to) {
  if (auto no = change(from)) {
    if (!life_.machine.full) return *no;
  }
  Disk& disk = life_.machine.disk;
  if (!any_below(disk.files, from) && !any_below(disk.data, from)) return base::invalid(from + ": nothing is there");
  if (any_below(disk.files, to) || any_below(disk.data, to)) {
    return tl::unexpected(base::Error{base::ErrorKind::Refused, to + " is there already", ""});
  }
  auto& etcd = life_.machine.etcd;
  if (etcd && is_in(etcd->data_dir, from)) {
    if (!etcd->stray) life_.world.violate(life_.member() + " moves " + from + " while etcd runs on it");
    etcd->data_dir = to + etcd->data_dir.substr(from.size());  // it has its files open, and goes on
  }
  move_below(disk.files, from, to);
  const bool stays = life_.world.has(Bug::PromiseIsANote) && to.find(model::kYielded) != std::string::npos;
  if (!stays) move_below(disk.data, from, to);
  life_.call();
  return {};
}

Result<std::optional<std::vector<std::string>>> HostTwin::list(const std::string& folder) {
  life_.call();
  std::set<std::string> names;
  const auto add = [&](const std::string& path) {
    if (path == folder || !is_in(path, folder)) return;
    const std::string rest = path.substr(folder.size() + 1);
    names.insert(rest.substr(0, rest.find('/')));
  };
  for (const auto& [path, file] : life_.machine.disk.files) add(path);
  const bool shows_logs = !life_.world.has(Bug::JoinsTwice);
  for (const auto& [path, data] : life_.machine.disk.data) add(path + (shows_logs ? "/member/wal/0.wal" : "/member"));
  if (names.empty()) return std::optional<std::vector<std::string>>{};
  return std::optional<std::vector<std::string>>{{names.begin(), names.end()}};
}

Result<void> HostTwin::remove_tree(const std::string& path) {
  if (auto no = change("")) {
    if (!life_.machine.full) return *no;
  }
  for (const auto& [place, data] : life_.machine.disk.data) {
    const bool is_kept = path.find(".aside-") != std::string::npos;
    if (!is_in(place, path) || is_kept || !life_.world.etcd().has_served(data.cluster)) continue;
    life_.world.violate(life_.member() + " deletes " + place + ", whose cluster has served");
  }
  erase_below(life_.machine.disk.files, path);
  erase_below(life_.machine.disk.data, path);
  return {};
}

// --------------------------------------------------------------------------------------------------------- the runtime
void Twins::adopt_process() {
  Running& running = life.machine.running[static_cast<std::size_t>(life.slot())];
  const bool alive = life.machine.etcd && life.machine.etcd->pid == running.pid;
  running.state = {};
  running.state.phase = alive ? model::RunPhase::Running : model::RunPhase::Stopped;
  running.state.pid = alive ? running.pid : 0;
}

void Twins::put_back_yielded() {
  Machine& machine = life.machine;
  const std::string place = place_of(machine);
  if (machine.etcd || machine.disk.data.count(place) != 0) return;
  for (const auto& [path, data] : machine.disk.data) {
    if (path.compare(0, place.size() + 9, place + model::kYielded) != 0) continue;
    const std::string from = path;
    move_below(machine.disk.files, from, place);
    move_below(machine.disk.data, from, place);
    machine.put_back = true;
    return;
  }
}

Result<void> RuntimeTwin::start(const ports::Launch& launch) {
  life_.call();
  life_.sleep(Duration{2});
  Running& running = life_.machine.running[static_cast<std::size_t>(life_.slot())];
  const bool alive = life_.machine.etcd && life_.machine.etcd->pid == running.pid;
  if (alive && running.launch && running.launch->args == launch.args) return {};
  running.launch = launch;
  running.had_log = false;
  running.state = {};
  life_.world.launch(life_.machine, life_.slot());
  life_.call();
  return {};
}

Result<void> RuntimeTwin::stop(Duration patience) {
  life_.call();
  Machine& machine = life_.machine;
  Running& running = machine.running[static_cast<std::size_t>(life_.slot())];
  const std::int64_t pid = running.pid;
  running.launch.reset();  // it is not started again
  if (machine.etcd && machine.etcd->pid == pid) {
    life_.sleep(std::min(patience, life_.world.noise.between(20, 600)));
    if (machine.etcd && machine.etcd->pid == pid) {
      life_.world.trace(machine.name + " stops its etcd");
      life_.world.crash_etcd(machine, model::EndReason::None, "");
    }
  }
  running.state = {};
  life_.call();
  return {};
}

model::RunState RuntimeTwin::look() {
  return life_.machine.running[static_cast<std::size_t>(life_.slot())].state;
}

// ----------------------------------------------------------------------------------------------------------- the peers
// The planted bugs that are in what the others are heard to say.
void PeersTwin::tell_lies(model::AgentReport& report) {
  const World& world = life_.world;
  if (life_.memory() == nullptr) return;
  if (world.has(Bug::PromisesAreLies)) {
    report.facts.promised = model::Fact<std::string>::known(life_.memory()->promised, report.facts.promised.at());
  }
  if (!report.facts.standing) return;
  auto& pledge = report.facts.standing->pledge;
  const auto& own = life_.memory()->standing.pledge;
  if (world.has(Bug::SeedDoesNotWait) && own && own->given) {
    pledge = own;
    pledge->started = false;
  }
}

Result<model::AgentReport> PeersTwin::answer(const std::string& cluster, const std::string& member, bool& silent) {
  World& world = life_.world;
  Machine* there = world.machine_named(member);
  if (there == nullptr || !there->up || !world.reaches(life_.machine, *there) ||
      (world.faults && world.noise.chance(3))) {
    silent = true;
    return failed("the agent of " + member + " does not answer");
  }
  std::vector<AgentLife*> lives;
  for (const auto& life : there->agents) {
    if (life && life->answers()) lives.push_back(life.get());
  }
  if (lives.empty()) return failed("the agent of " + member + ": connection refused");
  const std::string nonce = "nonce-" + std::to_string(++nonces_);
  model::AgentReport report = lives[static_cast<std::size_t>(nonces_ % lives.size())]->report(nonce);
  if (world.has(Bug::StalePeers)) {
    const auto [old, is_first] = old_.try_emplace(member, world.now(), report);
    if (!is_first && world.now() - old->second.first > kOldNews) old->second = {world.now(), report};
    report = old->second.second;
    report.nonce = nonce;
  }
  tell_lies(report);
  if (auto problem = check_.problem({cluster, member, nonce}, report, world.now())) return tl::unexpected(*problem);
  return report;
}

std::vector<ports::PeerAnswer> PeersTwin::ask(const std::string& cluster, const std::vector<ports::Peer>& peers,
                                              Duration within) {
  life_.call();
  bool silent = false;
  std::vector<ports::PeerAnswer> answers;
  life_.sleep(life_.world.noise.between(1, 4));
  for (const ports::Peer& peer : peers) {
    ports::PeerAnswer answered;
    answered.member = peer.member;
    answered.report = answer(cluster, peer.member, silent);
    answers.push_back(std::move(answered));
  }
  if (silent) life_.sleep(within);
  return answers;
}

// ------------------------------------------------------------------------------------------------------------ the rest
SmallTwins::SmallTwins(AgentLife& life) : life_(life), rng_(life.world.noise.fork()) {}

Result<std::vector<base::MemberId>> SmallTwins::active_peers(const std::string& endpoint, Duration within) {
  life_.call();
  Machine* at = life_.world.machine_at(endpoint);
  if (at == nullptr || !at->up || !life_.world.reaches(life_.machine, *at)) {
    life_.sleep(within);
    return failed(endpoint + " does not answer");
  }
  life_.sleep(Duration{1});
  if (life_.world.etcd().cluster_of(*at) == nullptr) return failed(endpoint + ": connection refused");
  return life_.world.etcd().active_peers(*at);
}

Result<void> SmallTwins::append(const model::JournalEntry& entry) {
  const Duration begun = life_.world.now();
  life_.call();
  if (life_.machine.slow) life_.sleep(life_.world.noise.between(100, 1500));
  if (life_.machine.full) return failed("journal: no space left on device");
  life_.world.noted(life_.machine, life_.slot(), entry, begun);
  life_.call();
  return {};
}

base::Time SmallTwins::now() {
  return life_.world.date() + life_.world.skew_of(life_.machine) + life_.offset();
}

Duration SmallTwins::elapsed() {
  return life_.world.now() + life_.offset();
}

void SmallTwins::say(ports::EventLevel /*level*/, const std::string& text) {
  if (life_.world.options.verbose) life_.world.trace(life_.member() + " says " + text);
}

}  // namespace quorate::sim
