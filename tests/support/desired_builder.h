// Desired clusters for tests: valid, small, and with every value in sight.
#pragma once

#include <string>
#include <utility>

#include "reconciler/model/desired.h"

namespace quorate::support {

// Three members a, b and c at 10.0.0.11 to .13, mutual TLS, disk storage, runtime process; etcd.version absent.
class DesiredBuilder {
 public:
  DesiredBuilder() {
    desired_.name = "prod";
    desired_.etcd.binary = "/usr/bin/etcd";
    desired_.etcd.image = "registry.example.com/etcd:3.5.16";
    desired_.etcd.token = "prod";
    tls(model::TlsMode::Mutual);
    desired_.runtime = model::ProcessRuntime{};
    members(3);
  }

  DesiredBuilder& members(int count) {
    desired_.members.clear();
    for (int i = 0; i < count; ++i) {
      model::Member member;
      member.name = std::string(1, static_cast<char>('a' + i));
      member.node = member.name;
      member.address = "10.0.0." + std::to_string(11 + i);
      member.data_dir = "/var/lib/etcd/" + member.name;
      desired_.members.push_back(std::move(member));
    }
    return *this;
  }

  DesiredBuilder& version(std::string_view text) {
    desired_.etcd.version = base::parse_version(text);
    return *this;
  }

  DesiredBuilder& tls(model::TlsMode mode) {
    desired_.tls = model::Tls{};
    desired_.tls.mode = mode;
    if (mode == model::TlsMode::Off) return *this;
    desired_.tls.dir = "/etc/quorate/pki";
    desired_.tls.client = {"/etc/quorate/pki/server.crt", "/etc/quorate/pki/server.key", "/etc/quorate/pki/ca.crt"};
    desired_.tls.peer = {"/etc/quorate/pki/peer.crt", "/etc/quorate/pki/peer.key", "/etc/quorate/pki/peer-ca.crt"};
    return *this;
  }

  DesiredBuilder& storage(model::StorageKind kind) {
    desired_.storage = kind;
    return *this;
  }

  DesiredBuilder& flag(std::string name, std::vector<std::string> texts) {
    desired_.etcd.flags[std::move(name)] = std::move(texts);
    return *this;
  }

  // Everything that etcd's own fields of the file can say.
  DesiredBuilder& tuned() {
    model::Etcd& etcd = desired_.etcd;
    etcd.quota = base::parse_size("8Gi");
    etcd.heartbeat = base::parse_duration("250ms");
    etcd.election = base::parse_duration("2500ms");
    etcd.auto_compaction = model::AutoCompaction{model::CompactionMode::Periodic, *base::parse_duration("7d"), 0};
    etcd.snapshot_count = 50000;
    etcd.log_level = "warn";
    etcd.metrics = "extensive";
    return *this;
  }

  DesiredBuilder& systemd() {
    desired_.runtime = model::SystemdRuntime{"etcd.service", "etcd"};
    return *this;
  }

  DesiredBuilder& static_pod(std::string manifest) {
    model::StaticPodRuntime runtime;
    runtime.manifest = std::move(manifest);
    runtime.name_space = "kube-system";
    runtime.pod_name = "etcd-prod";
    runtime.init_image = "registry.example.com/busybox:1.36";
    runtime.pod.priority_class = "system-node-critical";
    desired_.runtime = std::move(runtime);
    return *this;
  }

  DesiredBuilder& kubernetes() {
    model::KubernetesRuntime runtime;
    runtime.name_space = "data";
    runtime.storage_size = *base::parse_size("8Gi");
    runtime.tls_secret = "prod-tls";
    desired_.runtime = std::move(runtime);
    return *this;
  }

  // For whatever has no word of its own here.
  template <class Change>
  DesiredBuilder& with(Change change) {
    change(desired_);
    return *this;
  }

  model::Desired build() {
    const bool kubernetes = std::holds_alternative<model::KubernetesRuntime>(desired_.runtime);
    const bool pod = kubernetes || std::holds_alternative<model::StaticPodRuntime>(desired_.runtime);
    const std::string scheme = desired_.tls.mode == model::TlsMode::Off ? "http" : "https";
    model::Desired desired = desired_;
    for (model::Member& member : desired.members) {
      if (kubernetes) member.address = member.name + "." + desired.name + ".data.svc";
      const std::string listen = kubernetes ? "0.0.0.0" : member.address;
      if (member.peer_urls.empty()) member.peer_urls = {{scheme, member.address, 2380}};
      if (member.client_urls.empty()) member.client_urls = {{scheme, member.address, 2379}};
      if (member.listen_peer.empty()) member.listen_peer = {{scheme, listen, 2380}};
      if (member.listen_client.empty()) member.listen_client = {{scheme, listen, 2379}};
      if (!kubernetes && member.listen_client.size() == 1) member.listen_client.push_back({scheme, "127.0.0.1", 2379});
      if (pod && member.listen_metrics.empty()) {
        member.listen_metrics = {{"http", kubernetes ? "0.0.0.0" : "127.0.0.1", 2381}};
      }
    }
    return desired;
  }

 private:
  model::Desired desired_;
};

}  // namespace quorate::support
