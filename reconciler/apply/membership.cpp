// Changes of the member list. Each is announced before it is asked for, and an answer that did not come is looked for
// in the list, which alone says what happened.
#include <algorithm>

#include "reconciler/apply/steps.h"
#include "reconciler/base/words.h"
#include "reconciler/model/records.h"

namespace quorate::apply {
namespace {

base::ClusterId cluster_of(const Scene& scene) {
  return scene.observed.membership->cluster;
}

base::Result<void> under_the_lock(const Scene& scene) {
  if (scene.fence) return {};
  return tl::unexpected(base::Error{base::ErrorKind::Conflict, "the lock of the cluster is not held", ""});
}

base::Result<std::vector<model::ListedMember>> listed(const Ports& ports, const Scene& scene) {
  auto list = ports.etcd.member_list(scene.endpoint, ports::Consistency::Linearizable, scene.within);
  if (!list) return tl::unexpected(list.error());
  return std::move(list->members);
}

const model::ListedMember* with_id(const std::vector<model::ListedMember>& members, base::MemberId id) {
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.id == id; });
  return found == members.end() ? nullptr : &*found;
}

// The error stands unless the list shows that what was asked for is there.
template <class There>
base::Result<void> unless_there(const Ports& ports, const Scene& scene, const base::Error& error, const There& there) {
  const auto members = listed(ports, scene);
  if (members && there(*members)) return {};
  return tl::unexpected(error);
}

base::MemberId id_of(const Scene& scene, base::MemberId id, const std::vector<std::string>& peer_urls) {
  if (id.value != 0) return id;
  for (const model::ObservedMember& each : scene.observed.membership->members) {
    if (base::same_texts(each.listed.peer_urls, peer_urls)) return each.listed.id;
  }
  return {};
}

// Replacing a member that has lost its data counts once, however often its removal is asked for.
std::vector<ports::Write> of_removal(const Scene& scene, const model::Remove& action, bool heal, base::Time now) {
  const base::ClusterId cluster = cluster_of(scene);
  std::vector<ports::Write> writes{{model::condemned_key(action.id), model::condemned_value(cluster, action.id), 0}};
  const auto& announced = scene.observed.announced;
  const bool announced_before =
      announced && std::count(announced->condemned.begin(), announced->condemned.end(), action.id) > 0;
  const model::ObservedMember* member = model::member_of(scene.observed, action.id);
  if (heal && !announced_before && member != nullptr && !member->listed.learner) {
    std::vector<base::Time> heals;
    if (scene.observed.heals_of_the_day) heals = *scene.observed.heals_of_the_day;
    heals.push_back(now);
    writes.push_back({std::string(model::kHealsKey), model::heals_value(cluster, heals), 0});
  }
  return writes;
}

}  // namespace

std::vector<ports::Write> announcement_of(const Scene& scene, const model::Action& action, bool heal, base::Time now) {
  if (const auto* removal = std::get_if<model::Remove>(&action)) return of_removal(scene, *removal, heal, now);
  if (const auto* addition = std::get_if<model::AddMember>(&action)) {
    const auto& urls = addition->peer_urls;
    return {{model::adding_key(urls), model::urls_value(cluster_of(scene), urls), 0}};
  }
  if (const auto* update = std::get_if<model::UpdatePeerUrls>(&action)) {
    const base::ClusterId cluster = cluster_of(scene);
    return {{model::updating_key(update->id), model::updating_value(cluster, update->id, update->peer_urls), 0}};
  }
  return {};
}

base::Result<void> add_member(const Ports& ports, const Scene& scene, const model::AddMember& action) {
  if (auto locked = under_the_lock(scene); !locked) return locked;
  const auto added = ports.etcd.add_learner(scene.endpoint, action.peer_urls, scene.within);
  if (added) return {};
  return unless_there(ports, scene, added.error(), [&](const auto& members) {
    return std::any_of(members.begin(), members.end(), [&](const auto& each) {
      return each.learner && base::same_texts(each.peer_urls, action.peer_urls);
    });
  });
}

base::Result<void> promote(const Ports& ports, const Scene& scene, const model::Promote& action) {
  const model::NodeFacts* node = model::node_of(scene.observed, action.member);
  if (node == nullptr || !node->manifest || !node->manifest->keep) {
    return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                      action.member + " would join again on an empty disk: its configuration does not "
                                                      "say Keep yet",
                                      "its agent writes that as soon as the member holds data"});
  }
  if (node->run && node->run->phase != model::RunPhase::Running) {
    return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                      "the etcd of " + action.member +
                                          " is not the one that its agent keeps, and may "
                                          "run with another configuration",
                                      "see who else starts etcd on that node"});
  }
  const base::MemberId id = id_of(scene, action.id, action.peer_urls);
  const auto done = ports.etcd.promote(scene.endpoint, id, scene.within);
  if (done) return {};
  return unless_there(ports, scene, done.error(), [&](const auto& members) {
    const auto* member = with_id(members, id);
    return member != nullptr && !member->learner;
  });
}

base::Result<void> remove(const Ports& ports, const Scene& scene, const model::Remove& action) {
  if (auto locked = under_the_lock(scene); !locked) return locked;
  const model::ObservedMember* member = model::member_of(scene.observed, action.id);
  auto done = ports.etcd.remove(scene.endpoint, action.id, scene.within);
  if (!done) {
    done = unless_there(ports, scene, done.error(),
                        [&](const auto& members) { return with_id(members, action.id) == nullptr; });
  }
  // What was announced for a learner that is gone would make the next one there ours.
  if (!done || member == nullptr || !member->listed.learner) return done;
  return write_fenced(ports.etcd, *scene.fence, {{model::adding_key(member->listed.peer_urls), std::nullopt, 0}},
                      scene.within);
}

base::Result<void> move_leader(const Ports& ports, const Scene& scene, const model::MoveLeader& action) {
  base::MemberId to = action.to_id;
  for (const model::ObservedMember& each : scene.observed.membership->members) {
    if (to.value == 0 && each.listed.name == action.to) to = each.listed.id;
  }
  // Only the leader takes the order, and it may be one whose agent no longer acts, since the file has dropped it.
  const model::ObservedMember* leader = model::member_of(scene.observed, model::leader_of(scene.observed));
  const bool has_address = leader != nullptr && !leader->listed.client_urls.empty();
  return ports.etcd.move_leader(has_address ? leader->listed.client_urls.front() : scene.endpoint, to, scene.within);
}

base::Result<void> update_peer_urls(const Ports& ports, const Scene& scene, const model::UpdatePeerUrls& action) {
  if (auto locked = under_the_lock(scene); !locked) return locked;
  const auto done = ports.etcd.update_peer_urls(scene.endpoint, action.id, action.peer_urls, scene.within);
  if (done) {
    return write_fenced(ports.etcd, *scene.fence, {{model::updating_key(action.id), std::nullopt, 0}}, scene.within);
  }
  return unless_there(ports, scene, done.error(), [&](const auto& members) {
    const auto* member = with_id(members, action.id);
    return member != nullptr && base::same_texts(member->peer_urls, action.peer_urls);
  });
}

}  // namespace quorate::apply
