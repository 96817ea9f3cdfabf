// What an agent does to its own node: promise, write files and start, stop and withdraw, set data aside.
#include <algorithm>

#include "reconciler/apply/own_node.h"
#include "reconciler/apply/steps.h"
#include "reconciler/base/path.h"
#include "reconciler/base/words.h"
#include "renderers/registry.h"

namespace quorate::apply {
namespace {

// Added for this node, and not heard of since.
bool is_added_here(const Scene& scene, const model::ListedMember& listed) {
  return listed.name.empty() && base::same_texts(listed.peer_urls, base::to_strings(scene.me.peer_urls));
}

std::string join_text(const Scene& scene) {
  std::vector<std::string> entries;
  for (const model::ObservedMember& each : scene.observed.membership->members) {
    const std::string name = is_added_here(scene, each.listed) ? scene.me.name : each.listed.name;
    for (const std::string& url : each.listed.peer_urls) {
      entries.push_back((name.empty() ? base::to_string(each.listed.id) : name) + "=" + url);
    }
  }
  return base::joined(entries, ",");
}

renderers::Boot boot_of(const Scene& scene, model::BootMode mode) {
  switch (mode) {
    case model::BootMode::New:
      return renderers::BootNew{scene.desired.etcd.token + "-" + scene.memory.promised};
    case model::BootMode::Join:
      return renderers::BootJoin{join_text(scene)};
    case model::BootMode::Keep:
      break;
  }
  return renderers::BootKeep{};
}

// The lock may have been lost while files were written.
base::Result<void> still_ours(const Ports& ports, const Scene& scene) {
  if (!scene.fence) return {};
  return write_fenced(ports.etcd, *scene.fence, {}, scene.within);
}

// The others count on what a member ID has had on disk, also where it had no vote yet.
base::Result<void> check_join(const Scene& scene) {
  if (!scene.observed.membership) return moved("nobody could ask for the members of the cluster");
  for (const model::ObservedMember& each : scene.observed.membership->members) {
    if (each.listed.id != scene.memory.member_id || !is_added_here(scene, each.listed)) continue;
    return refused(
        scene.me.name + " has held the log of member " + base::to_string(each.listed.id) + ", and would begin it anew",
        "remove that member ID; the agents add another one");
  }
  return {};
}

base::Result<void> check_before(const Scene& scene, const model::WriteManifest& action) {
  const model::DataDir* data = own_data(scene);
  if (data == nullptr) return moved("nobody could look at the data directory of " + scene.me.name);
  if (action.boot == model::BootMode::Keep) {
    if (data->state == model::DataState::Valid && data->path == scene.me.data_dir) return {};
    return refused("the data of " + scene.me.name + " are not whole: " + data->path + ": " + data->problem);
  }
  if (!model::holds_nothing(*data)) return moved(data->path + " holds data");
  if (action.boot == model::BootMode::New) {
    if (scene.memory.promised.empty()) return moved(scene.me.name + " has promised nothing");
    if (scene.memory.initialised || !data->problem.empty()) {  // they may be on a disk that is not mounted
      return refused(scene.me.name + " has held data, and would not know what it voted for: " + data->problem);
    }
    if (!scene.memory.started.empty() && scene.memory.started != scene.memory.promised) {
      return refused(scene.me.name + " has been started under decision " + scene.memory.started);
    }
  }
  if (action.boot == model::BootMode::Join) {
    if (auto fit = check_join(scene); !fit) return fit;
  }
  // It was started here, nobody has seen its data since, and where they would be another disk is now.
  const bool unseen = scene.memory.member_id.value == 0 && !scene.memory.data_dir.empty();
  if (unseen && !data->problem.empty() && !is_given_up(scene)) {
    return refused(data->problem, "mount that disk; where it is gone, or nothing of " + scene.me.name +
                                      " was ever on it, write  members." + scene.me.name +
                                      ".lost: never  until it has joined");
  }
  return {};
}

// This very start has been made, and what it leads to is not to be seen yet.
bool has_begun(const Ports& ports, const renderers::Bundle& bundle) {
  if (ports.runtime.look().phase != model::RunPhase::Running) return false;
  return std::all_of(bundle.files.begin(), bundle.files.end(), [&](const renderers::File& file) {
    const auto there = ports.host.read_file(file.path);
    return there && *there && **there == file.content;
  });
}

}  // namespace

base::Result<void> promise(const Ports& ports, const Scene& scene, const model::Promise& action) {
  const model::DataDir* data = own_data(scene);
  if (data == nullptr || !model::holds_nothing(*data))
    return moved("the data directory of " + scene.me.name + " is not empty");
  if (scene.memory.standing.pledge) {
    return refused(scene.me.name + " keeps to decision " + scene.memory.standing.pledge->decision.id);
  }
  if (!scene.memory.started.empty()) {
    return refused(scene.me.name + " has been started under decision " + scene.memory.started,
                   "a decision that has begun is completed, or people raise the generation");
  }
  model::Memory memory = scene.memory;
  memory.promised = action.decision;
  memory.generation = scene.desired.generation;
  memory.promised_with.clear();
  for (const model::Member& each : scene.desired.members) {
    if (model::is_founder(each)) memory.promised_with.push_back(each.name);
  }
  return keep(ports, scene, std::move(memory));
}

base::Result<void> start_member(const Ports& ports, const Scene& scene) {
  ports::Launch launch;
  launch.member = scene.me.name;
  launch.program = scene.memory.program.empty() ? scene.desired.etcd.binary : scene.memory.program;
  launch.args = {"--config-file", renderers::config_path(scene.state_dir, scene.desired, scene.me)};
  launch.wanted_version = scene.memory.version;
  if (scene.memory.program.empty() && scene.desired.etcd.version) {
    launch.wanted_version = base::to_string(*scene.desired.etcd.version);
  }
  return ports.runtime.start(launch);
}

namespace {

// The seed's first start: from it on the decision cannot be given up any more.
bool begins_seed(const model::Memory& memory, model::BootMode boot) {
  const auto& pledge = memory.standing.pledge;
  return boot == model::BootMode::Keep && pledge && pledge->given && !pledge->started &&
         pledge->decision.seed == memory.member;
}

// From the start on there is no way back, and a disk may have been emptied since the look.
base::Result<void> still_restored(const Ports& ports, const Scene& scene) {
  const std::string& decision = scene.memory.standing.pledge->decision.id;
  const auto there = is_restored(ports, scene, decision);
  if (!there) return tl::unexpected(there.error());
  if (!*there) return moved("what was restored under decision " + decision + " is no longer in its place");
  return {};
}

}  // namespace

base::Result<void> write_manifest(const Ports& ports, const Scene& scene, const model::WriteManifest& action) {
  if (auto fit = check_before(scene, action); !fit) return fit;
  if (auto free = nobody_elses(ports, scene); !free) return free;
  if (begins_seed(scene.memory, action.boot)) {
    if (auto there = still_restored(ports, scene); !there) return there;
  }
  const renderers::Boot boot = boot_of(scene, action.boot);
  auto bundle = renderers::render_member(
      {scene.desired, scene.me, boot, renderers::config_path(scene.state_dir, scene.desired, scene.me)});
  if (!bundle) return tl::unexpected(bundle.error());
  if (bundle->digest != action.digest) return moved("the files of " + scene.me.name + " are not those of the plan");
  if (action.fenced) {
    if (auto fenced = fence_off(ports, scene, *bundle); !fenced) return fenced;
  }
  if (action.boot != model::BootMode::Keep) {
    if (has_begun(ports, *bundle)) return {};
    if (auto fit = still_without_log(ports, scene); !fit) return fit;
    // A start that is not made must not be remembered: the disk would be taken for another one later.
    if (auto ours = still_ours(ports, scene); !ours) return ours;
  }
  // Etcd reads its file once, so what runs does not mind; a restart between the two would only come early.
  model::Memory memory = scene.memory;
  memory.withdrawn = false;
  if (action.boot == model::BootMode::New) memory.started = memory.promised;
  if (begins_seed(memory, action.boot)) {
    // What has begun is started from whatever file is there, whenever this agent dies: it is the one behind the fence.
    if (auto stopped = ports.runtime.stop(scene.desired.stop_timeout); !stopped) return stopped;
    if (auto written = write_files(ports.host, *bundle); !written) return written;
    memory.standing.pledge->started = true;
    memory.started = memory.standing.pledge->decision.id;
  }
  if (action.boot != model::BootMode::Keep) {
    model::forget_data(memory);
    // Where the file names another place, what was looked at is the one before: the new one is learned when it is used.
    const bool other = memory.data_dir != scene.me.data_dir || memory.wal_dir != scene.me.wal_dir;
    const bool moves = memory.initialised && !memory.data_dir.empty() && other;
    memory.filesystem = moves ? "" : own_data(scene)->filesystem;
    memory.wal_filesystem = moves ? "" : own_data(scene)->wal_filesystem;
  }
  memory.data_dir = scene.me.data_dir;
  memory.wal_dir = scene.me.wal_dir;
  memory.program = scene.desired.etcd.binary;
  memory.version = scene.desired.etcd.version ? base::to_string(*scene.desired.etcd.version) : "";
  if (auto kept = keep(ports, scene, std::move(memory)); !kept) return kept;
  if (auto ours = still_ours(ports, scene); !ours) return ours;
  if (auto stopped = ports.runtime.stop(scene.desired.stop_timeout); !stopped) return stopped;
  if (action.boot != model::BootMode::Keep) {
    if (auto fit = still_without_log(ports, scene); !fit) return fit;
    if (auto cleared = clear_place(ports, scene); !cleared) return cleared;
  }
  if (auto written = write_files(ports.host, *bundle); !written) return written;
  return start_member(ports, scene);
}

base::Result<void> remove_manifest(const Ports& ports, const Scene& scene) {
  if (auto free = nobody_elses(ports, scene); !free) return free;
  model::Memory memory = scene.memory;
  memory.withdrawn = true;
  if (auto kept = keep(ports, scene, std::move(memory)); !kept) return kept;
  if (auto stopped = ports.runtime.stop(scene.desired.stop_timeout); !stopped) return stopped;
  return ports.host.remove_file(renderers::config_path(scene.state_dir, scene.desired, scene.me));
}

base::Result<void> set_data_aside(const Ports& ports, const Scene& scene) {
  const model::DataDir* data = own_data(scene);
  if (data == nullptr) return moved("nobody could look at the data directory of " + scene.me.name);
  if (model::holds_nothing(*data)) return {};
  if (data->state == model::DataState::Foreign) {
    return refused(data->path + " holds data that nobody has shown to be ours: " + data->problem);
  }
  if (auto free = nobody_elses(ports, scene); !free) return free;
  if (auto ours = still_ours(ports, scene); !ours) return ours;
  if (auto stopped = ports.runtime.stop(scene.desired.stop_timeout); !stopped) return stopped;
  const std::string suffix = ".aside-" + stamp(ports.clock.now()) + "-" + base::to_string(data->member);
  if (!scene.memory.wal_dir.empty()) {
    const auto there = ports.host.list(scene.memory.wal_dir);
    if (!there) return tl::unexpected(there.error());
    if (*there && !(*there)->empty()) {  // it may be what was lost, or have been moved before a crash
      auto moved_log = ports.host.rename(scene.memory.wal_dir, scene.memory.wal_dir + suffix);
      if (!moved_log) return moved_log;
    }
  }
  const auto there = ports.host.list(data->path);
  if (!there) return tl::unexpected(there.error());
  if (!*there) return {};  // its disk is away, and only the log was there
  return ports.host.rename(data->path, data->path + suffix);
}

}  // namespace quorate::apply
