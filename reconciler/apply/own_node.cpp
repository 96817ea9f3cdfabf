// What every step on our own node begins and ends with: what is there, whose it is, what is remembered.
#include "reconciler/apply/own_node.h"

#include <algorithm>

#include "reconciler/apply/place.h"
#include "reconciler/base/path.h"
#include "reconciler/model/standing_json.h"
#include "reconciler/model/state_paths.h"

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

base::Result<bool> is_there(const Ports& ports, const std::string& folder) {
  const auto names = ports.host.list(folder);
  if (!names) return tl::unexpected(names.error());
  return names->has_value();
}

base::Result<bool> is_of(const Ports& ports, const std::string& folder, const std::string& decision) {
  const std::string path = model::decision_path(folder);
  const auto text = ports.host.read_file(path);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return false;
  const auto read = model::read_decision_file(**text, path);
  if (!read) return tl::unexpected(read.error());
  return read->id == decision;
}

base::Result<void> move(const Ports& ports, const std::string& from, const std::string& to) {
  const auto there = is_there(ports, from);
  if (!there) return tl::unexpected(there.error());
  return *there ? ports.host.rename(from, to) : base::Result<void>{};
}

base::Result<void> write_files(ports::Host& host, const renderers::Bundle& bundle) {
  for (const renderers::File& file : bundle.files) {
    const auto written = host.write_file({file.path, file.content, file.mode, file.owner});
    if (!written) return tl::unexpected(written.error());
  }
  return {};
}

std::string log_beside(const Scene& scene, const std::string& decision) {
  return scene.me.wal_dir.empty() ? "" : model::restoring_path(scene.me.wal_dir, decision);
}

base::Result<bool> has_log(const Ports& ports, const std::string& data_dir, const std::string& wal_dir) {
  const auto names = ports.host.list(wal_dir.empty() ? base::join_path(data_dir, "member/wal") : wal_dir);
  if (!names) return tl::unexpected(names.error());
  return *names && !(*names)->empty();
}

base::Result<bool> is_restored(const Ports& ports, const Scene& scene, const std::string& decision) {
  const auto is_signed = is_of(ports, scene.me.data_dir, decision);
  if (!is_signed || !*is_signed) return is_signed;
  return has_log(ports, scene.me.data_dir, scene.me.wal_dir);
}

bool is_given_up(const Scene& scene) {
  const base::MemberId id = scene.memory.member_id;
  if (scene.me.lost) return !scene.me.lost->id || *scene.me.lost->id == id;
  const auto& lost = scene.desired.lost;
  return id.value != 0 && std::find(lost.begin(), lost.end(), id) != lost.end();
}

base::Result<void> still_without_log(const Ports& ports, const Scene& scene) {
  const auto log = has_log(ports, scene.me.data_dir, scene.me.wal_dir);
  if (!log) return tl::unexpected(log.error());
  return *log ? moved(scene.me.data_dir + " holds data") : base::Result<void>{};
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
