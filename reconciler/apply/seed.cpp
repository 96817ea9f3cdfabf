// What was restored and something else has started may hold what nobody else has: it is never given up.
#include "reconciler/apply/own_node.h"
#include "reconciler/apply/steps.h"
#include "reconciler/base/path.h"
#include "reconciler/base/words.h"
#include "reconciler/model/fence.h"
#include "reconciler/model/state_paths.h"
#include "reconciler/model/succession.h"
#include "renderers/registry.h"

namespace quorate::apply {
namespace {

// An etcd that was faster than the rename has its files open wherever they are.
base::Result<bool> is_begun(const Ports& ports, const Scene& scene, const model::Decision& decision) {
  if (ports.node == nullptr) return false;
  const auto process = ports.node->process_of(scene.me);
  if (!process) return tl::unexpected(process.error());
  if (process->running) return true;
  const std::string wal = log_beside(scene, decision.id);
  const auto data = ports.node->data_dir(model::restoring_path(scene.me.data_dir, decision.id), wal);
  if (!data) return tl::unexpected(data.error());
  return model::has_begun(decision, *data);
}

}  // namespace

tl::unexpected<base::Error> refuse_begun(const Scene& scene, const model::Decision& decision) {
  return refused(
      "what " + scene.me.name + " has restored under decision " + decision.id + " has been started",
      "what it has acknowledged since is there alone: the cluster goes on with it as soon as all keep to the "
      "decision again; where another one serves by now, move it away yourself");
}

base::Result<void> still_fetched(const Ports& ports, const Scene& scene, const model::Decision& decision) {
  if (!decision.backup || scene.memory.standing.fetched != decision.source) return {};
  const std::string path = model::fetched_path(scene.me.data_dir);
  const std::string parent = base::parent_path(path);
  const auto names = ports.host.list(parent);
  if (!names) return tl::unexpected(names.error());
  if (*names && base::contains(**names, path.substr(parent.size() + 1))) return {};
  model::Memory memory = scene.memory;
  memory.standing.fetched.clear();
  if (auto kept = keep(ports, scene, std::move(memory)); !kept) return kept;
  return moved(path + " is gone, and is fetched for the next attempt");
}

base::Result<void> take_out_seed(const Ports& ports, const Scene& scene, const model::Decision& decision) {
  const std::string made = model::restoring_path(scene.me.data_dir, decision.id);
  const std::string wal = log_beside(scene, decision.id);
  // Before the data have given way they bear its sign where they are.
  const auto given = is_there(ports, model::yielded_path(scene.me.data_dir, decision.id));
  if (!given) return tl::unexpected(given.error());
  if (!*given) return {};
  const auto placed = is_of(ports, scene.me.data_dir, decision.id);
  if (!placed) return tl::unexpected(placed.error());
  if (*placed) {
    if (!wal.empty()) {
      if (auto out = move(ports, scene.me.wal_dir, wal); !out) return out;
    }
    if (auto out = ports.host.rename(scene.me.data_dir, made); !out) return out;
  }
  const auto begun = is_begun(ports, scene, decision);
  if (begun && !*begun) return {};
  const auto whole = is_of(ports, made, decision.id);
  if (!whole) return tl::unexpected(whole.error());
  if (*whole) {
    if (!wal.empty()) {
      if (auto in = move(ports, wal, scene.me.wal_dir); !in) return in;
    }
    if (auto in = ports.host.rename(made, scene.me.data_dir); !in) return in;
  }
  if (!begun) return tl::unexpected(begun.error());
  return refuse_begun(scene, decision);
}

base::Result<void> take_up_seed(const Ports& ports, const Scene& scene) {
  const std::string& decision = scene.memory.standing.pledge->decision.id;
  const auto ours = is_of(ports, scene.me.data_dir, decision);
  if (!ours) return tl::unexpected(ours.error());
  if (!*ours) {
    return refused(scene.me.data_dir + " holds data that were not restored under decision " + decision,
                   "move them away; the agents go on with what they have decided");
  }
  if (model::is_fence_wanted(scene.desired)) {
    auto bundle = renderers::render_member({scene.desired, scene.me, renderers::BootKeep{},
                                            renderers::config_path(scene.state_dir, scene.desired, scene.me)});
    if (!bundle) return tl::unexpected(bundle.error());
    if (auto fenced = fence_off(ports, scene, *bundle); !fenced) return fenced;
    if (auto written = write_files(ports.host, *bundle); !written) return written;
  }
  model::Memory memory = scene.memory;
  memory.standing.pledge->started = true;
  memory.started = decision;
  return keep(ports, scene, std::move(memory));
}

}  // namespace quorate::apply
