// The list of renderers, and the bundles that runtimes ask for.
#include "renderers/registry.h"

#include <algorithm>

#include "reconciler/base/check.h"
#include "reconciler/base/digest.h"
#include "reconciler/base/path.h"
#include "renderers/environment/environment.h"
#include "renderers/etcd_config/etcd_config.h"
#include "renderers/kubernetes/kubernetes.h"
#include "renderers/static_pod/static_pod.h"
#include "renderers/systemd/systemd.h"

namespace quorate::renderers {
namespace {

struct NamesOfRuntime {
  std::vector<std::string_view> operator()(const model::ProcessRuntime& /*runtime*/) const { return {kEtcdConfigName}; }
  std::vector<std::string_view> operator()(const model::SystemdRuntime& /*runtime*/) const {
    return {kEtcdConfigName, kSystemdName};
  }
  std::vector<std::string_view> operator()(const model::StaticPodRuntime& /*runtime*/) const {
    return {kEtcdConfigName, kStaticPodName};
  }
  std::vector<std::string_view> operator()(const model::KubernetesRuntime& /*runtime*/) const {
    return {kKubernetesName};
  }
};

// Lengths in front, so that no content can pass for the end of one field and the start of the next.
void append_framed(std::string& framed, std::string_view field) {
  framed += std::to_string(field.size()) + ":";
  framed += field;
}

// A pod's manifest may be called so too, and says nothing of a data directory at the start of a line.
bool is_config(const File& file) {
  return base::parent_path(file.path) + "/etcd.yaml" == file.path &&
         file.content.find("\ndata-dir: ") != std::string::npos;
}

// Each agent keeps its state where its own node file says, and all of them name a bundle alike: a configuration file is
// named as it would stand in the usual place.
std::string path_anywhere(const File& file) {
  if (!is_config(file)) return file.path;
  const std::string state_dir = base::parent_path(base::parent_path(base::parent_path(file.path)));
  return "/var/lib/quorate" + file.path.substr(state_dir == "/" ? 0 : state_dir.size());
}

std::string octal(int mode) {
  std::string digits;
  for (int rest = mode; rest > 0; rest /= 8) digits.insert(digits.begin(), static_cast<char>('0' + rest % 8));
  return digits;
}

}  // namespace

const std::vector<Renderer>& all_renderers() {
  static const std::vector<Renderer> renderers{
      {kEtcdConfigName, "etcd's configuration file", render_etcd_config, nullptr},
      {kEnvironmentName, "ETCD_* variables, for use outside quorate", render_environment, nullptr},
      {kSystemdName, "a systemd unit", render_systemd, nullptr},
      {kStaticPodName, "a pod manifest for a kubelet to watch", render_static_pod, nullptr},
      {kKubernetesName, "Kubernetes objects", render_kubernetes_member, render_kubernetes_cluster},
  };
  return renderers;
}

const Renderer* find_renderer(std::string_view name) {
  const auto& renderers = all_renderers();
  const auto found =
      std::find_if(renderers.begin(), renderers.end(), [&](const Renderer& each) { return each.name == name; });
  return found == renderers.end() ? nullptr : &*found;
}

std::vector<std::string_view> renderers_of(const model::Desired& cluster) {
  return std::visit(NamesOfRuntime{}, cluster.runtime);
}

std::string digest_of(const std::vector<File>& files) {
  std::string framed;
  for (const File& file : files) {
    append_framed(framed, path_anywhere(file));
    append_framed(framed, octal(file.mode));
    append_framed(framed, file.owner);
    append_framed(framed, is_config(file) ? without_boot_mode(file.content) : objects_without_boot_mode(file.content));
  }
  return base::sha256_hex(framed);
}

base::Result<Bundle> render_member(const Input& input) {
  Bundle bundle;
  for (const std::string_view name : renderers_of(input.cluster)) {
    const Renderer* renderer = find_renderer(name);
    QUORATE_CHECK(renderer != nullptr);
    auto files = renderer->member_files(input);
    if (!files) return tl::unexpected(files.error());
    bundle.files.insert(bundle.files.end(), files->begin(), files->end());
  }
  bundle.digest = digest_of(bundle.files);
  return bundle;
}

Bundle render_cluster(const model::Desired& cluster) {
  Bundle bundle;
  for (const std::string_view name : renderers_of(cluster)) {
    const Renderer* renderer = find_renderer(name);
    QUORATE_CHECK(renderer != nullptr);
    if (renderer->cluster_files == nullptr) continue;
    const auto files = renderer->cluster_files(cluster);
    bundle.files.insert(bundle.files.end(), files.begin(), files.end());
  }
  bundle.digest = digest_of(bundle.files);
  return bundle;
}

std::string config_path(std::string_view state_dir, const model::Desired& cluster, const model::Member& member) {
  std::string path(state_dir);
  while (!path.empty() && path.back() == '/') path.pop_back();
  return path + "/" + cluster.name + "/" + member.name + "/etcd.yaml";
}

}  // namespace quorate::renderers
