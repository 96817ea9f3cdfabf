// Binding never fails: rules run over the draft even when the schema check found mistakes, so that all show at once.
#include "reconciler/validate/bind.h"

#include <algorithm>
#include <utility>

#include "reconciler/base/path.h"
#include "reconciler/validate/bind_network.h"
#include "reconciler/validate/bind_policy.h"
#include "reconciler/validate/choice.h"
#include "reconciler/validate/fields.h"
#include "reconciler/validate/read.h"
#include "reconciler/validate/schema.h"

namespace quorate::validate {
namespace {

using model::Desired;
using model::Member;
using model::Node;
using model::NodeKind;

model::StringMap string_map(const Node* node) {
  model::StringMap map;
  if (node == nullptr) return map;
  for (const auto& entry : node->entries) {
    if (auto value = text(*entry.value)) map[entry.key->text] = std::move(*value);
  }
  return map;
}

std::map<std::string, std::vector<std::string>> flags_of(const Fields& fields) {
  std::map<std::string, std::vector<std::string>> flags;
  const Node* node = fields.node("etcd.flags");
  if (node == nullptr) return flags;
  for (const auto& entry : node->entries) {
    if (auto value = text(*entry.value)) {
      flags[entry.key->text] = {std::move(*value)};
    } else if (entry.value->kind == NodeKind::Sequence) {
      flags[entry.key->text] = texts(*entry.value);
    }
  }
  return flags;
}

std::optional<model::AutoCompaction> compaction_of(const Fields& fields) {
  const Node* retention = fields.node("etcd.autoCompaction.retention");
  if (retention == nullptr) return std::nullopt;
  model::AutoCompaction compaction;
  if (fields.text_or_default("etcd.autoCompaction.mode") == "revision") {
    compaction.mode = model::CompactionMode::Revision;
    Node number = *retention;  // "10000" in quotes is as good as 10000
    number.kind = NodeKind::Integer;
    compaction.revisions = integer(number).value_or(0);
  } else {
    compaction.period = base::parse_duration(retention->text).value_or(base::Duration{});
  }
  return compaction;
}

// The registry's name of an image may hold a port: only a colon behind the last slash starts a tag.
bool has_tag_or_digest(std::string_view image) {
  const auto slash = image.rfind('/');
  return image.find_first_of(":@", slash == std::string_view::npos ? 0 : slash) != std::string_view::npos;
}

std::string image_of(const Fields& fields, const model::Etcd& etcd) {
  std::string image = fields.text_or_default("etcd.image");
  if (!has_tag_or_digest(image) && etcd.version && etcd.version->patch) image += ":v" + base::to_string(*etcd.version);
  return image;
}

model::Etcd etcd_of(const Fields& fields, const std::string& cluster) {
  model::Etcd etcd;
  if (const auto version = fields.text("etcd.version")) etcd.version = base::parse_version(*version);
  etcd.image = image_of(fields, etcd);
  etcd.binary = fields.text_or_default("etcd.binary");
  etcd.token = fields.text("etcd.token").value_or(cluster);
  if (const auto quota = fields.text("etcd.quota")) etcd.quota = base::parse_size(*quota);
  if (const auto heartbeat = fields.text("etcd.heartbeat")) etcd.heartbeat = base::parse_duration(*heartbeat);
  if (const auto election = fields.text("etcd.election")) etcd.election = base::parse_duration(*election);
  etcd.auto_compaction = compaction_of(fields);
  etcd.snapshot_count = fields.number("etcd.snapshotCount");
  etcd.log_level = fields.text("etcd.logLevel");
  etcd.metrics = fields.text("etcd.metrics");
  etcd.flags = flags_of(fields);
  return etcd;
}

model::TlsFiles files_of(const Fields& fields, const std::string& block, const std::string& dir) {
  const auto file = [&](const std::string& part) {
    if (const auto own = fields.text("tls." + block + "." + part)) return base::join_path(dir, *own);
    return base::join_path(dir, fields.text_or_default("tls." + part));
  };
  return {file("cert"), file("key"), file("ca")};
}

// In mode Server a member's certificate is not asked for its names, so that an agent needs one of its own; without TLS
// nothing can stand in for what the file does not say.
model::TlsFiles agent_files_of(const Fields& fields, const model::Tls& tls) {
  if (tls.mode == model::TlsMode::Mutual && fields.node("tls.agent") == nullptr) return tls.peer;
  const auto file = [&](const std::string& part, const std::string& otherwise) {
    const auto own = fields.text("tls.agent." + part);
    return own ? base::join_path(tls.dir, *own) : otherwise;
  };
  const bool mutual = tls.mode == model::TlsMode::Mutual;
  model::TlsFiles files{file("cert", mutual ? tls.peer.cert : ""), file("key", mutual ? tls.peer.key : ""),
                        file("ca", tls.peer.ca)};
  return files.cert.empty() ? model::TlsFiles{} : files;
}

model::Tls tls_of(const Fields& fields, const std::string& directory) {
  using model::TlsMode;
  model::Tls tls;
  tls.mode = choice<TlsMode, 3>(fields, "tls.mode",
                                {{{"mutual", TlsMode::Mutual}, {"server", TlsMode::Server}, {"off", TlsMode::Off}}});
  const bool off = tls.mode == TlsMode::Off;
  if (!off || fields.node("tls.agent") != nullptr) {
    tls.dir = base::join_path(directory, fields.text_or_default("tls.dir"));
  }
  if (!off) {
    tls.client = files_of(fields, "client", tls.dir);
    tls.peer = files_of(fields, "peer", tls.dir);
  }
  tls.agent = agent_files_of(fields, tls);
  return tls;
}

model::Pod pod_of(const Fields& fields, const std::string& priority_class) {
  model::Pod pod;
  pod.priority_class = fields.text("runtime.priorityClass").value_or(priority_class);
  pod.labels = string_map(fields.node("runtime.podLabels"));
  pod.annotations = string_map(fields.node("runtime.podAnnotations"));
  pod.resources.requests = string_map(fields.node("runtime.resources.requests"));
  pod.resources.limits = string_map(fields.node("runtime.resources.limits"));
  return pod;
}

std::vector<model::Mount> mounts_of(const Fields& fields) {
  std::vector<model::Mount> mounts;
  const Node* list = fields.node("runtime.mounts");
  if (list == nullptr) return mounts;
  for (const Node* item : list->items) {
    const Node* host = item->get("host");
    const Node* container = item->get("container");
    const Node* read_only = item->get("readOnly");
    if (host == nullptr || container == nullptr) continue;
    mounts.push_back({base::join_path("/", host->text), base::join_path("/", container->text),
                      read_only != nullptr && truth(*read_only).value_or(false)});
  }
  return mounts;
}

model::StaticPodRuntime static_pod_of(const Fields& fields, const std::string& cluster) {
  model::StaticPodRuntime runtime;
  runtime.manifest = base::join_path(
      "/", fields.text("runtime.manifest").value_or("/etc/kubernetes/manifests/etcd-" + cluster + ".yaml"));
  runtime.name_space = fields.text("runtime.namespace").value_or("kube-system");
  runtime.pod_name = fields.text("runtime.podName").value_or("etcd-" + cluster);
  runtime.init_image = fields.text("runtime.initImage").value_or("");
  runtime.host_network = fields.boolean_or_default("runtime.hostNetwork");
  runtime.mounts = mounts_of(fields);
  runtime.pod = pod_of(fields, "system-node-critical");
  return runtime;
}

model::KubernetesRuntime kubernetes_of(const Fields& fields, const std::string& cluster) {
  using model::ServiceKind;
  model::KubernetesRuntime runtime;
  runtime.name_space = fields.text("runtime.namespace").value_or("default");
  runtime.storage_class = fields.text("runtime.storageClass").value_or("");
  runtime.storage_size = base::parse_size(fields.text_or_default("runtime.storageSize")).value_or(base::Size{});
  runtime.service = choice<ServiceKind, 3>(fields, "runtime.service",
                                           {{{"cluster-ip", ServiceKind::ClusterIp},
                                             {"headless", ServiceKind::Headless},
                                             {"load-balancer", ServiceKind::LoadBalancer}}});
  runtime.tls_secret = fields.text("runtime.tlsSecret").value_or(cluster + "-tls");
  runtime.pod = pod_of(fields, "");
  return runtime;
}

model::Runtime runtime_of(const Fields& fields, const Desired& desired) {
  const std::string type = fields.text_or_default("runtime.type");
  if (type == "systemd") {
    return model::SystemdRuntime{fields.text("runtime.unit").value_or("etcd-" + desired.name + ".service"),
                                 fields.text_or_default("runtime.user")};
  }
  if (type == "static-pod") return static_pod_of(fields, desired.name);
  if (type == "kubernetes") return kubernetes_of(fields, desired.name);
  return model::ProcessRuntime{};
}

model::StorageKind storage_of(const Fields& fields) {
  using model::StorageKind;
  return choice<StorageKind, 3>(
      fields, "storage.kind",
      {{{"disk", StorageKind::Disk}, {"ephemeral", StorageKind::Ephemeral}, {"memory", StorageKind::Memory}}});
}

// Where each field stands that the schema knows; below lists nothing has a name.
void collect_lines(const Node& node, const Schema& schema, const std::string& above,
                   std::map<std::string, int>& lines) {
  for (const auto& entry : node.entries) {
    const auto property = schema.properties.find(entry.key->text);
    const Schema* inner = property != schema.properties.end() ? property->second.get() : schema.values.get();
    if (inner == nullptr) continue;
    const std::string path = above.empty() ? entry.key->text : above + "." + entry.key->text;
    lines[path] = entry.key->span.at.line;
    collect_lines(*entry.value, *inner, path, lines);
  }
}

// The schema takes nine and reports more; rules that compare each with each must not meet thousands.
constexpr std::size_t kMostMembers = 32;

class Members {
 public:
  Members(const Fields& fields, const std::string& directory, Draft& draft)
      : fields_(fields), directory_(directory), draft_(draft) {}

