// Paths on the nodes: absolute where nobody could say what they are relative to, and never shared by two members.
#include <array>
#include <map>
#include <string>
#include <vector>

#include "reconciler/base/net.h"
#include "reconciler/base/path.h"
#include "reconciler/validate/read.h"
#include "reconciler/validate/rules/rules.h"

namespace quorate::validate {
namespace {

using model::Code;
using model::Finding;
using model::Member;
using model::Node;

void check_absolute(const Context& context, const Node* node, const std::string& path) {
  if (node == nullptr || !text(*node) || node->text.empty()) return;
  if (base::is_absolute(node->text)) {
    if (base::join_path("/", node->text) != "/") return;
    context.findings.add(Code::E118, *node, path + " is the root directory", "expected a directory of its own", path);
    return;
  }
  context.findings.add(Code::E118, *node, path + " must be absolute", "expected a path that starts with /", path)
      .help.push_back("only runtime process knows where the file stands; a node does not");
}

void check_manifest(const Context& context) {
  const Node* node = context.fields.node("runtime.manifest");
  check_absolute(context, node, "runtime.manifest");
  if (node == nullptr || !base::is_absolute(node->text)) return;
  const std::string_view name = std::string_view(node->text).substr(node->text.rfind('/') + 1);
  if (!name.empty() && name.front() != '.') return;
  context.findings.add(Code::E106, *node, "runtime.manifest names no file that a kubelet reads",
                       "expected a file name without a dot in front", "runtime.manifest");
}

// What a pod needs is mounted by directory: the root cannot be, and a Secret is one directory.
void check_pod_tls(const Context& context) {
  const auto& desired = context.desired();
  const bool kubernetes = std::holds_alternative<model::KubernetesRuntime>(desired.runtime);
  if (desired.tls.mode == model::TlsMode::Off ||
      (!kubernetes && !std::holds_alternative<model::StaticPodRuntime>(desired.runtime))) {
    return;
  }
  for (const char* path : {"tls.cert", "tls.key", "tls.ca", "tls.client.cert", "tls.client.key", "tls.client.ca",
                           "tls.peer.cert", "tls.peer.key", "tls.peer.ca"}) {
    const Node* node = context.fields.node(path);
    if (node == nullptr || !text(*node)) continue;
    const std::string file = base::join_path(desired.tls.dir, node->text);
    const std::string directory = base::parent_path(file);
    if (kubernetes ? directory == desired.tls.dir : directory != "/") continue;
    context.findings.add(Code::E118, *node,
                         std::string(path) + (kubernetes ? " is not in tls.dir, where the Secret is mounted"
                                                         : " stands right under /, which no pod can mount"),
                         kubernetes ? "expected a file in " + desired.tls.dir : "expected a directory of its own",
                         path);
  }
}

// Data in a directory that another volume of the pod covers, or the other way round.
void check_pod_data(const Context& context) {
  const auto& desired = context.desired();
  if (std::holds_alternative<model::ProcessRuntime>(desired.runtime) || desired.tls.mode == model::TlsMode::Off ||
      std::holds_alternative<model::SystemdRuntime>(desired.runtime)) {
    return;
  }
  for (const Member& member : desired.members) {
    if (!member.managed) continue;
    for (const std::string* file : {&desired.tls.client.cert, &desired.tls.peer.cert}) {
      const std::string directory = base::parent_path(*file);
      if (!base::is_within(member.data_dir, directory) && !base::is_within(directory, member.data_dir)) continue;
      context.findings.add(Code::E116, context.nearest("storage.dir"),
                           "the pod of " + member.name + " would have its data and its certificates in one volume: " +
                               member.data_dir + " and " + directory,
                           "expected directories apart from each other", "storage.dir");
      return;
    }
  }
}

void check_paths(const Context& context) {
  // With runtime process a relative path starts where the file stands: the way of `up` and of tests.
  const bool local = std::holds_alternative<model::ProcessRuntime>(context.desired().runtime);
  const auto check = [&](const Node* node, const std::string& path) {
    if (node != nullptr && local && !base::is_absolute(node->text)) return;
    check_absolute(context, node, path);
  };
  for (const char* path : {"storage.dir", "storage.wal", "tls.dir"}) check(context.fields.node(path), path);
  for (std::size_t i = 0; i < context.draft.places.size(); ++i) {
    const std::string name = "members." + context.desired().members[i].name + ".storage.";
    const Node& value = *context.draft.places[i].value;
    check(at(value, {"storage", "dir"}), name + "dir");
    check(at(value, {"storage", "wal"}), name + "wal");
  }
  check_manifest(context);
  if (const Node* mounts = context.fields.node("runtime.mounts")) {
    for (std::size_t i = 0; i < mounts->items.size(); ++i) {
      const std::string name = "runtime.mounts[" + std::to_string(i) + "].";
      check_absolute(context, mounts->items[i]->get("host"), name + "host");
      check_absolute(context, mounts->items[i]->get("container"), name + "container");
    }
  }
}

struct Directory {
  std::string path;
  std::size_t member;
};

std::vector<Directory> directories_of(const Member& member, std::size_t index) {
  if (!member.managed) return {};
  std::vector<Directory> directories{{member.data_dir, index}};
  if (!member.wal_dir.empty()) directories.push_back({member.wal_dir, index});
  return directories;
}

void report_shared(const Context& context, const Directory& first, const Directory& second) {
  const auto& members = context.desired().members;
  const std::string& name = members[second.member].name;
  const bool own = first.member == second.member;
  const std::string who =
      own ? name + " would keep data and log in" : members[first.member].name + " and " + name + " would share";
  const std::string& path = first.path.size() < second.path.size() ? first.path : second.path;
  Finding& finding = context.findings.add(Code::E116, *context.draft.places[second.member].name, who + " " + path,
                                          "expected a directory of its own", "members." + name + ".storage.dir");
  if (!own)
    context.findings.relate(finding, *context.draft.places[first.member].name, "uses it, too, on the same node");
}

void check_shared_directories(const Context& context) {
  const auto& members = context.desired().members;
  std::map<std::string, std::vector<Directory>> by_node;
  for (std::size_t i = 0; i < members.size(); ++i) {
    auto& taken = by_node[node_key(context, i)];
    for (const Directory& directory : directories_of(members[i], i)) {
      for (const Directory& other : taken) {
        if (!base::is_within(directory.path, other.path) && !base::is_within(other.path, directory.path)) continue;
        report_shared(context, other, directory);
        break;
      }
      taken.push_back(directory);
    }
  }
}

// A unit or manifest has one name for all members, so a node can run one of them.
void check_one_per_node(const Context& context) {
  const bool systemd = std::holds_alternative<model::SystemdRuntime>(context.desired().runtime);
  if (!systemd && !std::holds_alternative<model::StaticPodRuntime>(context.desired().runtime)) return;
  std::map<std::size_t, std::size_t> first;
  for (std::size_t i = 0; i < context.draft.places.size(); ++i) {
    if (!context.desired().members[i].managed) continue;
    const auto [seen, added] = first.emplace(machine_of(context, i), i);
    if (added) continue;
    const std::string& name = context.desired().members[i].name;
    Finding& finding = context.findings.add(Code::E116, *context.draft.places[i].name,
                                            context.desired().members[seen->second].name + " and " + name +
                                                " would share one " + (systemd ? "unit" : "manifest") + " on one node",
                                            "expected one member of a cluster on a node", "members." + name);
    context.findings.relate(finding, *context.draft.places[seen->second].name, "runs there, too");
  }
}

// Certificate and key are of no use without each other.
void check_pair(const Context& context, const std::string& block) {
  const model::Entry* cert = nullptr;
  const model::Entry* key = nullptr;
  const Node* node = context.fields.node(block);
  if (node != nullptr) {
    cert = node->entry("cert");
    key = node->entry("key");
  }
  if ((cert == nullptr) == (key == nullptr)) return;
  const bool has_cert = cert != nullptr;
  context.findings.add(Code::E114, has_cert ? *cert->key : *key->key,
                       block + " has a " + (has_cert ? "cert" : "key") + " without a " + (has_cert ? "key" : "cert"),
                       "expected cert and key together", block + (has_cert ? ".key" : ".cert"));
}

void check_tls_files(const Context& context) {
  const Node* tls = context.fields.node("tls");
  if (tls == nullptr) return;
  if (context.desired().tls.mode == model::TlsMode::Off) {
    const bool agent = tls->get("agent") != nullptr;  // its files start in tls.dir, whatever members do
    for (const std::string_view key : {"dir", "cert", "key", "ca", "peer", "client"}) {
      const model::Entry* entry = tls->entry(key);
      if (entry == nullptr || (agent && key == "dir")) continue;
      context.findings.add(Code::W205, *entry->key, "TLS files are named, but tls.mode is off and nothing uses them",
                           "expected tls.mode mutual or server", "tls." + std::string(key));
      return;
    }
    return;
  }
  for (const char* block : {"tls", "tls.peer", "tls.client"}) check_pair(context, block);
  const model::Entry* cert = tls->entry("cert");
  const bool server = context.desired().tls.mode == model::TlsMode::Server;
  const bool ca_elsewhere =
      context.fields.node("tls.peer.ca") != nullptr && (server || context.fields.node("tls.client.ca") != nullptr);
  if (cert == nullptr || tls->get("key") == nullptr || tls->get("ca") != nullptr || ca_elsewhere) return;
  context.findings.add(Code::E114, *cert->key, "tls has a cert and a key without a ca", "expected ca: FILE", "tls.ca")
      .help.push_back("members check each other against it");
}

void check_agent_files(const Context& context) {
  const Node* block = context.fields.node("tls.agent");
  const auto mode = context.desired().tls.mode;
  if (block == nullptr || block->kind != model::NodeKind::Mapping) return;
  check_pair(context, "tls.agent");
  const bool bare = block->get("cert") == nullptr && block->get("key") == nullptr;
  const bool no_ca = block->get("ca") == nullptr;
  if (bare && mode != model::TlsMode::Mutual) {
    context.findings
        .add(Code::E114, *context.fields.node("tls")->entry("agent")->key, "tls.agent has no cert and no key",
             "expected cert, key and ca", "tls.agent.cert")
        .help.push_back("files of members stand in for them with tls.mode mutual only");
  } else if (no_ca && mode == model::TlsMode::Off) {
    context.findings
        .add(Code::E114, *context.fields.node("tls")->entry("agent")->key,
             "tls.agent has a cert and a key without a ca", "expected ca: FILE", "tls.agent.ca")
        .help.push_back("agents check each other against it");
  }
}

// On loopback there is nobody else, and a single agent asks nobody.
void check_agents_known(const Context& context) {
  const auto& desired = context.desired();
  if (!desired.tls.agent.cert.empty() || context.fields.node("tls.agent") != nullptr ||
      std::holds_alternative<model::KubernetesRuntime>(desired.runtime)) {
    return;
  }
  std::size_t reached = 0;
  std::size_t agents = 0;
  for (const Member& member : desired.members) {
    if (!member.managed || member.address.empty()) continue;
    ++agents;
    if (!base::is_loopback(member.address)) ++reached;
  }
  if (agents < 2 || reached == 0) return;
  context.findings.add(Code::W208, context.nearest("tls.mode"),
                       "with tls.mode " + context.fields.text_or_default("tls.mode") +
                           " and without tls.agent, agents know each other by their addresses alone",
                       "expected tls.agent: {cert: FILE, key: FILE, ca: FILE}", "tls.agent");
}

}  // namespace

void check_files(const Context& context) {
  check_paths(context);
  check_shared_directories(context);
  check_one_per_node(context);
  check_tls_files(context);
  check_agent_files(context);
  check_agents_known(context);
  check_pod_tls(context);
  check_pod_data(context);
}

}  // namespace quorate::validate
