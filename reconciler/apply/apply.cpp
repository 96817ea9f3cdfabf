// Which action is whose, and what has to be written before and after a change of the cluster.
#include "reconciler/apply/apply.h"

#include "reconciler/apply/steps.h"
#include "reconciler/base/check.h"
#include "reconciler/model/records.h"
#include "reconciler/model/state_paths.h"

namespace quorate::apply {
namespace {

struct CarryOut {
  const Ports& ports;
  const Scene& scene;

  base::Result<void> operator()(const model::Promise& action) const {
    return action.gives_way ? give_way(ports, scene, *action.gives_way) : promise(ports, scene, action);
  }
  base::Result<void> operator()(const model::Abandon& action) const { return abandon(ports, scene, action); }
  base::Result<void> operator()(const model::Restore& action) const { return restore(ports, scene, action); }
  base::Result<void> operator()(const model::Fetch& /*action*/) const { return of_the_store(); }
  base::Result<void> operator()(const model::Backup& /*action*/) const { return of_the_store(); }
  base::Result<void> operator()(const model::Verify& /*action*/) const { return of_the_store(); }
  base::Result<void> operator()(const model::Prune& /*action*/) const { return of_the_store(); }
  base::Result<void> operator()(const model::VerifyData& /*action*/) const { return verify_data(ports, scene); }
  base::Result<void> operator()(const model::AddMember& action) const { return add_member(ports, scene, action); }
  base::Result<void> operator()(const model::Promote& action) const { return promote(ports, scene, action); }
  base::Result<void> operator()(const model::Remove& action) const { return remove(ports, scene, action); }
  base::Result<void> operator()(const model::WriteManifest& action) const {
    return write_manifest(ports, scene, action);
  }
  base::Result<void> operator()(const model::RemoveManifest& /*action*/) const { return remove_manifest(ports, scene); }
  base::Result<void> operator()(const model::MoveLeader& action) const { return move_leader(ports, scene, action); }
  base::Result<void> operator()(const model::UpdatePeerUrls& action) const {
    return update_peer_urls(ports, scene, action);
  }
  base::Result<void> operator()(const model::SetDataAside& /*action*/) const { return set_data_aside(ports, scene); }
  base::Result<void> operator()(const model::Compact& /*action*/) const { return compact(ports, scene); }
  base::Result<void> operator()(const model::Defragment& action) const { return defragment(ports, scene, action); }
  base::Result<void> operator()(const model::DisarmAlarm& action) const { return disarm(ports, scene, action); }

  // What is done in the store is done beside the turns, and never here: nothing may wait for it under the lock.
  static base::Result<void> of_the_store() {
    QUORATE_CHECK(false);
    return {};
  }
};

bool unsettles(const model::Step& step) {
  return step.step_class != model::StepClass::Heal &&
         (std::holds_alternative<model::Promote>(step.action) || std::holds_alternative<model::Remove>(step.action) ||
          std::holds_alternative<model::WriteManifest>(step.action) ||
          std::holds_alternative<model::UpdatePeerUrls>(step.action));
}

// Storage that loses its data with every restart would use up the allowance on its own.
bool costs_a_heal(const Scene& scene, const model::Step& step) {
  return scene.desired.storage == model::StorageKind::Disk || step.reason.code != "MemberEmptied";
}

// The fence is the point, and what is announced; the note is for people who look.
base::Result<void> begin(const Ports& ports, const Scene& scene, const model::Step& step) {
  if (!scene.fence || !scene.observed.membership) return {};
  const base::Time now = ports.clock.now();
  const base::ClusterId cluster = scene.observed.membership->cluster;
  const bool heal = step.step_class == model::StepClass::Heal && costs_a_heal(scene, step);
  std::vector<ports::Write> writes = announcement_of(scene, step.action, heal, now);
  writes.push_back({std::string(model::kDoingKey), model::note_value(cluster, step.id + " by " + scene.me.name), 0});
  if (unsettles(step)) writes.push_back({std::string(model::kLastChangeKey), model::time_value(cluster, now), 0});
  return write_fenced(ports.etcd, *scene.fence, std::move(writes), scene.within);
}

}  // namespace

base::Result<void> carry_out(const Ports& ports, const Scene& scene, const model::Step& step) {
  const bool on_a_node = step.owner != "cluster";
  if (on_a_node && model::object_of(step.action) != scene.me.name) {
    return tl::unexpected(
        base::Error{base::ErrorKind::Refused, step.id + " is for the agent of another member", "look again"});
  }
  if (auto begun = begin(ports, scene, step); !begun) return begun;
  return std::visit(CarryOut{ports, scene}, step.action);
}

base::Result<void> remember(ports::Host& host, const std::string& state_dir, const model::Memory& memory) {
  const auto written =
      host.write_file({model::memory_path(state_dir, memory.cluster, memory.member), model::to_json(memory), 0600, ""});
  if (!written) return tl::unexpected(written.error());
  return {};
}

}  // namespace quorate::apply
