// What every step on our own node begins and ends with: what is there, whose it is, what is remembered.
#include "reconciler/apply/own_node.h"

#include <algorithm>

#include "reconciler/apply/place.h"
#include "reconciler/base/path.h"

namespace quorate::apply {

tl::unexpected<base::Error> refused(std::string message, std::string help) {
  return tl::unexpected(base::Error{base::ErrorKind::Refused, std::move(message), std::move(help)});
}

tl::unexpected<base::Error> moved(std::string message) {
  return tl::unexpected(base::Error{base::ErrorKind::Conflict, std::move(message), "look again"});
}

const model::DataDir* own_data(const Scene& scene) {
  const model::NodeFacts* node = model::node_of(scene.observed, scene.me.name);
  return node == nullptr ? nullptr : node->data.get();
}

base::Result<void> keep(const Ports& ports, const Scene& scene, model::Memory memory) {
  if (auto kept = remember(ports.host, scene.state_dir, memory); !kept) return kept;
  scene.memory = std::move(memory);
  return {};
}

base::Result<void> nobody_elses(const Ports& ports, const Scene& scene) {
  const model::NodeFacts* node = model::node_of(scene.observed, scene.me.name);
  if (node == nullptr || !node->process) return moved("nobody could look whether etcd runs for " + scene.me.name);
  if (!node->process->running) return {};
  const model::RunPhase phase = ports.runtime.look().phase;
  if (phase == model::RunPhase::Running || phase == model::RunPhase::Waiting) return {};
  return refused("process " + std::to_string(node->process->pid) + " runs on the data of " + scene.me.name +
                     ", and this agent did not start it",
                 "stop it; the agent starts the member again");
}

std::string stamp(base::Time at) {
  std::string text = base::to_string(at).substr(0, 19);
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '-' || c == ':'; }), text.end());
  return text + "Z";
}

base::Result<void> still_without_log(const Ports& ports, const Scene& scene) {
  const std::string log =
      scene.me.wal_dir.empty() ? base::join_path(scene.me.data_dir, "member/wal") : scene.me.wal_dir;
  const auto names = ports.host.list(log);
  if (!names) return tl::unexpected(names.error());
  if (*names && !(*names)->empty()) return moved(scene.me.data_dir + " holds data");
  return {};
}

base::Result<void> clear_place(const Ports& ports, const Scene& scene) {
  const std::string& place = scene.me.data_dir;
  const auto found = look_at_place(ports.host, place);
  if (!found) return tl::unexpected(found.error());
  if (*found == Place::Empty) return {};
  if (*found == Place::More) {
    const auto other = other_etcd_below(ports.host, place);
    if (other)
      return refused(*other + " holds data of another etcd", "give " + scene.me.name + " a directory of its own");
  }
  const std::string label = *found == Place::More ? kKept : kNothing;
  return ports.host.rename(place, place + ".aside-" + stamp(ports.clock.now()) + "-" + label);
}

}  // namespace quorate::apply
