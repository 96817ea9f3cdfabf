// What the pods of all runtimes have in common: labels, mounts, probes and the container that runs etcd.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/yaml_text.h"
#include "renderers/renderer.h"

namespace quorate::renderers {

inline constexpr std::string_view kEtcdContainer = "etcd";

// What selects the pods of a cluster, and nothing else.
model::StringMap selector_of(const model::Desired& cluster);

// Ours win over `more`, and `more` over the cluster's.
base::Json labels_of(const model::Desired& cluster, const model::StringMap& more = {});

base::Json object_metadata(const model::Desired& cluster, const std::string& name, const std::string& name_space,
                           const model::StringMap& labels = {}, const model::StringMap& annotations = {});

// A directory of the node, or a volume of the pod, at a path in the container.
struct PodMount {
  std::string volume;
  std::string path;
  bool read_only = false;
  base::Json source;  // the volume's kind: {"hostPath": {...}}
};

base::Json volumes_of(const std::vector<PodMount>& mounts);

// Parents before what is mounted inside them.
base::Json volume_mounts_of(std::vector<PodMount> mounts);

// A word of a pod's command: Kubernetes expands $(NAME) and $$ in it.
std::string command_word(std::string_view text);

enum class HostPorts { No, Yes };
base::Json container_ports(const model::Member& member, HostPorts host_ports);

// Where a probe of the kubelet finds this member without asking the quorum.
base::Json probe_action(const Input& input, bool host_network);
base::Json startup_probe(const base::Json& action);
base::Json liveness_probe(const base::Json& action);
base::Json readiness_probe(const base::Json& action);

// Null when nothing is asked for.
base::Json resources_json(const model::Resources& resources);

// Name, image and command; mounts, probes and resources are the caller's.
base::Json etcd_container(const Input& input);

}  // namespace quorate::renderers
