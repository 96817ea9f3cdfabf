// Which renderers exist, and which of them a runtime needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderers/renderer.h"

namespace quorate::renderers {

struct Renderer {
  std::string_view name;     // "etcd-config"
  std::string_view summary;  // one line for help and README
  base::Result<std::vector<File>> (*member_files)(const Input& input);
  std::vector<File> (*cluster_files)(const model::Desired& cluster);  // null: only per member
};

const std::vector<Renderer>& all_renderers();
const Renderer* find_renderer(std::string_view name);

// The names of the renderers that make up a member's bundle under this cluster's runtime, in order.
std::vector<std::string_view> renderers_of(const model::Desired& cluster);

// Names a bundle: paths, modes, owners and contents, but for the lines that the boot mode changes. Whoever reads the
// files back from a node gets the same digest for the same files.
std::string digest_of(const std::vector<File>& files);

// All files of one member under its runtime.
base::Result<Bundle> render_member(const Input& input);

// The files that belong to the cluster as a whole (Services, disruption budget); empty for most runtimes.
Bundle render_cluster(const model::Desired& cluster);

// "<state_dir>/<cluster>/<member>/etcd.yaml"
std::string config_path(std::string_view state_dir, const model::Desired& cluster, const model::Member& member);

}  // namespace quorate::renderers
