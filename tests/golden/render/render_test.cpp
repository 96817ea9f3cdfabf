// What each renderer makes of a cluster, byte for byte.
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "renderers/registry.h"
#include "tests/support/desired_builder.h"
#include "tests/support/golden.h"

namespace quorate::renderers {
namespace {

using model::StorageKind;
using model::TlsMode;
using support::DesiredBuilder;

const Boot kNew = BootNew{"prod-3b1f"};
const Boot kKeep = BootKeep{};

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The files of a case by name, and beside them where each belongs and who may read it.
void compare(const std::string& folder, const std::vector<File>& files) {
  std::map<std::string, std::string> texts;
  std::string list;
  for (const File& file : files) {
    texts[file_name(file.path)] = file.content;
    list += file.path + (file.mode == 0600 ? " 0600 " : " 0644 ") + (file.owner.empty() ? "root" : file.owner) + "\n";
  }
  texts["files.txt"] = list;
  support::compare_folder_with_golden("render/" + folder + "/expected", texts);
}

void compare_member(const std::string& renderer, const std::string& name, const model::Desired& cluster,
                    const Boot& boot = kKeep, std::size_t member = 0) {
  const model::Member& wanted = cluster.members[member];
  const auto files = find_renderer(renderer)->member_files(
      Input{cluster, wanted, boot, config_path("/var/lib/quorate", cluster, wanted)});
  ASSERT_TRUE(files) << files.error().message;
  compare(renderer + "/" + name, *files);
}

// ----------------------------------------------------------------------------------------------------- etcd-config
TEST(RenderEtcdConfig, OfANewCluster) {
  compare_member("etcd-config", "boot_new", DesiredBuilder().version("3.5.16").tuned().build(), kNew);
}

TEST(RenderEtcdConfig, OfAJoiningMember) {
  const Boot join = BootJoin{"b=https://10.0.0.12:2380,a=https://10.0.0.11:2380"};
  compare_member("etcd-config", "boot_join", DesiredBuilder().version("3.5.16").build(), join, 1);
}

TEST(RenderEtcdConfig, OfAMemberThatKeepsItsDirectory) {
  compare_member("etcd-config", "boot_keep", DesiredBuilder().version("3.5.16").systemd().build());
}

TEST(RenderEtcdConfig, WithServerCertificatesOnly) {
  compare_member("etcd-config", "tls_server", DesiredBuilder().version("3.5.16").tls(TlsMode::Server).build());
}

TEST(RenderEtcdConfig, WithoutTls) {
  compare_member("etcd-config", "tls_off", DesiredBuilder().version("3.5.16").tls(TlsMode::Off).build());
}

// One set of flags, of which each version renders its own.
DesiredBuilder flagged() {
  return DesiredBuilder()
      .tuned()
      .flag("pre-vote", {"true"})
      .flag("log-outputs", {"stderr", "/var/log/etcd.log"})
      .flag("grpc-keepalive-interval", {"1m30s"})
      .flag("experimental-corrupt-check-time", {"12h"})
      .flag("cors", {"https://a.example.com", "https://b.example.com"})
      .flag("socket-reuse-port", {"true"})
      .flag("peer-cert-allowed-cn", {"etcd-peer", "etcd-old"})
      .flag("max-learners", {"2"})
      .flag("feature-gates", {"CompactHashCheck=true", "LeaseCheckpoint=true"})
      .flag("log-format", {"console"});
}

TEST(RenderEtcdConfig, ForEtcd34) {
  compare_member("etcd-config", "version_3_4", flagged().version("3.4").build());
}
TEST(RenderEtcdConfig, ForEtcd35) {
  compare_member("etcd-config", "version_3_5", flagged().version("3.5.16").build());
}
TEST(RenderEtcdConfig, ForEtcd36) {
  compare_member("etcd-config", "version_3_6", flagged().version("3.6.4").build());
}
TEST(RenderEtcdConfig, ForAnyEtcd) {
  compare_member("etcd-config", "version_absent", flagged().build());
}

// ----------------------------------------------------------------------------------------------------- environment
TEST(RenderEnvironment, OfANewCluster) {
  compare_member("environment", "boot_new", flagged().version("3.6.4").build(), kNew);
}

TEST(RenderEnvironment, QuotesWhatAShellWouldTakeApart) {
  compare_member("environment", "quoting",
                 DesiredBuilder()
                     .version("3.5.16")
                     .tls(TlsMode::Off)
                     .flag("log-rotation-config-json", {R"({"maxsize": 100, "note": "$HOME `id` \\"})"})
                     .build());
}

// --------------------------------------------------------------------------------------------------------- systemd
TEST(RenderSystemd, OfAnOrdinaryMember) {
  compare_member("systemd", "ordinary", DesiredBuilder().version("3.5.16").systemd().build());
}

TEST(RenderSystemd, OfAMemberThatNeedsMoreOfItsNode) {
  compare_member("systemd", "open",
                 DesiredBuilder()
                     .version("3.5.16")
                     .systemd()
                     .flag("log-outputs", {"/var/log/etcd/a.log"})
                     .flag("experimental-memory-mlock", {"true"})
                     .with([](model::Desired& cluster) {
                       cluster.etcd.binary = "/opt/100% etcd/$new/etcd";
                       std::get<model::SystemdRuntime>(cluster.runtime).user = "";
                       model::Member& member = cluster.members[0];
                       member.data_dir = "/home/etcd data/a";
                       member.wal_dir = "/tmp/wal/a";
                       member.listen_client = {{"https", "10.0.0.11", 443}};
                     })
                     .build());
}

TEST(RenderSystemd, OfAMemberRightUnderTheRoot) {
  compare_member("systemd", "root_directory",
                 DesiredBuilder()
                     .version("3.5.16")
                     .systemd()
                     .with([](auto& cluster) { cluster.members[0].data_dir = "/etcd"; })
                     .build());
}

// ------------------------------------------------------------------------------------------------------ static-pod
TEST(RenderStaticPod, AsJsonWithDataOnDisk) {
  compare_member("static-pod", "json_disk",
                 DesiredBuilder()
                     .version("3.5.16")
                     .static_pod("/etc/kubernetes/manifests/etcd.json")
                     .with([](model::Desired& cluster) {
                       cluster.labels = {{"team", "infra"}};
                       auto& runtime = std::get<model::StaticPodRuntime>(cluster.runtime);
                       runtime.mounts = {{"/var/lib/kubelet", "/var/lib/kubelet", true}};
                       runtime.pod.labels = {{"tier", "control-plane"}};
                       runtime.pod.annotations = {{"example.com/owner", "infra"}};
                       runtime.pod.resources = {{{"cpu", "200m"}, {"memory", "512Mi"}}, {{"memory", "2Gi"}}};
                     })
                     .build());
}

TEST(RenderStaticPod, AsYamlWithEphemeralData) {
  compare_member("static-pod", "yaml_ephemeral",
                 DesiredBuilder()
                     .version("3.4.23")
                     .storage(StorageKind::Ephemeral)
                     .static_pod("/etc/kubernetes/manifests/etcd.yaml")
                     .build());
}

TEST(RenderStaticPod, AsYamlWithDataInMemory) {
  compare_member("static-pod", "yaml_memory",
                 DesiredBuilder()
                     .version("3.6")
                     .storage(StorageKind::Memory)
                     .tls(TlsMode::Off)
                     .static_pod("/etc/kubernetes/manifests/etcd.yaml")
                     .with([](auto& cluster) { cluster.members[0].data_dir = "/var/lib/it's $HOME"; })
                     .build());
}

// ------------------------------------------------------------------------------------------------------ kubernetes
model::Desired in_kubernetes() {
  return DesiredBuilder()
      .version("3.5.16")
      .kubernetes()
      .with([](model::Desired& cluster) {
        cluster.labels = {{"team", "infra"}};
        cluster.members[0].node = "node-7";
        cluster.members[0].zone = "eu-1";
        auto& runtime = std::get<model::KubernetesRuntime>(cluster.runtime);
        runtime.storage_class = "fast";
        runtime.service = model::ServiceKind::LoadBalancer;
        runtime.pod.priority_class = "high";
        runtime.pod.resources.limits = {{"memory", "2Gi"}};
      })
      .build();
}

TEST(RenderKubernetes, OfAMemberOnDisk) {
  compare_member("kubernetes", "member_disk", in_kubernetes(), kNew);
}

TEST(RenderKubernetes, OfAMemberWithEphemeralDataAndNoTls) {
  compare_member("kubernetes", "member_ephemeral",
                 DesiredBuilder().kubernetes().tls(TlsMode::Off).storage(StorageKind::Ephemeral).build());
}

TEST(RenderKubernetes, OfAMemberInMemory) {
  compare_member("kubernetes", "member_memory", DesiredBuilder().kubernetes().storage(StorageKind::Memory).build());
}

TEST(RenderKubernetes, OfTheClusterAsAWhole) {
  compare("kubernetes/cluster", render_cluster(in_kubernetes()).files);
}

}  // namespace
}  // namespace quorate::renderers
