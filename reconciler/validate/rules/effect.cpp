// A field that would do nothing is refused: whoever wrote it believes that it does something.
#include <algorithm>
#include <string>

#include "reconciler/validate/bind_network.h"
#include "reconciler/validate/read.h"
#include "reconciler/validate/rules/rules.h"
#include "reconciler/validate/schema.h"

namespace quorate::validate {
namespace {

using model::Code;
using model::Entry;
using model::Node;

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " or ") + word;
  return text;
}

void check_runtime(const Context& context, const Node& node, const Schema& schema, const Path& path,
                   const std::string& runtime) {
  for (const Entry& entry : node.entries) {
    const Path here{&path, entry.key->text};
    const auto property = schema.properties.find(entry.key->text);
    const Schema* inner = property != schema.properties.end() ? property->second.get() : schema.values.get();
    if (inner == nullptr) continue;
    const auto& only = inner->runtimes;
    // `size` has a rule of its own that says more.
    if (only.empty() || std::find(only.begin(), only.end(), runtime) != only.end() || here.text() == "size") {
      check_runtime(context, *entry.value, *inner, here, runtime);
      continue;
    }
    context.findings.add(Code::E121, *entry.key, here.text() + " has no effect with runtime " + runtime,
                         "only runtime " + listed(only) + " reads it", here.text());
  }
}

void refuse(const Context& context, const char* path, const std::string& why) {
  const std::string_view whole = path;
  const auto dot = whole.rfind('.');
  const Node* block = context.fields.node(whole.substr(0, dot));
  const Entry* entry = block != nullptr ? block->entry(whole.substr(dot + 1)) : nullptr;
  if (entry == nullptr) return;
  context.findings.add(Code::E121, *entry->key, std::string(path) + " has no effect " + why,
                       "expected the file without it", path);
}

// Images of etcd have had no shell since 3.5.7, so there is no default that would work.
void check_init_image(const Context& context, bool disk) {
  if (disk) {
    refuse(context, "runtime.initImage", "with storage.kind disk: nothing is restored inside the pod");
  } else if (context.fields.node("runtime.initImage") == nullptr) {
    context.findings
        .add(Code::E100, context.nearest("runtime.type"),
             "runtime.initImage is missing: where data live inside the pod, an init container puts restored data there",
             "expected initImage: an image with /bin/sh, cp and mv", "runtime.initImage")
        .help.emplace_back("images of etcd have no shell; busybox:1.36 has all three");
  }
}

// Whoever takes a cluster over has one.
void check_bootstrap(const Context& context) {
  const auto& desired = context.desired();
  if (desired.if_no_cluster == model::IfNoCluster::Wait) return;
  if (desired.adopt && desired.adopt->stage != model::AdoptStage::Done) {
    refuse(context, "bootstrap.ifNoCluster", "before adopt.stage is done: no other cluster is formed until then");
  } else if (std::any_of(desired.members.begin(), desired.members.end(), [](const auto& m) { return !m.managed; })) {
    refuse(context, "bootstrap.ifNoCluster", "with a member that no agent manages: it could hold the cluster");
  }
}

}  // namespace

void check_effect(const Context& context) {
  const std::string runtime = context.fields.text_or_default("runtime.type");
  check_runtime(context, context.root, cluster_schema(), Path{}, runtime);

  const auto& desired = context.desired();
  check_bootstrap(context);
  const bool kubernetes = std::holds_alternative<model::KubernetesRuntime>(desired.runtime);
  const bool pod = kubernetes || std::holds_alternative<model::StaticPodRuntime>(desired.runtime);
  const bool disk = desired.storage == model::StorageKind::Disk;
  if (!pod && context.fields.node("network.ports.metrics") == nullptr) {
    refuse(context, "network.listen.metrics", "without network.ports.metrics");
  }
  if (kubernetes && !disk) {
    refuse(context, "runtime.storageClass", "unless storage.kind is disk");
    refuse(context, "runtime.storageSize", "unless storage.kind is disk");
  }
  if (kubernetes && desired.tls.mode == model::TlsMode::Off) refuse(context, "runtime.tlsSecret", "with tls.mode off");
  if (pod && !kubernetes) check_init_image(context, disk);
  if (desired.tls.mode == model::TlsMode::Server) {
    refuse(context, "tls.client.ca", "with tls.mode server: clients show no certificate");
  }
}

}  // namespace quorate::validate
