// Objects for a Kubernetes cluster: what belongs to the etcd cluster as a whole, and what belongs to each member.
#pragma once

#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "renderers/renderer.h"

namespace quorate::renderers {

inline constexpr std::string_view kKubernetesName = "kubernetes";

// ConfigMap, PersistentVolumeClaim and Pod in one file. Of these only the ConfigMap changes with the boot mode.
base::Result<std::vector<File>> render_kubernetes_member(const Input& input);

// The Services and the disruption budget; nothing when the cluster's runtime is another.
std::vector<File> render_kubernetes_cluster(const model::Desired& cluster);

}  // namespace quorate::renderers
