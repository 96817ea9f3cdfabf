// Kubernetes objects: names, services, the disruption budget and where a pod may run.
#include "renderers/kubernetes/kubernetes.h"

#include <gtest/gtest.h>

#include "tests/support/desired_builder.h"

namespace quorate::renderers {
namespace {

using model::StorageKind;
using model::TlsMode;
using support::DesiredBuilder;

base::Result<std::vector<File>> render(const model::Desired& cluster, const Boot& boot = BootKeep{}) {
  return render_kubernetes_member(Input{cluster, cluster.members[0], boot, "/var/lib/quorate/prod/a/etcd.yaml"});
}

std::string text_of(const model::Desired& cluster, const Boot& boot = BootKeep{}) {
  const auto files = render(cluster, boot);
  EXPECT_TRUE(files) << files.error().message;
  return files->front().content;
}

// The document of one kind out of a multi-document file.
std::string document(const std::string& text, const std::string& kind) {
  for (std::size_t start = 0; start < text.size();) {
    const auto end = text.find("---\n", start);
    const std::string part = text.substr(start, end - start);
    if (part.find("kind: " + kind + "\n") != std::string::npos) return part;
    if (end == std::string::npos) break;
    start = end + 4;
  }
  return {};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class Change>
std::string pod_with(Change change) {
  return document(text_of(DesiredBuilder().version("3.5.16").kubernetes().with(change).build()), "Pod");
}

std::string cluster_text(int members, model::ServiceKind service = model::ServiceKind::ClusterIp) {
  const auto change = [&](auto& c) { std::get<model::KubernetesRuntime>(c.runtime).service = service; };
  return render_kubernetes_cluster(DesiredBuilder().members(members).kubernetes().with(change).build()).front().content;
}

TEST(KubernetesPod, DoesNotChangeWithTheBootMode) {
  const model::Desired cluster = DesiredBuilder().kubernetes().build();
  EXPECT_EQ(document(text_of(cluster, BootNew{"t"}), "Pod"), document(text_of(cluster), "Pod"));
  EXPECT_NE(document(text_of(cluster, BootNew{"t"}), "ConfigMap"), document(text_of(cluster), "ConfigMap"));
}

TEST(KubernetesPod, HasTheNameThatItsPeersLookUp) {
  const std::string pod = pod_with([](auto&) {});
  EXPECT_TRUE(has(pod, "\n  name: a\n"));
  EXPECT_TRUE(has(pod, "\n  hostname: a\n"));
  EXPECT_TRUE(has(pod, "\n  subdomain: prod\n"));
  EXPECT_TRUE(has(pod, "\n  restartPolicy: Always\n"));
}

TEST(KubernetesPod, RunsWhereTheFileSays) {
  EXPECT_FALSE(has(pod_with([](auto&) {}), "nodeSelector"));
  EXPECT_TRUE(
      has(pod_with([](auto& c) { c.members[0].node = "n1"; }), "nodeSelector:\n    kubernetes.io/hostname: n1\n"));
  EXPECT_TRUE(
      has(pod_with([](auto& c) { c.members[0].zone = "z1"; }), "nodeSelector:\n    topology.kubernetes.io/zone: z1\n"));
}

TEST(KubernetesPod, FindsItsConfigurationAtTheSamePath) {
  const std::string pod = pod_with([](auto&) {});
  EXPECT_TRUE(has(pod, "- \"--config-file=/var/lib/quorate/prod/a/etcd.yaml\"\n"));
  EXPECT_TRUE(has(pod, "mountPath: /var/lib/quorate/prod/a\n      readOnly: true\n"));
  EXPECT_TRUE(has(pod, "name: a-config\n      items:\n      - key: etcd.yaml\n        path: etcd.yaml\n"));
}

TEST(KubernetesPod, MountsCertificatesOnlyWithTls) {
  EXPECT_TRUE(has(pod_with([](auto&) {}), "secretName: prod-tls\n"));
  const model::Desired off = DesiredBuilder().tls(TlsMode::Off).kubernetes().build();
  EXPECT_FALSE(has(text_of(off), "secret"));
}

TEST(KubernetesMember, ClaimsAVolumeForDataOnDiskOnly) {
  const model::Desired disk = DesiredBuilder().kubernetes().build();
  EXPECT_TRUE(has(document(text_of(disk), "PersistentVolumeClaim"), "name: a-data\n"));
  EXPECT_FALSE(has(text_of(disk), "storageClassName"));
  for (const StorageKind kind : {StorageKind::Ephemeral, StorageKind::Memory}) {
    const std::string text = text_of(DesiredBuilder().storage(kind).kubernetes().build());
    EXPECT_TRUE(document(text, "PersistentVolumeClaim").empty());
    EXPECT_TRUE(has(text, kind == StorageKind::Memory ? "emptyDir:\n      medium: Memory\n" : "emptyDir: {}\n"));
  }
}

TEST(KubernetesMember, WritesSizesAsKubernetesReadsThem) {
  const auto sized = [](std::uint64_t bytes) {
    const auto change = [&](auto& c) { std::get<model::KubernetesRuntime>(c.runtime).storage_size.bytes = bytes; };
    return text_of(DesiredBuilder().kubernetes().with(change).build());
  };
  EXPECT_TRUE(has(sized(8ull << 30), "storage: \"8Gi\"\n"));
  EXPECT_TRUE(has(sized(1'000'000'001), "storage: \"1000000001\"\n"));
}

TEST(KubernetesMember, HasItsConfigurationAsReadableText) {
  const std::string map = document(text_of(DesiredBuilder().kubernetes().build()), "ConfigMap");
  EXPECT_TRUE(has(map, "data:\n  etcd.yaml: |\n    # written by quorate"));
  EXPECT_TRUE(has(map, "\n\n    name: a\n    data-dir: /var/lib/etcd/a\n"));
}

TEST(KubernetesMember, IsRefusedWhereKubernetesCouldNotKeepIt) {
  EXPECT_FALSE(render(DesiredBuilder().kubernetes().with([](auto& c) { c.members[0].name = "a.b"; }).build()));
  EXPECT_FALSE(render(DesiredBuilder().kubernetes().with([](auto& c) { c.members[0].wal_dir = "/wal"; }).build()));
}

TEST(KubernetesCluster, KeepsAQuorumWhenNodesAreDrained) {
  EXPECT_TRUE(has(document(cluster_text(1), "PodDisruptionBudget"), "minAvailable: 1\n"));
  EXPECT_TRUE(has(document(cluster_text(3), "PodDisruptionBudget"), "minAvailable: 2\n"));
  EXPECT_TRUE(has(document(cluster_text(5), "PodDisruptionBudget"), "minAvailable: 3\n"));
}

TEST(KubernetesCluster, NamesMembersBeforeTheyAreReady) {
  const std::string text = cluster_text(3);
  const std::string service = text.substr(0, text.find("---\n"));
  EXPECT_TRUE(has(service, "\n  name: prod\n"));
  EXPECT_TRUE(has(service, "clusterIP: None\n  publishNotReadyAddresses: true\n"));
}

TEST(KubernetesCluster, GivesClientsTheServiceTheyAskFor) {
  EXPECT_TRUE(has(cluster_text(3, model::ServiceKind::ClusterIp), "type: ClusterIP\n"));
  EXPECT_TRUE(has(cluster_text(3, model::ServiceKind::LoadBalancer), "type: LoadBalancer\n"));
  EXPECT_FALSE(has(cluster_text(3, model::ServiceKind::Headless), "type:"));
}

TEST(KubernetesObjects, AllCarryTheLabelsOfTheCluster) {
  const model::Desired cluster = DesiredBuilder()
                                     .kubernetes()
                                     .with([](auto& c) {
                                       c.labels = {{"team", "infra"}};
                                     })
                                     .build();
  const std::string text = text_of(cluster) + "---\n" + render_kubernetes_cluster(cluster).front().content;
  const auto count = [&](const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("\nkind: "), 6);
  EXPECT_EQ(count("\n    team: infra\n"), 6);
  EXPECT_EQ(count("\n    app.kubernetes.io/managed-by: quorate\n"), 6);
}

}  // namespace
}  // namespace quorate::renderers
