// What survives of a lost cluster, copied and restored: it takes long, and it may fail or be cut short anywhere.
#include "reconciler/model/standing_json.h"
#include "reconciler/model/state_paths.h"
#include "tests/sim/twins.h"

namespace quorate::sim {
namespace {

using base::Result;

tl::unexpected<base::Error> failed(const std::string& text) {
  return tl::unexpected(base::Error{base::ErrorKind::Transient, text, ""});
}

}  // namespace

std::optional<model::Decision> read_decision(const std::string& text) {
  const auto read = model::read_decision_file(text, "decision");
  return read ? std::optional(*read) : std::nullopt;
}

// Half the time of a fault is spent before it shows.
std::optional<tl::unexpected<base::Error>> RestorerTwin::work(Duration least, Duration most) {
  World& world = life_.world;
  life_.sleep(world.noise.between(least.count(), most.count()) * (life_.machine.slow ? 3 : 1));
  if (life_.machine.full) return failed("no space left on device");
  if (world.faults && world.noise.chance(80)) return failed("etcdutl ended with 1");
  return std::nullopt;
}

Result<void> RestorerTwin::ready(Duration /*within*/) {
  life_.call();
  life_.sleep(Duration{20});
  if (life_.world.faults && life_.world.noise.chance(50)) return failed("there is no etcdutl on this node");
  return {};
}

Result<ports::Extracted> RestorerTwin::extract(const ports::Survivor& survivor, Duration /*within*/) {
  life_.call();
  Machine& machine = life_.machine;
  World& world = life_.world;
  if (machine.disk.data.count(survivor.data_dir) == 0) return failed(survivor.data_dir + ": no log is there");
  if (machine.etcd && machine.etcd->data_dir == survivor.data_dir) {
    world.violate(machine.name + " copies " + survivor.data_dir + " while etcd runs on it");
  }
  const auto file = machine.disk.files.find(model::decision_path(survivor.data_dir));
  const auto decision = file == machine.disk.files.end() ? std::nullopt : read_decision(file->second.content);
  if (!decision) return failed(survivor.data_dir + ": no decision is signed there");
  world.etcd().check_promises(machine, *decision);
  world.etcd().check_source(machine, machine.disk.data.at(survivor.data_dir), decision->source);
  machine.disk.files[survivor.work_dir + "/copy"] = {"half of it", 0600};
  if (auto no = work(Duration{300}, Duration{6000})) return *no;
  const auto there = machine.disk.data.find(survivor.data_dir);
  if (there == machine.disk.data.end()) return failed(survivor.data_dir + ": input/output error");
  machine.disk.files[survivor.into] = {copied_snapshot(there->second), 0600};
  life_.call();
  const Reach reach = world.etcd().reach(there->second);
  return ports::Extracted{reach.term, reach.index, static_cast<std::int64_t>(reach.index), 20480, std::string(64, 'a')};
}

Result<void> RestorerTwin::seed(const ports::Seeding& seeding, Duration /*within*/) {
  life_.call();
  Machine& machine = life_.machine;
  const auto file = machine.disk.files.find(seeding.snapshot);
  const auto source = file == machine.disk.files.end() ? std::nullopt : read_snapshot(file->second.content);
  if (!source) return failed(seeding.snapshot + ": no snapshot");
  if (machine.disk.data.count(seeding.data_dir) != 0) return base::invalid(seeding.data_dir + " is there already");
  const std::string id = seeding.token.substr(seeding.token.rfind('-') + 1);
  const auto signed_file = machine.disk.files.find(model::decision_path(model::yielded_path(place_of(machine), id)));
  const auto decision =
      signed_file == machine.disk.files.end() ? std::nullopt : read_decision(signed_file->second.content);
  if (!decision) return failed("no decision " + id + " is signed there");
  life_.world.etcd().check_promises(machine, *decision);
  if (decision->backup) life_.world.etcd().check_backup(machine, *decision, *source);
  if (auto no = work(Duration{100}, Duration{3000})) return *no;
  life_.world.trace(machine.name + " has restored entry " + std::to_string(source->last + source->tail) +
                    (decision->backup ? " of " + decision->backup->name : "") + " under decision " + id);
  life_.world.etcd().seed(machine, seeding, *source, *decision);
  life_.call();
  return {};
}

}  // namespace quorate::sim
