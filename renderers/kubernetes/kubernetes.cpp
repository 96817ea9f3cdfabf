// Kubernetes objects as multi-document YAML. Pods have no controller: quorate decides when one may be made again.
#include "renderers/kubernetes/kubernetes.h"

#include <algorithm>
#include <string>

#include "reconciler/base/net.h"
#include "reconciler/base/path.h"
#include "reconciler/base/units.h"
#include "reconciler/model/quorum.h"
#include "renderers/etcd_config/etcd_config.h"
#include "renderers/notice.h"
#include "renderers/pod.h"

namespace quorate::renderers {
namespace {

constexpr int kGraceSeconds = 30;
constexpr std::string_view kConfigKey = "etcd.yaml";

base::Json object(std::string_view api_version, std::string_view kind) {
  base::Json json;
  json["apiVersion"] = api_version;
  json["kind"] = kind;
  return json;
}

base::Json selector_json(const model::Desired& cluster) {
  base::Json json = base::Json::object();
  for (const auto& [key, value] : selector_of(cluster)) json[key] = value;
  return json;
}

// Each pod says by name on which port it listens; members with URLs of their own may differ.
base::Json port_json(std::string_view name, std::uint16_t port) {
  return {{"name", name}, {"port", port}, {"targetPort", name}};
}

// ------------------------------------------------------------------------------------------- of the whole cluster
// A member that has a pod here; null: none has.
const model::Member* any_pod_of(const model::Desired& cluster) {
  const auto found = std::find_if(cluster.members.begin(), cluster.members.end(),
                                  [](const model::Member& member) { return member.managed; });
  return found != cluster.members.end() ? &*found : nullptr;
}

// Names for members that are not ready yet: peers have to find one another to become ready.
base::Json peer_service(const model::Desired& cluster, const model::KubernetesRuntime& runtime,
                        const model::Member& any) {
  base::Json service = object("v1", "Service");
  service["metadata"] = object_metadata(cluster, cluster.name, runtime.name_space);
  base::Json& spec = service["spec"];
  spec["clusterIP"] = "None";
  spec["publishNotReadyAddresses"] = true;
  spec["selector"] = selector_json(cluster);
  spec["ports"] = base::Json::array(
      {port_json("client", any.client_urls.front().port), port_json("peer", any.peer_urls.front().port)});
  return service;
}

base::Json client_service(const model::Desired& cluster, const model::KubernetesRuntime& runtime,
                          const model::Member& any) {
  base::Json service = object("v1", "Service");
  service["metadata"] = object_metadata(cluster, cluster.name + "-client", runtime.name_space);
  base::Json& spec = service["spec"];
  switch (runtime.service) {
    case model::ServiceKind::Headless:
      spec["clusterIP"] = "None";
      break;
    case model::ServiceKind::ClusterIp:
      spec["type"] = "ClusterIP";
      break;
    case model::ServiceKind::LoadBalancer:
      spec["type"] = "LoadBalancer";
      break;
  }
  spec["selector"] = selector_json(cluster);
  spec["ports"] = base::Json::array({port_json("client", any.client_urls.front().port)});
  return service;
}

// A whole number: for pods without a controller Kubernetes takes neither maxUnavailable nor a percentage.
base::Json disruption_budget(const model::Desired& cluster, const model::KubernetesRuntime& runtime) {
  base::Json budget = object("policy/v1", "PodDisruptionBudget");
  budget["metadata"] = object_metadata(cluster, cluster.name, runtime.name_space);
  base::Json& spec = budget["spec"];
  spec["minAvailable"] = model::quorum(static_cast<int>(cluster.members.size()));
  spec["selector"]["matchLabels"] = selector_json(cluster);
  return budget;
}

// --------------------------------------------------------------------------------------------------- of one member
std::string claim_name(const model::Member& member) {
  return member.name + "-data";
}
std::string config_map_name(const model::Member& member) {
  return member.name + "-config";
}

// The configuration as a block of text, so that people can read it; its first line does not start blank.
std::string config_map_text(const Input& input, const model::KubernetesRuntime& runtime, const std::string& config) {
  base::Json map = object("v1", "ConfigMap");
  map["metadata"] = object_metadata(input.cluster, config_map_name(input.member), runtime.name_space);
  std::string text = base::to_yaml(map) + "data:\n  " + std::string(kConfigKey) + ": |\n";
  for (std::size_t start = 0; start < config.size();) {
    const auto end = config.find('\n', start);
    const std::string line = config.substr(start, end - start);
    text += line.empty() ? "\n" : "    " + line + "\n";
    if (end == std::string::npos) break;
    start = end + 1;
  }
  return text;
}

std::string quantity(base::Size size) {
  std::string text = base::to_string(size);
  if (text.back() == 'B') text.pop_back();
  return text;
}

base::Json volume_claim(const Input& input, const model::KubernetesRuntime& runtime) {
  base::Json claim = object("v1", "PersistentVolumeClaim");
  claim["metadata"] = object_metadata(input.cluster, claim_name(input.member), runtime.name_space);
  base::Json& spec = claim["spec"];
  spec["accessModes"] = base::Json::array({"ReadWriteOnce"});
  if (!runtime.storage_class.empty()) spec["storageClassName"] = runtime.storage_class;
  spec["resources"]["requests"]["storage"] = quantity(runtime.storage_size);
  return claim;
}

base::Json data_source(const Input& input) {
  switch (input.cluster.storage) {
    case model::StorageKind::Disk:
      return {{"persistentVolumeClaim", {{"claimName", claim_name(input.member)}}}};
    case model::StorageKind::Ephemeral:
      return {{"emptyDir", base::Json::object()}};
    case model::StorageKind::Memory:
      break;
  }
  return {{"emptyDir", {{"medium", "Memory"}}}};
}

std::vector<PodMount> mounts_of(const Input& input, const model::KubernetesRuntime& runtime) {
  const std::string file = input.config_path.substr(input.config_path.rfind('/') + 1);
  const base::Json item{{"key", kConfigKey}, {"path", file}};
  std::vector<PodMount> mounts;
  mounts.push_back({"config",
                    base::parent_path(input.config_path),
                    true,
                    {{"configMap", {{"name", config_map_name(input.member)}, {"items", base::Json::array({item})}}}}});
  if (input.cluster.tls.mode != model::TlsMode::Off) {
    mounts.push_back({"tls", input.cluster.tls.dir, true, {{"secret", {{"secretName", runtime.tls_secret}}}}});
  }
  mounts.push_back({"data", input.member.data_dir, false, data_source(input)});
  return mounts;
}

// Two members on one machine fall together; preferred only, so that a small test cluster still comes up.
base::Json spread(const model::Desired& cluster) {
  base::Json term;
  term["topologyKey"] = "kubernetes.io/hostname";
  term["labelSelector"]["matchLabels"] = selector_json(cluster);
  base::Json affinity;
  affinity["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] =
      base::Json::array({{{"weight", 100}, {"podAffinityTerm", term}}});
  return affinity;
}

base::Json node_selector(const model::Member& member) {
  base::Json selector;
  if (member.node != member.name) selector["kubernetes.io/hostname"] = member.node;
  if (!member.zone.empty()) selector["topology.kubernetes.io/zone"] = member.zone;
  return selector;
}

base::Json container_json(const Input& input, const model::KubernetesRuntime& runtime,
                          const std::vector<PodMount>& mounts) {
  base::Json container = etcd_container(input);
  container["ports"] = container_ports(input.member, HostPorts::No);
  const base::Json action = probe_action(input, false);
  container["startupProbe"] = startup_probe(action);
  container["livenessProbe"] = liveness_probe(action);
  container["readinessProbe"] = readiness_probe(action);
  if (base::Json resources = resources_json(runtime.pod.resources); !resources.is_null()) {
    container["resources"] = std::move(resources);
  }
  container["volumeMounts"] = volume_mounts_of(mounts);
  return container;
}

base::Json pod_json(const Input& input, const model::KubernetesRuntime& runtime) {
  const std::vector<PodMount> mounts = mounts_of(input, runtime);
  base::Json pod = object("v1", "Pod");
  pod["metadata"] = object_metadata(input.cluster, input.member.name, runtime.name_space, runtime.pod.labels,
                                    runtime.pod.annotations);
  base::Json& spec = pod["spec"];
  spec["hostname"] = input.member.name;
  spec["subdomain"] = input.cluster.name;
  if (!runtime.pod.priority_class.empty()) spec["priorityClassName"] = runtime.pod.priority_class;
  if (base::Json selector = node_selector(input.member); !selector.is_null()) spec["nodeSelector"] = selector;
  spec["affinity"] = spread(input.cluster);
  spec["restartPolicy"] = "Always";
  spec["terminationGracePeriodSeconds"] = kGraceSeconds;
  spec["automountServiceAccountToken"] = false;
  spec["enableServiceLinks"] = false;
  spec["securityContext"] = {{"seccompProfile", {{"type", "RuntimeDefault"}}}};
  spec["containers"] = base::Json::array({container_json(input, runtime, mounts)});
  spec["volumes"] = volumes_of(mounts);
  return pod;
}

}  // namespace

base::Result<std::vector<File>> render_kubernetes_member(const Input& input) {
  const auto* runtime = std::get_if<model::KubernetesRuntime>(&input.cluster.runtime);
  if (runtime == nullptr) return base::invalid("cluster " + input.cluster.name + " does not run in Kubernetes");
  if (!base::is_dns_label(input.member.name)) {
    return base::invalid("member " + input.member.name + " can be no host name in Kubernetes: it has a dot");
  }
  // Outside a volume it would be gone with the container, and the member's memory with it.
  if (!input.member.wal_dir.empty()) {
    return base::invalid("member " + input.member.name +
                         " has a WAL directory of its own, for which there is no volume");
  }
  const auto config = etcd_config_text(input);
  if (!config) return tl::unexpected(config.error());
  std::string text = notice(input.cluster, input.member) + config_map_text(input, *runtime, *config);
  if (input.cluster.storage == model::StorageKind::Disk) {
    text += "---\n" + base::to_yaml(volume_claim(input, *runtime));
  }
  text += "---\n" + base::to_yaml(pod_json(input, *runtime));
  return std::vector<File>{File{input.member.name + ".yaml", 0644, "", std::move(text)}};
}

std::vector<File> render_kubernetes_cluster(const model::Desired& cluster) {
  const auto* runtime = std::get_if<model::KubernetesRuntime>(&cluster.runtime);
  if (runtime == nullptr) return {};
  const model::Member* any = any_pod_of(cluster);
  if (any == nullptr) return {};
  const std::string text = notice(cluster) + base::to_yaml(peer_service(cluster, *runtime, *any)) + "---\n" +
                           base::to_yaml(client_service(cluster, *runtime, *any)) + "---\n" +
                           base::to_yaml(disruption_budget(cluster, *runtime));
  return {File{cluster.name + ".yaml", 0644, "", text}};
}

}  // namespace quorate::renderers