  void listed(const Node& members) {
    for (const auto& entry : members.entries) {
      if (draft_.places.size() == kMostMembers) return;
      const Node& value = *entry.value;
      const Node* address = value.is_scalar() ? &value : value.get("address");
      if (address != nullptr && (!address->is_scalar() || address->kind == NodeKind::Null)) address = nullptr;
      add(entry.key->text, address != nullptr ? address->text : "", {entry.key, &value, address});
    }
  }

  // What `size` means: the pods of a headless Service have these names.
  void counted(const Node& size) {
    const auto count = integer(size).value_or(0);
    const auto* runtime = std::get_if<model::KubernetesRuntime>(&draft_.desired.runtime);
    if (runtime == nullptr || count < 1 || count > 9) return;
    for (std::int64_t number = 0; number < count; ++number) {
      const std::string name = draft_.desired.name + "-" + std::to_string(number);
      add(name, name + "." + draft_.desired.name + "." + runtime->name_space + ".svc", {&size, &size, nullptr});
    }
  }

  // The order of members in the file means nothing.
  void sort() {
    std::vector<std::pair<Member, MemberPlace>> pairs;
    for (std::size_t at = 0; at < draft_.places.size(); ++at) {
      pairs.emplace_back(std::move(draft_.desired.members[at]), draft_.places[at]);
    }
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first.name < b.first.name; });
    for (std::size_t at = 0; at < pairs.size(); ++at) {
      draft_.desired.members[at] = std::move(pairs[at].first);
      draft_.places[at] = pairs[at].second;
    }
  }

