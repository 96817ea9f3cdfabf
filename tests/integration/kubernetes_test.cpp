// Objects of runtime kubernetes, judged by Kubernetes' own reader and types.
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/kubectl.h"
#include "tests/integration/rendered_cluster.h"

namespace quorate::integration {
namespace {

const std::vector<std::string> kNothing;

struct Case {
  std::string name;
  std::string service;  // of the runtime
  std::string rest;     // more lines of the runtime, and more blocks

  friend std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }
};

const std::vector<Case> kCases = {
    {"Smallest", "headless", "tls: {mode: \"off\"}\n"},
    {"ClusterIpWithTls", "cluster-ip", R"(  storageClass: fast
  storageSize: 16Gi
  tlsSecret: etcd-certificates
  priorityClass: important
  podLabels: {tier: storage}
  podAnnotations: {example.com/note: "yes, quoted"}
  resources: {requests: {cpu: 200m, memory: 512Mi}, limits: {memory: 2Gi}}
labels: {team: infra}
network: {ports: {client: 2379, peer: 2380, metrics: 2381}}
)"},
    {"LoadBalancerInMemory", "load-balancer", "  tlsSecret: etcd-certificates\nstorage: {kind: memory}\n"},
};

class Kubernetes : public testing::TestWithParam<Case> {
 protected:
  Kubernetes()
      : cluster_(
            "apiVersion: quorate/v1\nname: lab\nsize: 3\netcd: {version: \"3.5.16\", image: \"etcd:v3.5.16\"}\n"
            "runtime:\n  type: kubernetes\n  namespace: databases\n  service: " +
                GetParam().service + "\n" + GetParam().rest,
            folder_ / "state") {}

  std::vector<Json> member_objects(const renderers::Boot& boot = renderers::BootKeep{}) const {
    const auto files = cluster_.render("kubernetes", cluster_.members().front(), boot);
    EXPECT_EQ(files.size(), 1u);
    return kubectl_.read(files.front().content);
  }

  std::vector<Json> cluster_objects() const {
    const renderers::Bundle bundle = renderers::render_cluster(cluster_.desired());
    EXPECT_EQ(bundle.files.size(), 1u);
    return kubectl_.read(bundle.files.front().content);
  }

