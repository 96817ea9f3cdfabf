// Static pods: mounts at the paths of the node, probes that need no quorum, data inside the pod.
#include "renderers/static_pod/static_pod.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/desired_builder.h"

namespace quorate::renderers {
namespace {

using Json = nlohmann::ordered_json;
using model::StorageKind;
using model::TlsMode;
using support::DesiredBuilder;

constexpr const char* kManifest = "/etc/kubernetes/manifests/etcd.json";

base::Result<std::vector<File>> render(const model::Desired& cluster, const Boot& boot = BootKeep{}) {
  return render_static_pod(Input{cluster, cluster.members[0], boot, "/var/lib/quorate/prod/a/etcd.yaml"});
}

Json pod_of(const model::Desired& cluster, const Boot& boot = BootKeep{}) {
  const auto files = render(cluster, boot);
  EXPECT_TRUE(files) << files.error().message;
  return Json::parse(files->front().content);
}

template <class Change>
Json pod_with(Change change) {
  return pod_of(DesiredBuilder().version("3.5.16").static_pod(kManifest).with(change).build());
}

Json container_of(const Json& pod) {
  return pod["spec"]["containers"][0];
}

Json named(const Json& list, const std::string& name) {
  for (const Json& each : list) {
    if (each["name"] == name) return each;
  }
  return nullptr;
}

template <class Change>
base::Result<std::vector<File>> render_with_mount(model::Mount mount, Change change) {
  return render(DesiredBuilder()
                    .static_pod(kManifest)
                    .with(change)
                    .with([&](auto& cluster) { std::get<model::StaticPodRuntime>(cluster.runtime).mounts = {mount}; })
                    .build());
}

TEST(StaticPod, DoesNotChangeWithTheBootMode) {
  const model::Desired cluster = DesiredBuilder().static_pod(kManifest).build();
  EXPECT_EQ(pod_of(cluster, BootNew{"t"}), pod_of(cluster, BootKeep{}));
}

TEST(StaticPod, IsJsonOrYamlByTheEndingOfItsManifest) {
  const File json = render(DesiredBuilder().static_pod("/m/etcd.json").build()).value().front();
  EXPECT_EQ(json.path, "/m/etcd.json");
  EXPECT_EQ(json.mode, 0600);
  EXPECT_EQ(json.content.front(), '{');
  EXPECT_EQ(json.content.back(), '\n');
  EXPECT_EQ(render(DesiredBuilder().static_pod("/m/etcd.yaml").build()).value().front().content.front(), '#');
  EXPECT_EQ(render(DesiredBuilder().static_pod("/m/etcd").build()).value().front().content.front(), '#');
}

TEST(StaticPod, MountsEveryDirectoryAtItsOwnPath) {
  const Json pod = pod_with([](auto& /*cluster*/) {});
  const std::map<std::string, std::pair<std::string, bool>> expected{{"config", {"/var/lib/quorate/prod/a", true}},
                                                                     {"tls", {"/etc/quorate/pki", true}},
                                                                     {"data", {"/var/lib/etcd/a", false}}};
  EXPECT_EQ(pod["spec"]["volumes"].size(), expected.size());
  for (const auto& [name, mount] : expected) {
    EXPECT_EQ(named(pod["spec"]["volumes"], name)["hostPath"]["path"], mount.first);
    const Json entry = named(container_of(pod)["volumeMounts"], name);
    EXPECT_EQ(entry["mountPath"], mount.first);
    EXPECT_EQ(entry.value("readOnly", false), mount.second) << name;
  }
}

TEST(StaticPod, MountsEachDirectoryOfCertificatesOnce) {
  const Json pod = pod_with([](auto& cluster) { cluster.tls.peer.ca = "/etc/peer-ca/ca.crt"; });
  EXPECT_EQ(named(pod["spec"]["volumes"], "tls")["hostPath"]["path"], "/etc/peer-ca");
  EXPECT_EQ(named(pod["spec"]["volumes"], "tls-2")["hostPath"]["path"], "/etc/quorate/pki");
  EXPECT_TRUE(named(pod["spec"]["volumes"], "tls-3").is_null());
  EXPECT_TRUE(named(pod_of(DesiredBuilder().tls(TlsMode::Off).static_pod(kManifest).build())["spec"]["volumes"], "tls")
                  .is_null());
}

TEST(StaticPod, MountsWhatTheFileAddsBesides) {
  const Json pod = pod_with([](auto& cluster) {
    std::get<model::StaticPodRuntime>(cluster.runtime).mounts = {{"/srv", "/data", true}, {"/x", "/y", false}};
  });
  EXPECT_EQ(named(pod["spec"]["volumes"], "mount-1")["hostPath"]["path"], "/srv");
  EXPECT_EQ(named(container_of(pod)["volumeMounts"], "mount-1")["readOnly"], true);
  EXPECT_FALSE(named(container_of(pod)["volumeMounts"], "mount-2").contains("readOnly"));
}

TEST(StaticPod, MountsNothingTwiceAtOnePath) {
  const auto same = render_with_mount({"/etc/quorate/pki", "/etc/quorate/pki", false}, [](auto&) {});
  ASSERT_TRUE(same);
  const Json pod = Json::parse(same->front().content);
  EXPECT_EQ(container_of(pod)["volumeMounts"].size(), 3u);
  EXPECT_FALSE(named(container_of(pod)["volumeMounts"], "tls").contains("readOnly"));
}

TEST(StaticPod, RefusesAMountThatHidesItsData) {
  const auto other = render_with_mount({"/mnt/x", "/var/lib/etcd/a", false}, [](auto&) {});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "runtime.mounts puts /mnt/x at /var/lib/etcd/a, where member a has its own directory");
  EXPECT_FALSE(render_with_mount({"/var/lib/etcd/a", "/var/lib/etcd/a", false},
                                 [](auto& cluster) { cluster.storage = StorageKind::Memory; }));
}

TEST(StaticPod, MountsParentsBeforeWhatIsInsideThem) {
  const Json pod = pod_with([](auto& cluster) {
    std::get<model::StaticPodRuntime>(cluster.runtime).mounts = {{"/var/lib", "/var/lib", true}};
  });
  std::vector<std::string> paths;
  const Json container = container_of(pod);
  for (const Json& mount : container["volumeMounts"]) paths.push_back(mount["mountPath"]);
  EXPECT_TRUE(std::is_sorted(paths.begin(), paths.end()));
}

TEST(StaticPod, KeepsDataOnDiskWithoutAnInitContainer) {
  const Json pod = pod_with([](auto&) {});
  EXPECT_EQ(named(pod["spec"]["volumes"], "data")["hostPath"]["type"], "DirectoryOrCreate");
  EXPECT_FALSE(pod["spec"].contains("initContainers"));
}

TEST(StaticPod, KeepsOtherDataInsideThePodAndCanRestoreThem) {
  for (const StorageKind kind : {StorageKind::Ephemeral, StorageKind::Memory}) {
    const Json pod = pod_of(DesiredBuilder().storage(kind).static_pod(kManifest).build());
    const Json expected = kind == StorageKind::Memory ? Json{{"medium", "Memory"}} : Json::object();
    EXPECT_EQ(named(pod["spec"]["volumes"], "data")["emptyDir"], expected);
    const Json init = pod["spec"]["initContainers"];
    ASSERT_EQ(init.size(), 1u);
    EXPECT_EQ(init[0]["name"], "restore");
    EXPECT_EQ(init[0]["image"], "registry.example.com/busybox:1.36");
    EXPECT_EQ(init[0]["volumeMounts"].size(), 2u);
    EXPECT_EQ(init[0]["command"][0], "/bin/sh");
  }
}

TEST(StaticPod, RestoresByRenamingAWholeCopy) {
  const Json pod = pod_of(DesiredBuilder().storage(StorageKind::Ephemeral).static_pod(kManifest).build());
  const std::string script = pod["spec"]["initContainers"][0]["command"][2];
  EXPECT_NE(script.find("seed='/var/lib/quorate/prod/a/seed'\n"), std::string::npos);
  // Whole before it is used up, used up before it can be seen.
  const auto copy = script.find("cp -R -p \"$$seed/member\" \"$$data/.member.partial\"");
  const auto use_up = script.find("mv \"$$seed\" \"$$seed.used\"");
  EXPECT_LT(copy, script.find("sync\n"));
  EXPECT_LT(script.find("sync\n"), use_up);
  EXPECT_LT(use_up, script.find("mv \"$$data/.member.partial\" \"$$data/member\""));
  EXPECT_LT(script.find("sync\n"), script.find("mv \"$data/.member.partial\" \"$data/member\""));
}

TEST(StaticPod, QuotesPathsForTheShell) {
  EXPECT_EQ(shell_word("/a b"), "'/a b'");
  EXPECT_EQ(shell_word("it's $x"), "'it'\\''s $x'");
}

TEST(StaticPod, IsProbedWhereItsVersionAnswersWithoutAQuorum) {
  const auto path = [](const std::string& version) {
    const Json container = container_of(pod_of(DesiredBuilder().version(version).static_pod(kManifest).build()));
    EXPECT_EQ(container["startupProbe"]["httpGet"], container["livenessProbe"]["httpGet"]);
    return container["livenessProbe"]["httpGet"]["path"].get<std::string>();
  };
  EXPECT_EQ(path("3.4.28"), "/metrics");
  EXPECT_EQ(path("3.4.29"), "/livez");
  EXPECT_EQ(path("3.5.10"), "/metrics");
  EXPECT_EQ(path("3.5.11"), "/livez");
  EXPECT_EQ(path("3.5"), "/livez");
  EXPECT_EQ(path("3.6.0"), "/livez");
  EXPECT_EQ(container_of(pod_of(DesiredBuilder().static_pod(kManifest).build()))["livenessProbe"]["httpGet"]["path"],
            "/metrics");
}

TEST(StaticPod, IsNeverProbedForItsHealth) {
  for (const char* version : {"3.4.23", "3.5.16", "3.6.4"}) {
    EXPECT_EQ(pod_of(DesiredBuilder().version(version).static_pod(kManifest).build()).dump().find("/health"),
              std::string::npos);
  }
}

TEST(StaticPod, IsGivenAnHourToReplayItsLog) {
  const Json probe = container_of(pod_with([](auto&) {}))["startupProbe"];
  EXPECT_GE(probe["failureThreshold"].get<int>() * probe["periodSeconds"].get<int>(), 3600);
}

TEST(StaticPod, IsProbedAtTheAddressOfItsMetrics) {
  const auto get = [](const std::string& host) {
    return container_of(pod_with([&](auto& c) {
      c.members[0].listen_metrics = {{"http", host, 2381}};
    }))["livenessProbe"]["httpGet"];
  };
  EXPECT_EQ(get("127.0.0.1")["host"], "127.0.0.1");
  EXPECT_EQ(get("localhost")["host"], "127.0.0.1");
  EXPECT_EQ(get("10.0.0.11")["host"], "10.0.0.11");
  EXPECT_FALSE(get("0.0.0.0").contains("host"));
  EXPECT_FALSE(get("::").contains("host"));
}

TEST(StaticPod, IsProbedByTcpWithoutAMetricsListenerThatTheKubeletReaches) {
  const auto probe = [](auto change) { return container_of(pod_with(change))["livenessProbe"]; };
  const Json https = probe([](auto& c) { c.members[0].listen_metrics = {{"https", "10.0.0.11", 2381}}; });
  EXPECT_EQ(https["tcpSocket"], (Json{{"host", "10.0.0.11"}, {"port", 2379}}));
  EXPECT_FALSE(https.contains("httpGet"));
  const Json pod_network = probe([](auto& c) { std::get<model::StaticPodRuntime>(c.runtime).host_network = false; });
  EXPECT_TRUE(pod_network.contains("tcpSocket"));
}

TEST(StaticPod, KeepsItsOwnLabelsWhateverTheFileSays) {
  const Json pod = pod_with([](auto& cluster) {
    cluster.labels = {{"app.kubernetes.io/name", "x"}, {"team", "a"}, {"tier", "low"}};
    std::get<model::StaticPodRuntime>(cluster.runtime).pod.labels = {{"tier", "high"}};
  });
  EXPECT_EQ(pod["metadata"]["labels"], (Json{{"app.kubernetes.io/instance", "prod"},
                                             {"app.kubernetes.io/managed-by", "quorate"},
                                             {"app.kubernetes.io/name", "etcd"},
                                             {"team", "a"},
                                             {"tier", "high"}}));
}

}  // namespace
}  // namespace quorate::renderers
