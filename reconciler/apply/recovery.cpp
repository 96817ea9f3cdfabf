// Without a quorum: the data give way by a rename, one node restores beside the place, and whoever has to can go back.
#include <algorithm>

#include "reconciler/apply/own_node.h"
#include "reconciler/apply/steps.h"
#include "reconciler/model/standing_json.h"
#include "reconciler/model/state_paths.h"
#include "reconciler/model/succession.h"
#include "renderers/etcd_config/etcd_config.h"
#include "renderers/etcd_config/fence.h"
#include "renderers/registry.h"

namespace quorate::apply {
namespace {

using model::Decision;

// As long as a database is large; nothing else waits for it.
constexpr base::Duration kLong = std::chrono::hours{6};

base::Result<void> sign(const Ports& ports, const std::string& folder, const Decision& decision) {
  const auto written = ports.host.write_file({model::decision_path(folder), model::to_json(decision), 0600, ""});
  if (!written) return tl::unexpected(written.error());
  return {};
}

// The log goes first, and the name of the data directory is the promise: once it has changed, all has.
base::Result<void> set_apart(const Ports& ports, const Scene& scene, const Decision& decision) {
  const std::string& data = scene.me.data_dir;
  const std::string& wal = scene.me.wal_dir;
  const std::string to = model::yielded_path(data, decision.id);
  const auto done = is_of(ports, to, decision.id);
  if (!done) return tl::unexpected(done.error());
  if (*done) {
    if (auto empty = still_without_log(ports, scene); !empty) return empty;
    return clear_place(ports, scene);
  }
  if (auto is_signed = sign(ports, data, decision); !is_signed) return is_signed;
  if (!wal.empty()) {
    if (auto away = move(ports, wal, model::yielded_path(wal, decision.id)); !away) return away;
  }
  return ports.host.rename(data, to);
}

// Its cluster has come into being, and may have been lost since.
bool is_carried_out(const Scene& scene, const model::Pledge& pledge) {
  const auto& seen = scene.observed.formed;
  return (scene.memory.formed && scene.memory.formed->decision == pledge.decision.id) ||
         (seen && seen->decision == pledge.decision.id);
}

base::Result<void> may_give_way(const Scene& scene, const Decision& decision) {
  const model::Standing& standing = scene.memory.standing;
  const std::string& me = scene.me.name;
  if (!model::is_founder_of(decision, me)) return refused(me + " is no founder of decision " + decision.id);
  if (model::has_abandoned(standing, decision.id)) return refused(me + " has given up decision " + decision.id);
  if (standing.pledge && standing.pledge->decision.id != decision.id && !is_carried_out(scene, *standing.pledge)) {
    return refused(me + " keeps to decision " + standing.pledge->decision.id);
  }
  const model::DataDir* data = own_data(scene);
  if (data == nullptr) return moved("nobody could look at the data directory of " + me);
  if (data->state == model::DataState::Foreign) return refused(data->problem);
  // What is on a disk that is away cannot give way, unless people say that it is gone.
  if (data->disk_away && !is_given_up(scene)) return refused(data->problem);
  return {};
}

// Ours, for this decision; else why not.
base::Result<Decision> own_pledge(const Scene& scene, const std::string& decision) {
  const auto& pledge = scene.memory.standing.pledge;
  if (pledge && pledge->decision.id == decision) return pledge->decision;
  return moved(scene.me.name + " keeps to no decision " + decision);
}

base::Result<ports::Extracted> extract(const Ports& ports, const Scene& scene, const Decision& decision,
                                       const std::string& snapshot) {
  ports::Survivor survivor;
  survivor.data_dir = model::yielded_path(scene.me.data_dir, decision.id);
  if (!scene.me.wal_dir.empty()) survivor.wal_dir = model::yielded_path(scene.me.wal_dir, decision.id);
  survivor.work_dir = model::restoring_path(scene.me.data_dir, decision.id) + ".work";
  survivor.program = scene.memory.program.empty() ? scene.desired.etcd.binary : scene.memory.program;
  survivor.into = snapshot;
  if (auto gone = ports.host.remove_file(snapshot); !gone) return tl::unexpected(gone.error());
  auto extracted = ports.restorer->extract(survivor, kLong);
  if (auto gone = ports.host.remove_tree(survivor.work_dir); !gone) return tl::unexpected(gone.error());
  return extracted;
}

// Of the snapshot that is restored: made from what survived, or fetched before anything was stopped.
base::Result<std::int64_t> bring_snapshot(const Ports& ports, const Scene& scene, const Decision& decision,
                                          const std::string& snapshot) {
  if (!decision.backup) {
    const auto extracted = extract(ports, scene, decision, snapshot);
    if (!extracted) return tl::unexpected(extracted.error());
    return extracted->revision;
  }
  if (scene.memory.standing.fetched != decision.source) {
    return refused("backup " + decision.backup->name + " was not fetched to this node");
  }
  return decision.backup->revision;
}

// Beside the place, signed when it is whole.
base::Result<void> make_seed(const Ports& ports, const Scene& scene, const Decision& decision) {
  const std::string made = model::restoring_path(scene.me.data_dir, decision.id);
  const std::string snapshot = decision.backup ? model::fetched_path(scene.me.data_dir) : made + ".snapshot";
  const std::string wal = log_beside(scene, decision.id);
  if (auto gone = ports.host.remove_tree(made); !gone) return gone;
  if (!wal.empty()) {
    if (auto gone = ports.host.remove_tree(wal); !gone) return gone;
  }
  const auto revision = bring_snapshot(ports, scene, decision, snapshot);
  if (!revision) return tl::unexpected(revision.error());
  ports::Seeding seeding;
  seeding.snapshot = snapshot;
  seeding.data_dir = made;
  seeding.wal_dir = wal;
  seeding.member = scene.me.name;
  seeding.peer_urls = base::to_strings(scene.me.peer_urls);
  seeding.token = scene.desired.etcd.token + "-" + decision.id;
  // Watchers and caches of the life before must never see a revision twice.
  seeding.bump_revision = std::max<std::int64_t>(decision.above - *revision, 0) + scene.desired.bump_revision;
  if (auto seeded = ports.restorer->seed(seeding, kLong); !seeded) return seeded;
  if (auto is_signed = sign(ports, made, decision); !is_signed) return is_signed;
  // What was fetched stays until the cluster is there: another attempt needs it, too.
  return decision.backup ? base::Result<void>{} : ports.host.remove_file(snapshot);
}

base::Result<void> put_in_place(const Ports& ports, const Scene& scene, const Decision& decision) {
  const std::string made = model::restoring_path(scene.me.data_dir, decision.id);
  if (auto empty = clear_place(ports, scene); !empty) return empty;
  if (!scene.me.wal_dir.empty()) {
    if (auto in = move(ports, log_beside(scene, decision.id), scene.me.wal_dir); !in) return in;
  }
  return ports.host.rename(made, scene.me.data_dir);
}

// Beside the place; a log with a place of its own may be there already, since it goes first.
base::Result<bool> is_made(const Ports& ports, const Scene& scene, const std::string& decision) {
  const std::string made = model::restoring_path(scene.me.data_dir, decision);
  const std::string& place = scene.me.wal_dir;
  const auto is_signed = is_of(ports, made, decision);
  if (!is_signed || !*is_signed) return is_signed;
  const auto log = has_log(ports, made, log_beside(scene, decision));
  if (!log || *log || place.empty()) return log;
  return has_log(ports, made, place);
}

base::Result<void> make_and_place(const Ports& ports, const Scene& scene, const Decision& decision) {
  const std::string wal = log_beside(scene, decision.id);
  const auto placed = is_of(ports, scene.me.data_dir, decision.id);
  if (!placed) return tl::unexpected(placed.error());
  if (*placed && !wal.empty()) {  // a way back may have been cut short after its log
    if (auto in = move(ports, wal, scene.me.wal_dir); !in) return in;
  }
  const auto restored = is_restored(ports, scene, decision.id);
  if (!restored) return tl::unexpected(restored.error());
  if (*restored) return {};
  const auto whole = is_made(ports, scene, decision.id);
  if (!whole) return tl::unexpected(whole.error());
  if (!*whole) {
    if (auto empty = still_without_log(ports, scene); !empty) return empty;
    if (auto done = make_seed(ports, scene, decision); !done) return done;
  }
  return put_in_place(ports, scene, decision);
}

// Its log was placed, and it was not any more.
base::Result<void> take_log_out(const Ports& ports, const Scene& scene, const Decision& decision) {
  const std::string wal = log_beside(scene, decision.id);
  const auto is_signed = is_of(ports, model::restoring_path(scene.me.data_dir, decision.id), decision.id);
  if (!is_signed) return tl::unexpected(is_signed.error());
  const auto waits = is_there(ports, wal);
  if (!waits) return tl::unexpected(waits.error());
  return *is_signed && !*waits ? move(ports, scene.me.wal_dir, wal) : base::Result<void>{};
}

// What was made for a decision that is given up.
base::Result<void> clear_away(const Ports& ports, const Scene& scene, const Decision& decision) {
  const std::string made = model::restoring_path(scene.me.data_dir, decision.id);
  const std::string wal = log_beside(scene, decision.id);
  const auto placed = is_of(ports, scene.me.data_dir, decision.id);
  if (!placed) return tl::unexpected(placed.error());
  if (!*placed && !wal.empty()) {
    if (auto out = take_log_out(ports, scene, decision); !out) return out;
  }
  std::vector<std::string> ours{made, made + ".work", made + ".seeding"};
  if (!wal.empty()) {
    ours.push_back(wal);
    ours.push_back(wal + ".seeding");
  }
  for (const char* behind : {".snapshot", ".snapshot.partial"}) {
    if (auto gone = ports.host.remove_file(made + behind); !gone) return gone;
  }
  for (const std::string& path : ours) {
    if (auto gone = ports.host.remove_tree(path); !gone) return gone;
  }
  if (!*placed) {
    if (auto empty = still_without_log(ports, scene); !empty) return empty;
    return clear_place(ports, scene);
  }
  if (!wal.empty()) {
    if (auto away = move(ports, scene.me.wal_dir, wal); !away) return away;
    if (auto gone = ports.host.remove_tree(wal); !gone) return gone;
  }
  if (auto away = ports.host.rename(scene.me.data_dir, made); !away) return away;
  return ports.host.remove_tree(made);
}

base::Result<void> put_back(const Ports& ports, const Scene& scene, const Decision& decision) {
  const std::string yielded = model::yielded_path(scene.me.data_dir, decision.id);
  const auto there = is_there(ports, yielded);
  if (!there) return tl::unexpected(there.error());
  if (*there) {
    if (auto cleared = clear_away(ports, scene, decision); !cleared) return cleared;
    if (auto back = ports.host.rename(yielded, scene.me.data_dir); !back) return back;
  }
  if (!scene.me.wal_dir.empty()) {
    const std::string wal = model::yielded_path(scene.me.wal_dir, decision.id);
    if (auto back = move(ports, wal, scene.me.wal_dir); !back) return back;
  }
  return ports.host.remove_file(model::decision_path(scene.me.data_dir));
}

// What tells whose the data are that stood there; what has none is nothing to keep.
base::Result<std::string> label_of(const Ports& ports, const std::string& yielded) {
  const auto text = ports.host.read_file(model::marker_path(yielded));
  if (!text) return tl::unexpected(text.error());
  if (*text) {
    const auto marker = model::read_marker(**text, yielded);
    if (marker) return base::to_string(marker->member);
  }
  const auto names = ports.host.list(yielded);
  if (!names) return tl::unexpected(names.error());
  return std::string(*names && (*names)->size() > 1 ? "unmarked" : "empty");
}

// Files that were written for the seed and that it was never started from let no client in.
base::Result<void> open_files(const Ports& ports, const Scene& scene) {
  const std::string path = renderers::config_path(scene.state_dir, scene.desired, scene.me);
  const auto text = ports.host.read_file(path);
  if (!text) return tl::unexpected(text.error());
  if (!*text || !renderers::has_fence(**text)) return {};
  const auto written =
      ports.host.write_file({path, renderers::without_fence(**text), 0600, renderers::file_owner(scene.desired)});
  if (!written) return tl::unexpected(written.error());
  return {};
}

// What gave way cannot be put back without its disk, and what was made in its place would be taken for ours later.
base::Result<void> has_its_disk(const Scene& scene) {
  const model::DataDir* data = own_data(scene);
  if (data == nullptr) return moved("nobody could look at the data directory of " + scene.me.name);
  // Where people say that it is gone, and nothing stands in its place, there is nothing to wait for.
  const bool gone = is_given_up(scene) && model::holds_nothing(*data);
  if (data->disk_away && !gone) return refused(data->problem);
  return {};
}

// Where what gave way is gone, what was restored would stay in the place, and no promise would keep it from its start.
base::Result<void> has_way_back(const Ports& ports, const Scene& scene, const Decision& decision) {
  // Before that, and once the way back has begun, what stands there is its own.
  const model::Standing& standing = scene.memory.standing;
  if (!standing.pledge->given || model::has_abandoned(standing, decision.id)) return {};
  if (decision.seed != scene.me.name) return {};
  const auto restored = is_restored(ports, scene, decision.id);
  if (!restored) return tl::unexpected(restored.error());
  const std::string yielded = model::yielded_path(scene.me.data_dir, decision.id);
  const auto kept = is_there(ports, yielded);
  if (!kept) return tl::unexpected(kept.error());
  if (!*restored || *kept) return {};
  return refused(
      yielded + " is gone, and " + scene.me.data_dir + " holds what was restored under decision " + decision.id,
      "it may be all that is left: move it away yourself to give the decision up");
}

}  // namespace

base::Result<void> give_way(const Ports& ports, const Scene& scene, const Decision& decision) {
  if (auto fit = may_give_way(scene, decision); !fit) return fit;
  if (auto free = nobody_elses(ports, scene); !free) return free;
  const auto& before = scene.memory.standing.pledge;
  if (before && before->decision.id != decision.id) {
    if (auto finished = finish_decision(ports, scene); !finished) return finished;
  }
  model::Memory memory = scene.memory;
  if (!memory.standing.pledge) memory.standing.pledge = model::Pledge{decision, false, false, 0, ""};
  memory.standing.pledge->agreed = true;
  memory.generation = std::max(memory.generation, decision.generation);
  if (auto kept = keep(ports, scene, memory); !kept) return kept;
  if (auto stopped = ports.runtime.stop(scene.desired.stop_timeout); !stopped) return stopped;
  if (auto apart = set_apart(ports, scene, decision); !apart) return apart;
  memory.standing.pledge->given = true;
  memory.promised = decision.id;
  memory.promised_with.clear();
  for (const model::Founder& each : decision.founders) memory.promised_with.push_back(each.member);
  return keep(ports, scene, std::move(memory));
}

namespace {

// A store that does not answer now is no fault of this seed. But a cluster that was well and could run again does not
// stay stopped for it.
bool waits_for_store(const Decision& decision, const base::Error& error) {
  return error.kind == base::ErrorKind::Transient && !decision.deliberate;
}

}  // namespace

base::Result<void> restore(const Ports& ports, const Scene& scene, const model::Restore& action) {
  const auto decision = own_pledge(scene, action.decision);
  if (!decision) return tl::unexpected(decision.error());
  const model::Pledge& pledge = *scene.memory.standing.pledge;
  if (!pledge.given || pledge.started || decision->seed != scene.me.name) {
    return refused(scene.me.name + " does not restore under decision " + decision->id);
  }
  if (ports.restorer == nullptr) return refused("nothing can be restored on this node");
  // What is restored beneath the place of a disk is gone when that is back.
  if (auto disk = has_its_disk(scene); !disk) return disk;
  if (auto free = nobody_elses(ports, scene); !free) return free;
  if (auto here = still_fetched(ports, scene, *decision); !here) return here;
  model::Memory memory = scene.memory;
  auto made = claim_generation(ports, scene, *decision);
  if (!made && waits_for_store(*decision, made.error())) return made;
  ++memory.standing.pledge->tries;
  if (auto kept = keep(ports, scene, memory); !kept) return kept;
  if (made) made = make_and_place(ports, scene, *decision);
  if (!made) {
    memory.standing.pledge->failed = made.error().message;
    (void)keep(ports, scene, std::move(memory));
    return made;
  }
  model::forget_data(memory);
  memory.initialised = true;
  memory.data_dir = scene.me.data_dir;
  memory.wal_dir = scene.me.wal_dir;
  return keep(ports, scene, std::move(memory));
}

base::Result<void> abandon(const Ports& ports, const Scene& scene, const model::Abandon& action) {
  const auto decision = own_pledge(scene, action.decision);
  if (!decision) return tl::unexpected(decision.error());
  if (auto disk = has_its_disk(scene); !disk) return disk;
  const model::Pledge& pledge = *scene.memory.standing.pledge;
  const bool is_left = !model::holds_nothing(*own_data(scene)) || is_carried_out(scene, pledge);
  if (pledge.started && is_left) {
    return refused(scene.me.name + " has been started under decision " + decision->id);
  }
  if (model::has_begun(*decision, *own_data(scene))) return refuse_begun(scene, *decision);
  if (auto back = has_way_back(ports, scene, *decision); !back) return back;
  if (auto free = nobody_elses(ports, scene); !free) return free;
  if (auto stopped = ports.runtime.stop(scene.desired.stop_timeout); !stopped) return stopped;
  model::Memory memory = scene.memory;
  auto& abandoned = memory.standing.abandoned;
  if (decision->seed == scene.me.name && !model::has_abandoned(memory.standing, decision->id)) {
    if (auto out = take_out_seed(ports, scene, *decision); !out) return out;
    abandoned.push_back({decision->id, decision->generation, decision->seed, action.why});
    if (abandoned.size() > model::kMostAbandoned) abandoned.erase(abandoned.begin());
    if (auto kept = keep(ports, scene, memory); !kept) return kept;
  }
  if (auto opened = open_files(ports, scene); !opened) return opened;
  if (auto back = put_back(ports, scene, *decision); !back) return back;
  // What was restored may have been seen in the place; it is not what stands there again.
  if (!model::takes_place_of(*decision, memory.cluster_id)) model::forget_data(memory);
  memory.standing.pledge.reset();
  if (memory.started == decision->id) memory.started.clear();
  memory.promised.clear();
  memory.promised_with.clear();
  return keep(ports, scene, std::move(memory));
}

base::Result<void> finish_decision(const Ports& ports, const Scene& scene) {
  if (!scene.memory.standing.pledge) return {};
  const std::string decision = scene.memory.standing.pledge->decision.id;
  const std::string yielded = model::yielded_path(scene.me.data_dir, decision);
  const auto label = label_of(ports, yielded);
  if (!label) return tl::unexpected(label.error());
  const std::string suffix = ".aside-" + stamp(ports.clock.now()) + "-" + *label;
  if (!scene.me.wal_dir.empty()) {
    const std::string wal = model::yielded_path(scene.me.wal_dir, decision);
    if (auto aside = move(ports, wal, scene.me.wal_dir + suffix); !aside) return aside;
  }
  if (auto aside = move(ports, yielded, scene.me.data_dir + suffix); !aside) return aside;
  if (auto gone = ports.host.remove_file(model::decision_path(scene.me.data_dir)); !gone) return gone;
  for (const std::string& path : {model::fetched_path(scene.me.data_dir), model::fetching_path(scene.me.data_dir)}) {
    if (auto gone = ports.host.remove_file(path); !gone) return gone;
  }
  model::Memory memory = scene.memory;
  memory.standing.pledge.reset();
  memory.standing.fetched.clear();
  memory.standing.unfit.clear();
  return keep(ports, scene, std::move(memory));
}

}  // namespace quorate::apply
