// Each look is a fact of its own: one that fails says why and leaves the others alone.
#include "reconciler/observe/node_view.h"

#include <algorithm>
#include <utility>

#include "reconciler/base/path.h"
#include "renderers/etcd_config/etcd_config.h"
#include "renderers/etcd_config/fence.h"
#include "renderers/registry.h"

namespace quorate::observe {
namespace {

using model::Fact;

template <class T>
Fact<T> fact(base::Result<T> result, base::Time at) {
  return result ? Fact<T>::known(*std::move(result), at) : Fact<T>::unknown(result.error().message, at);
}

// The bundle is rendered in mode Keep, and one of its files says so.
bool has_keep(const renderers::Bundle& bundle, const std::vector<renderers::File>& found) {
  for (const renderers::File& wanted : bundle.files) {
    if (base::parent_path(wanted.path) + "/etcd.yaml" != wanted.path) continue;
    return std::any_of(found.begin(), found.end(), [&](const renderers::File& file) {
      return file.path == wanted.path && renderers::keeps(file.content, wanted.content);
    });
  }
  return false;
}

// Where a node keeps its own words in the files, those carry the name of what everybody else would write there; what
// everybody else would write is then as wrong as anything.
std::string name_of(const std::vector<renderers::File>& found, const renderers::Bundle& bundle) {
  std::string name = renderers::digest_of(found);
  const std::string own = renderers::digest_of(bundle.files);
  if (name == own) return bundle.digest;
  return name == bundle.digest ? own : name;
}

// The same digest as the bundle's, for the same files: what is there is read back and named in the same way.
Fact<model::Manifest> manifest(ports::Node& node, const renderers::Bundle& bundle, base::Time at) {
  std::vector<renderers::File> found;
  for (const renderers::File& wanted : bundle.files) {
    auto there = node.read_file(wanted.path);
    if (!there) return Fact<model::Manifest>::unknown(there.error().message, at);
    if (!*there) continue;
    renderers::File file{wanted.path, (*there)->mode, (*there)->owner, std::move((*there)->content)};
    // Where the file asks for nobody in particular, what we write is ours, and root's when the agent wrote it.
    if (wanted.owner.empty() && ((*there)->owned_by_us || (*there)->owner == "root")) file.owner.clear();
    found.push_back(std::move(file));
  }
  model::Manifest manifest;
  if (!found.empty()) manifest.digest = name_of(found, bundle);
  manifest.keep = has_keep(bundle, found);
  manifest.fenced = std::any_of(found.begin(), found.end(),
                                [](const renderers::File& file) { return renderers::has_fence(file.content); });
  for (const renderers::File& file : found)
    manifest.quota = std::max(manifest.quota, renderers::quota_in(file.content));
  return Fact<model::Manifest>::known(std::move(manifest), at);
}

Fact<std::vector<model::Certificate>> certificates(ports::Node& node, const model::Tls& tls, base::Time at) {
  std::vector<model::Certificate> found;
  const std::pair<const std::string&, const char*> files[] = {{tls.client.cert, "client"}, {tls.peer.cert, "peer"},
                                                              {tls.client.ca, "ca"},       {tls.peer.ca, "ca"},
                                                              {tls.agent.cert, "agent"},   {tls.agent.ca, "ca"}};
  for (const auto& [path, use] : files) {
    const auto same = [&, path = &path](const model::Certificate& each) { return each.path == *path; };
    if (path.empty() || std::any_of(found.begin(), found.end(), same)) continue;
    auto certificate = node.certificate(path, use);
    if (!certificate) return Fact<std::vector<model::Certificate>>::unknown(certificate.error().message, at);
    found.push_back(*std::move(certificate));
  }
  return Fact<std::vector<model::Certificate>>::known(std::move(found), at);
}

// To ask a program for its version is to run it: only where its member is ours to run.
Fact<std::vector<model::Binary>> binaries(ports::Node& node, const model::Desired& desired, const model::Member& member,
                                          base::Time at) {
  if (!member.managed) {
    return Fact<std::vector<model::Binary>>::unknown("managed: false: its programs are not run", at);
  }
  const bool ours = std::holds_alternative<model::ProcessRuntime>(desired.runtime) ||
                    std::holds_alternative<model::SystemdRuntime>(desired.runtime);
  if (!ours) return Fact<std::vector<model::Binary>>::unknown("the runtime brings an image, no binary", at);
  auto binary = node.binary(desired.etcd.binary);
  if (!binary) return Fact<std::vector<model::Binary>>::unknown(binary.error().message, at);
  return Fact<std::vector<model::Binary>>::known({*std::move(binary)}, at);
}

bool data_inside_pod(const model::Desired& desired) {
  return std::holds_alternative<model::KubernetesRuntime>(desired.runtime) ||
         (std::holds_alternative<model::StaticPodRuntime>(desired.runtime) &&
          desired.storage != model::StorageKind::Disk);
}

}  // namespace

model::NodeFacts unseen_node(const std::string& member, const std::string& why, base::Time at) {
  model::NodeFacts facts;
  facts.member = member;
  facts.data = Fact<model::DataDir>::unknown(why, at);
  facts.manifest = Fact<model::Manifest>::unknown(why, at);
  facts.process = Fact<model::Process>::unknown(why, at);
  facts.certificates = Fact<std::vector<model::Certificate>>::unknown(why, at);
  facts.binaries = Fact<std::vector<model::Binary>>::unknown(why, at);
  facts.disk = Fact<model::DiskSpace>::unknown(why, at);
  facts.promised = Fact<std::string>::unknown(why, at);
  facts.incarnation = Fact<std::string>::unknown(why, at);
  facts.run = Fact<model::RunState>::unknown(why, at);
  return facts;
}

model::NodeFacts look_at_node(ports::Node& node, const model::Desired& desired, const model::Member& member,
                              const renderers::Bundle* bundle, base::Time at) {
  model::NodeFacts facts =
      unseen_node(member.name, "it lives on " + member.node + ", and only an agent there could look", at);
  if (!node.is_here(member)) return facts;
  if (!member.managed || bundle == nullptr) {
    facts.manifest = Fact<model::Manifest>::unknown("managed: false: its files are not ours", at);
  } else {
    facts.manifest = manifest(node, *bundle, at);
  }
  facts.data = data_inside_pod(desired) ? Fact<model::DataDir>::unknown("the data live inside the pod", at)
                                        : fact(node.data_dir(member.data_dir, member.wal_dir), at);
  facts.process = fact(node.process_of(member), at);
  if (desired.tls.mode == model::TlsMode::Off) {
    facts.certificates = Fact<std::vector<model::Certificate>>::known({}, at);
  } else {
    facts.certificates = certificates(node, desired.tls, at);
  }
  facts.binaries = binaries(node, desired, member, at);
  facts.disk = fact(node.disk_space(member.data_dir), at);
  const std::string no_agent = "no agent runs here";
  facts.promised = Fact<std::string>::unknown(no_agent, at);
  facts.incarnation = Fact<std::string>::unknown(no_agent, at);
  facts.run = Fact<model::RunState>::unknown(no_agent, at);
  return facts;
}

void tell_foreign(model::NodeFacts& facts, base::ClusterId cluster) {
  model::DataDir* data = facts.data.get();
  if (data == nullptr || data->state != model::DataState::Valid || data->cluster == cluster) return;
  data->state = model::DataState::Foreign;
  data->problem = "they are of cluster " + base::to_string(data->cluster) + ", and cluster " +
                  base::to_string(cluster) + " answers";
}

}  // namespace quorate::observe
