// What members run as: plain processes, systemd units, static pods or pods of a Kubernetes cluster.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "reconciler/base/units.h"

namespace quorate::model {

enum class ServiceKind { Headless, ClusterIp, LoadBalancer };

using StringMap = std::map<std::string, std::string>;

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

}  // namespace quorate::model
