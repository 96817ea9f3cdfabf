// The pod of one member on its node: host directories at the paths that quorate and etcd know them by.
#include "renderers/static_pod/static_pod.h"

#include <algorithm>
#include <set>

#include "reconciler/base/path.h"
#include "renderers/notice.h"
#include "renderers/pod.h"

namespace quorate::renderers {
namespace {

constexpr int kGraceSeconds = 30;  // a leader hands over within one election

base::Json host_path(const std::string& path, std::string_view type) {
  base::Json source;
  if (type.empty()) {
    source["hostPath"] = {{"path", path}};
  } else {
    source["hostPath"] = {{"path", path}, {"type", type}};
  }
  return source;
}

base::Json storage_source(model::StorageKind kind, const std::string& path) {
  switch (kind) {
    case model::StorageKind::Disk:
      return host_path(path, "DirectoryOrCreate");
    case model::StorageKind::Ephemeral:
      return {{"emptyDir", base::Json::object()}};
    case model::StorageKind::Memory:
      break;
  }
  return {{"emptyDir", {{"medium", "Memory"}}}};
}

std::set<std::string> tls_directories(const model::Tls& tls) {
  if (tls.mode == model::TlsMode::Off) return {};
  std::set<std::string> directories;
  for (const std::string* file :
       {&tls.client.cert, &tls.client.key, &tls.client.ca, &tls.peer.cert, &tls.peer.key, &tls.peer.ca}) {
    if (!file->empty()) directories.insert(base::parent_path(*file));
  }
  return directories;
}

// What the member itself needs; every host directory stands at the same path in the container.
std::vector<PodMount> own_mounts(const Input& input) {
  std::vector<PodMount> mounts;
  const std::string config = base::parent_path(input.config_path);
  mounts.push_back({"config", config, true, host_path(config, "Directory")});
  int number = 0;
  for (const std::string& directory : tls_directories(input.cluster.tls)) {
    if (directory == config) continue;
    const std::string name = number++ == 0 ? "tls" : "tls-" + std::to_string(number);
    mounts.push_back({name, directory, true, host_path(directory, "Directory")});
  }
  const model::StorageKind kind = input.cluster.storage;
  mounts.push_back({"data", input.member.data_dir, false, storage_source(kind, input.member.data_dir)});
  return mounts;
}

// Data cover what is mounted inside them, and an empty volume finds no place for its mount inside a read-only one.
base::Result<void> check_apart(const std::vector<PodMount>& mounts, const Input& input) {
  const std::string& data = input.member.data_dir;
  const bool on_node = input.cluster.storage == model::StorageKind::Disk;
  for (const PodMount& other : mounts) {
    if (other.volume == "data") continue;
    const bool covered = base::is_within(other.path, data);
    const bool no_place = !on_node && other.read_only && base::is_within(data, other.path);
    if (!covered && !no_place) continue;
    return base::invalid("the pod of member " + input.member.name + " cannot mount both " + data + " and " + other.path,
                         "give the data a directory apart from certificates, configuration and mounts");
  }
  return {};
}

// Kubernetes refuses two mounts at one path: the same directory twice is one mount, another one would hide ours.
base::Result<std::vector<PodMount>> all_mounts(const Input& input, const model::StaticPodRuntime& runtime) {
  std::vector<PodMount> mounts = own_mounts(input);
  int number = 0;
  for (const model::Mount& extra : runtime.mounts) {
    ++number;
    const auto same =
        std::find_if(mounts.begin(), mounts.end(), [&](const PodMount& own) { return own.path == extra.container; });
    if (same == mounts.end()) {
      mounts.push_back(
          {"mount-" + std::to_string(number), extra.container, extra.read_only, host_path(extra.host, "")});
      continue;
    }
    const auto source = same->source.find("hostPath");
    if (source == same->source.end() || (*source)["path"] != extra.host) {
      return base::invalid("runtime.mounts puts " + extra.host + " at " + extra.container + ", where member " +
                           input.member.name + " has its own directory");
    }
    same->read_only = same->read_only && extra.read_only;
  }
  return mounts;
}

// ------------------------------------------------------------------------------- data that live inside the pod
// A torn copy never looks like data: it is made under another name and renamed when it is whole. The seed is used up
// before the data can be seen, since a second pod that got it would vote with a log that has gone back in time; a crash
// in between leaves the directory empty, which etcd refuses on a Keep configuration.
std::string restore_script(const Input& input) {
  return "set -eu\nseed=" + shell_word(base::parent_path(input.config_path) + "/seed") +
         "\ndata=" + shell_word(input.member.data_dir) +
         "\n"
         "if [ ! -d \"$seed/member\" ] || [ -e \"$data/member\" ]; then exit 0; fi\n"
         "rm -rf \"$data/.member.partial\" \"$seed.used\"\n"
         "cp -R -p \"$seed/member\" \"$data/.member.partial\"\n"
         "sync\n"
         "mv \"$seed\" \"$seed.used\"\n"
         "sync\n"
         "mv \"$data/.member.partial\" \"$data/member\"\n";
}

base::Json restore_container(const Input& input, const model::StaticPodRuntime& runtime,
                             const std::vector<PodMount>& mounts) {
  std::vector<PodMount> needed;
  std::copy_if(mounts.begin(), mounts.end(), std::back_inserter(needed),
               [](const PodMount& mount) { return mount.volume == "config" || mount.volume == "data"; });
  for (PodMount& mount : needed) mount.read_only = false;  // the seed stands beside the configuration
  base::Json container;
  container["name"] = "restore";
  container["image"] = runtime.init_image;
  container["command"] = base::Json::array({"/bin/sh", "-c", command_word(restore_script(input))});
  container["volumeMounts"] = volume_mounts_of(std::move(needed));
  return container;
}

base::Json pod_json(const Input& input, const model::StaticPodRuntime& runtime, const std::vector<PodMount>& mounts) {
  base::Json container = etcd_container(input);
  const base::Json action = probe_action(input, runtime.host_network);
  // In a network of its own the pod is reached through the address of its node.
  if (!runtime.host_network) container["ports"] = container_ports(input.member, HostPorts::Yes);
  container["startupProbe"] = startup_probe(action);
  container["livenessProbe"] = liveness_probe(action);
  if (base::Json resources = resources_json(runtime.pod.resources); !resources.is_null()) {
    container["resources"] = std::move(resources);
  }
  container["volumeMounts"] = volume_mounts_of(mounts);

  base::Json spec;
  if (runtime.host_network) spec["hostNetwork"] = true;
  if (!runtime.pod.priority_class.empty()) spec["priorityClassName"] = runtime.pod.priority_class;
  spec["restartPolicy"] = "Always";
  spec["terminationGracePeriodSeconds"] = kGraceSeconds;
  spec["securityContext"] = {{"seccompProfile", {{"type", "RuntimeDefault"}}}};
  if (input.cluster.storage != model::StorageKind::Disk) {
    spec["initContainers"] = base::Json::array({restore_container(input, runtime, mounts)});
  }
  spec["containers"] = base::Json::array({std::move(container)});
  spec["volumes"] = volumes_of(mounts);

  base::Json pod;
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  pod["metadata"] =
      object_metadata(input.cluster, runtime.pod_name, runtime.name_space, runtime.pod.labels, runtime.pod.annotations);
  pod["spec"] = std::move(spec);
  return pod;
}

bool ends_with_json(std::string_view path) {
  constexpr std::string_view kEnding = ".json";
  return path.size() >= kEnding.size() && path.substr(path.size() - kEnding.size()) == kEnding;
}

}  // namespace

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

base::Result<std::vector<File>> render_static_pod(const Input& input) {
  const auto* runtime = std::get_if<model::StaticPodRuntime>(&input.cluster.runtime);
  if (runtime == nullptr) return base::invalid("cluster " + input.cluster.name + " does not run as static pods");
  // etcd makes this directory under another name and renames it, which no mount point allows.
  if (!input.member.wal_dir.empty()) {
    return base::invalid("member " + input.member.name + " has a WAL directory of its own, which no pod can mount");
  }
  const auto mounts = all_mounts(input, *runtime);
  if (!mounts) return tl::unexpected(mounts.error());
  if (const auto apart = check_apart(*mounts, input); !apart) return tl::unexpected(apart.error());
  const base::Json pod = pod_json(input, *runtime, *mounts);
  std::string text =
      ends_with_json(runtime->manifest) ? pod.dump(2) + "\n" : notice(input.cluster, input.member) + base::to_yaml(pod);
  return std::vector<File>{File{runtime->manifest, 0600, "", std::move(text)}};
}

}  // namespace quorate::renderers
