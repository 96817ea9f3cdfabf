// What a cluster should be: a valid desired file with every default filled in and every derived value worked out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reconciler/base/net.h"
#include "reconciler/base/units.h"
#include "reconciler/base/version.h"

namespace quorate::model {

enum class TlsMode { Mutual, Server, Off };
enum class StorageKind { Disk, Ephemeral, Memory };
enum class ServiceKind { Headless, ClusterIp, LoadBalancer };
enum class CompactionMode { Periodic, Revision };

using StringMap = std::map<std::string, std::string>;

struct Member {
  std::string name;
  std::string node;  // where it runs; the member's name unless the file says otherwise
  std::string zone;  // empty: not said
  std::string address;
  std::vector<base::Url> peer_urls;    // advertised
  std::vector<base::Url> client_urls;  // advertised
  std::vector<base::Url> listen_peer;
  std::vector<base::Url> listen_client;
  std::vector<base::Url> listen_metrics;  // empty: no listener of its own
  std::string data_dir;                   // absolute, exact
  std::string wal_dir;                    // absolute, exact; empty: inside data_dir
};

struct AutoCompaction {
  CompactionMode mode = CompactionMode::Periodic;
  base::Duration period{};     // Periodic
  std::int64_t revisions = 0;  // Revision
};

// An empty optional means: etcd's own default, and nothing is rendered.
struct Etcd {
  std::optional<base::Version> version;
  std::string image;   // runtimes static-pod and kubernetes: with its tag or digest
  std::string binary;  // runtimes process and systemd
  std::string token;   // prefix of every derived initial-cluster-token
  std::optional<base::Size> quota;
  std::optional<base::Duration> heartbeat;
  std::optional<base::Duration> election;
  std::optional<AutoCompaction> auto_compaction;
  std::optional<std::int64_t> snapshot_count;
  std::optional<std::string> log_level;
  std::optional<std::string> metrics;
  std::map<std::string, std::vector<std::string>> flags;  // by etcd's name without dashes in front
};

struct TlsFiles {
  std::string cert;
  std::string key;
  std::string ca;
};

// Absolute paths; empty when the mode is Off. In mode Server clients need no certificate, members still do.
struct Tls {
  TlsMode mode = TlsMode::Mutual;
  TlsFiles client;  // what members show to clients, and the CA that clients are checked against
  TlsFiles peer;    // what members show to each other
  std::string dir;
};

struct Mount {
  std::string host;
  std::string container;
  bool read_only = false;
};

struct Resources {
  StringMap requests;
  StringMap limits;
};

struct Pod {
  std::string priority_class;
  StringMap labels;
  StringMap annotations;
  Resources resources;
};

struct ProcessRuntime {};

struct SystemdRuntime {
  std::string unit;
  std::string user;
};

struct StaticPodRuntime {
  std::string manifest;  // the file that the kubelet watches; its ending chooses JSON or YAML
  std::string name_space;
  std::string pod_name;
  std::string init_image;  // runs the restore where the data live inside the pod; needs /bin/sh, cp and mv
  bool host_network = true;
  std::vector<Mount> mounts;
  Pod pod;
};

struct KubernetesRuntime {
  std::string name_space;
  std::string storage_class;  // empty: the cluster's default
  base::Size storage_size;
  ServiceKind service = ServiceKind::ClusterIp;
  std::string tls_secret;
  Pod pod;
};

using Runtime = std::variant<ProcessRuntime, SystemdRuntime, StaticPodRuntime, KubernetesRuntime>;

struct Desired {
  std::string name;
  std::string description;
  std::vector<std::string> owners;
  StringMap labels;
  std::vector<Member> members;  // by name
  Etcd etcd;
  Tls tls;
  StorageKind storage = StorageKind::Disk;
  Runtime runtime;
};

}  // namespace quorate::model
