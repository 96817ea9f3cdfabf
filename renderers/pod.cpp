// Pods in pieces. The probes never ask the quorum: a kubelet that kills members for a lost quorum makes the loss final.
#include "renderers/pod.h"

#include <algorithm>

#include "reconciler/base/net.h"

namespace quorate::renderers {
namespace {

constexpr int kProbePeriodSeconds = 10;
constexpr int kProbeTimeoutSeconds = 15;
constexpr int kStartupFailures = 360;  // an hour: replaying a large WAL off a slow disk is no reason to be killed
constexpr int kLivenessFailures = 8;
constexpr int kReadinessFailures = 3;

base::Json to_json(const model::StringMap& map) {
  base::Json object = base::Json::object();
  for (const auto& [key, value] : map) object[key] = value;
  return object;
}

// /livez came with 3.4.29, 3.5.11 and 3.6.0. Unlike /health it answers without a quorum and under an alarm.
bool has_livez(const std::optional<base::Version>& version) {
  if (!version) return false;
  constexpr int kLatest = 1 << 20;
  const int patch = version->patch.value_or(kLatest);
  if (version->minor == base::Minor{3, 4}) return patch >= 29;
  if (version->minor == base::Minor{3, 5}) return patch >= 11;
  return base::Minor{3, 6} <= version->minor;
}

// Can the kubelet reach it? In a network of its own the pod's loopback is out of reach.
bool is_reachable(const base::Url& url, bool host_network) {
  return host_network || !base::is_loopback(url.host);
}

const base::Url* first_reachable(const std::vector<base::Url>& urls, bool host_network) {
  const auto found =
      std::find_if(urls.begin(), urls.end(), [&](const base::Url& url) { return is_reachable(url, host_network); });
  return found == urls.end() ? nullptr : &*found;
}

// Without a host the kubelet takes the pod's address.
void put_address(base::Json& action, const base::Url& url) {
  if (!base::is_unspecified(url.host)) action["host"] = url.host == "localhost" ? "127.0.0.1" : url.host;
  action["port"] = url.port;
}

base::Json probe(const base::Json& action, int failures) {
  base::Json result = action;
  result["periodSeconds"] = kProbePeriodSeconds;
  result["timeoutSeconds"] = kProbeTimeoutSeconds;
  result["failureThreshold"] = failures;
  return result;
}

}  // namespace

model::StringMap selector_of(const model::Desired& cluster) {
  return {{"app.kubernetes.io/instance", cluster.name}, {"app.kubernetes.io/name", "etcd"}};
}

base::Json labels_of(const model::Desired& cluster, const model::StringMap& more) {
  model::StringMap labels = selector_of(cluster);
  labels.emplace("app.kubernetes.io/managed-by", "quorate");
  labels.insert(more.begin(), more.end());
  labels.insert(cluster.labels.begin(), cluster.labels.end());
  return to_json(labels);
}

base::Json object_metadata(const model::Desired& cluster, const std::string& name, const std::string& name_space,
                           const model::StringMap& labels, const model::StringMap& annotations) {
  base::Json metadata;
  metadata["name"] = name;
  if (!name_space.empty()) metadata["namespace"] = name_space;
  metadata["labels"] = labels_of(cluster, labels);
  if (!annotations.empty()) metadata["annotations"] = to_json(annotations);
  return metadata;
}

base::Json volumes_of(const std::vector<PodMount>& mounts) {
  base::Json volumes = base::Json::array();
  for (const PodMount& mount : mounts) {
    base::Json volume;
    volume["name"] = mount.volume;
    volume.update(mount.source);
    volumes.push_back(std::move(volume));
  }
  return volumes;
}

base::Json volume_mounts_of(std::vector<PodMount> mounts) {
  std::sort(mounts.begin(), mounts.end(), [](const PodMount& a, const PodMount& b) { return a.path < b.path; });
  base::Json list = base::Json::array();
  for (const PodMount& mount : mounts) {
    base::Json entry;
    entry["name"] = mount.volume;
    entry["mountPath"] = mount.path;
    if (mount.read_only) entry["readOnly"] = true;
    list.push_back(std::move(entry));
  }
  return list;
}

std::string command_word(std::string_view text) {
  std::string word;
  for (const char c : text) word.append(c == '$' ? 2 : 1, c);
  return word;
}

base::Json container_ports(const model::Member& member, HostPorts host_ports) {
  const auto port = [&](std::string_view name, const base::Url& url) {
    base::Json json = {{"name", name}, {"containerPort", url.port}};
    if (host_ports == HostPorts::Yes) json["hostPort"] = url.port;
    return json;
  };
  return base::Json::array({port("client", member.listen_client.front()), port("peer", member.listen_peer.front())});
}

base::Json probe_action(const Input& input, bool host_network) {
  base::Json action;
  const base::Url* metrics = first_reachable(input.member.listen_metrics, host_network);
  if (metrics != nullptr && metrics->scheme == "http") {
    base::Json& get = action["httpGet"];
    get["path"] = has_livez(input.cluster.etcd.version) ? "/livez" : "/metrics";
    put_address(get, *metrics);
    get["scheme"] = "HTTP";
    return action;
  }
  const base::Url* client = first_reachable(input.member.listen_client, host_network);
  if (client == nullptr) client = &input.member.listen_client.front();
  put_address(action["tcpSocket"], *client);
  return action;
}

base::Json startup_probe(const base::Json& action) {
  return probe(action, kStartupFailures);
}
base::Json liveness_probe(const base::Json& action) {
  return probe(action, kLivenessFailures);
}
base::Json readiness_probe(const base::Json& action) {
  return probe(action, kReadinessFailures);
}

base::Json resources_json(const model::Resources& resources) {
  base::Json object;
  if (!resources.requests.empty()) object["requests"] = to_json(resources.requests);
  if (!resources.limits.empty()) object["limits"] = to_json(resources.limits);
  return object;
}

base::Json etcd_container(const Input& input) {
  base::Json container;
  container["name"] = kEtcdContainer;
  container["image"] = input.cluster.etcd.image;
  container["command"] = base::Json::array({"etcd", command_word("--config-file=" + input.config_path)});
  return container;
}

}  // namespace quorate::renderers