 private:
  std::optional<std::string> own(const Node& value, std::initializer_list<std::string_view> keys) const {
    const Node* node = at(value, keys);
    return node != nullptr ? text(*node) : std::nullopt;
  }

  void add(const std::string& name, const std::string& address, MemberPlace place) {
    Member member;
    member.name = name;
    member.address = base::is_host(address) ? base::canonical_host(address) : "";
    member.node = own(*place.value, {"node"}).value_or(name);
    member.zone = own(*place.value, {"zone"}).value_or("");
    if (const auto dir = own(*place.value, {"storage", "dir"})) {
      member.data_dir = base::join_path(directory_, *dir);
    } else {
      member.data_dir = base::join_path(base::join_path(directory_, fields_.text_or_default("storage.dir")), name);
    }
    if (const auto wal = own(*place.value, {"storage", "wal"})) {
      member.wal_dir = base::join_path(directory_, *wal);
    } else if (const auto all = fields_.text("storage.wal")) {
      member.wal_dir = base::join_path(base::join_path(directory_, *all), name);
    }
    if (place.value != place.name) member.line = place.name->span.at.line;
    bind_member_policy(*place.value, member);
    bind_urls(fields_, *place.value, draft_.desired, member);
    draft_.desired.members.push_back(std::move(member));
    draft_.places.push_back(place);
  }

  const Fields& fields_;
  const std::string& directory_;
  Draft& draft_;
};

}  // namespace

Draft bind(const model::Spec& spec) {
  const Fields fields(*spec.root, cluster_schema());
  const std::string& directory = spec.source->directory();
  Draft draft;
  Desired& desired = draft.desired;
  desired.name = fields.text("name").value_or("");
  desired.description = fields.text("description").value_or("");
  if (const Node* owners = fields.node("owners")) desired.owners = texts(*owners);
  desired.labels = string_map(fields.node("labels"));
  desired.etcd = etcd_of(fields, desired.name);
  desired.tls = tls_of(fields, directory);
  desired.storage = storage_of(fields);
  desired.keep_old_data = fields.duration_or_default("storage.keepOldData");
  desired.runtime = runtime_of(fields, desired);
  desired.settle = fields.duration_or_default("runtime.settle");
  desired.stop_timeout = fields.duration_or_default("runtime.stopTimeout");
  bind_policy(fields, desired);
  desired.file = spec.source->name();
  collect_lines(*spec.root, cluster_schema(), "", desired.lines);

  Members members(fields, directory, draft);
  const Node* listed = fields.node("members");
  const Node* size = fields.node("size");
  if (listed != nullptr && listed->kind == NodeKind::Mapping) {
    members.listed(*listed);
  } else if (listed == nullptr && size != nullptr) {
    members.counted(*size);
  }
  members.sort();
  bind_agent_ports(fields, draft);
  return draft;
}

}  // namespace quorate::validate