  TempDir folder_;
  Kubectl kubectl_;
  RenderedCluster cluster_;
};

TEST_P(Kubernetes, PodsHaveNoFieldThatKubernetesDoesNotKnow) {
  const Json pod = object_of(member_objects(), "Pod");
  EXPECT_EQ(pod["metadata"]["namespace"], "databases");
  EXPECT_EQ(pod["spec"]["containers"][0]["image"], "etcd:v3.5.16");
  EXPECT_EQ(lost(pod, kubectl_.through_types(pod)), kNothing);
}

TEST_P(Kubernetes, VolumeClaimsHaveNoFieldThatKubernetesDoesNotKnow) {
  const std::vector<Json> objects = member_objects();
  if (cluster_.desired().storage != model::StorageKind::Disk) {
    for (const Json& object : objects) EXPECT_NE(object["kind"], "PersistentVolumeClaim");
    return;
  }
  const Json& claim = object_of(objects, "PersistentVolumeClaim");
  EXPECT_EQ(lost(claim, kubectl_.through_types(claim)), kNothing);
}

TEST_P(Kubernetes, ServicesHaveNoFieldThatKubernetesDoesNotKnow) {
  const std::vector<Json> objects = cluster_objects();
  for (const std::string name : {"lab", "lab-client"}) {
    const Json& service = object_of(objects, "Service", name);
    EXPECT_EQ(service["metadata"]["namespace"], "databases");
    EXPECT_EQ(lost(service, kubectl_.through_types(service)), kNothing);
  }
}

// kubectl 1.20 still writes the older version of the same fields.
TEST_P(Kubernetes, TheDisruptionBudgetIsTheOneKubectlWouldMake) {
  Json budget = object_of(cluster_objects(), "PodDisruptionBudget");
  EXPECT_EQ(budget["apiVersion"], "policy/v1");
  std::string selector;
  for (const auto& [key, value] : budget["spec"]["selector"]["matchLabels"].items()) {
    selector += (selector.empty() ? "" : ",") + key + "=" + value.get<std::string>();
  }
  const Json theirs = kubectl_.create({"poddisruptionbudget", "lab", "--selector=" + selector, "--min-available=2"});
  EXPECT_EQ(theirs["apiVersion"], "policy/v1beta1");
  EXPECT_EQ(budget["spec"], theirs["spec"]);
  EXPECT_EQ(budget["metadata"]["name"], theirs["metadata"]["name"]);
}

// Byte for byte: a configuration that passes through YAML twice must come out as it went in.
TEST_P(Kubernetes, TheConfigMapIsTheOneKubectlWouldMakeOfTheConfigurationFile) {
  for (const renderers::Boot& boot :
       {renderers::Boot(renderers::BootKeep{}), renderers::Boot(renderers::BootNew{"t"})}) {
    const Json map = object_of(member_objects(boot), "ConfigMap");
    const auto config = cluster_.render("etcd-config", cluster_.members().front(), boot);
    write_file(folder_ / "etcd.yaml", config.front().content);
    const std::string name = map["metadata"]["name"];
    const Json theirs = kubectl_.create({"configmap", name, "--from-file=" + folder_ / "etcd.yaml"});
    EXPECT_EQ(map["data"], theirs["data"]);
    EXPECT_EQ(map["apiVersion"], theirs["apiVersion"]);
  }
}

// Names that have to agree across objects, or nothing comes up.
TEST_P(Kubernetes, WhatOneObjectNamesAnotherOneIs) {
  const std::vector<Json> member = member_objects();
  const std::vector<Json> cluster = cluster_objects();
  const Json& pod = object_of(member, "Pod");
  const Json& peers = object_of(cluster, "Service", pod["spec"]["subdomain"]);
  EXPECT_EQ(peers["spec"]["clusterIP"], "None");
  EXPECT_EQ(peers["spec"]["publishNotReadyAddresses"], true);
  for (const Json& object : cluster) {
    const Json& spec = object["spec"];
    const Json& selector = object["kind"] == "Service" ? spec["selector"] : spec["selector"]["matchLabels"];
    ASSERT_FALSE(selector.empty());
    EXPECT_EQ(lost(selector, pod["metadata"]["labels"]), kNothing) << object["metadata"]["name"];
  }
  std::vector<std::string> volumes;
  for (const Json& volume : pod["spec"]["volumes"]) {
    volumes.push_back(volume["name"]);
    if (volume.contains("configMap")) object_of(member, "ConfigMap", volume["configMap"]["name"]);
    if (volume.contains("persistentVolumeClaim")) {
      object_of(member, "PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]);
    }
  }
  for (const Json& mount : pod["spec"]["containers"][0]["volumeMounts"]) {
    EXPECT_EQ(std::count(volumes.begin(), volumes.end(), mount["name"]), 1) << mount;
  }
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Rendered, Kubernetes, testing::ValuesIn(kCases), name_of_case);

TEST(KubernetesTypes, SeeAFieldThatKubernetesDoesNotKnow) {
  const Kubectl kubectl;
  const Json service = Json::parse(R"({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"},
      "spec": {"clusterIp": "None", "selector": {"app": "etcd"}}})");
  EXPECT_EQ(lost(service, kubectl.through_types(service)), (std::vector<std::string>{".spec.clusterIp"}));
  const Json claim = Json::parse(R"({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "a"},
      "spec": {"storageClass": "fast"}})");
  EXPECT_EQ(lost(claim, kubectl.through_types(claim)), (std::vector<std::string>{".spec.storageClass"}));
}

}  // namespace
}  // namespace quorate::integration
