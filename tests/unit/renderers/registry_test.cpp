// Which renderers make up a member, and what the digest of their files stands for.
#include "renderers/registry.h"

#include <set>

#include <gtest/gtest.h>

#include "renderers/etcd_config/etcd_config.h"
#include "tests/support/desired_builder.h"

namespace quorate::renderers {
namespace {

using support::DesiredBuilder;

std::vector<std::pair<std::string, model::Desired>> one_of_each_runtime() {
  return {
      {"process", DesiredBuilder().version("3.5.16").build()},
      {"systemd", DesiredBuilder().version("3.5.16").systemd().build()},
      {"static-pod json", DesiredBuilder().version("3.5.16").static_pod("/etc/kubernetes/manifests/e.json").build()},
      {"static-pod yaml", DesiredBuilder().version("3.5.16").static_pod("/etc/kubernetes/manifests/e.yaml").build()},
      {"kubernetes", DesiredBuilder().version("3.5.16").kubernetes().build()}};
}

std::vector<Boot> all_boot_modes(const model::Desired& cluster) {
  std::string all;
  for (const model::Member& member : cluster.members) {
    all += (all.empty() ? "" : ",") + member.name + "=" + base::to_string(member.peer_urls.front());
  }
  return {BootNew{"prod-1"}, BootNew{"prod-2"}, BootJoin{all}, BootKeep{}};
}

Bundle bundle_of(const model::Desired& cluster, const Boot& boot, std::size_t member = 0) {
  const model::Member& wanted = cluster.members[member];
  const auto bundle = render_member(Input{cluster, wanted, boot, config_path("/var/lib/quorate", cluster, wanted)});
  EXPECT_TRUE(bundle) << bundle.error().message;
  return *bundle;
}

bool holds_etcd_config(const File& file) {
  return file.content.find("initial-cluster-state:") != std::string::npos;
}

TEST(Bundle, HasTheSameDigestInEveryBootModeUnderEveryRuntime) {
  for (const auto& [name, cluster] : one_of_each_runtime()) {
    std::set<std::string> digests;
    std::set<std::string> contents;
    for (const Boot& boot : all_boot_modes(cluster)) {
      const Bundle bundle = bundle_of(cluster, boot);
      digests.insert(bundle.digest);
      std::string text;
      for (const File& file : bundle.files) text += file.content;
      contents.insert(text);
    }
    EXPECT_EQ(digests.size(), 1u) << name;
    EXPECT_EQ(contents.size(), 4u) << name << ": the boot mode stands nowhere";
  }
}

TEST(Bundle, KeepsTheBootModeOutOfUnitsAndPods) {
  for (const auto& [name, cluster] : one_of_each_runtime()) {
    if (name == "kubernetes") continue;  // ConfigMap and Pod share a file
    std::set<std::string> others;
    for (const Boot& boot : all_boot_modes(cluster)) {
      std::string text;
      for (const File& file : bundle_of(cluster, boot).files) text += holds_etcd_config(file) ? "" : file.content;
      others.insert(text);
    }
    EXPECT_EQ(others.size(), 1u) << name;
  }
}

TEST(Bundle, ChangesItsDigestWithAnythingElse) {
  for (const auto& [name, cluster] : one_of_each_runtime()) {
    const std::string digest = bundle_of(cluster, BootKeep{}).digest;
    model::Desired other = cluster;
    other.etcd.quota = base::parse_size("4Gi");
    EXPECT_NE(bundle_of(other, BootKeep{}).digest, digest) << name;
    other = cluster;
    other.members[0].peer_urls = {{"https", "10.0.0.99", 2380}};
    EXPECT_NE(bundle_of(other, BootKeep{}).digest, digest) << name;
    other = cluster;
    other.etcd.flags["initial-election-tick-advance"] = {"false"};
    EXPECT_NE(bundle_of(other, BootKeep{}).digest, digest) << name;
    EXPECT_NE(bundle_of(cluster, BootKeep{}, 1).digest, digest) << name;
  }
}

TEST(Bundle, IsNamedAlikeByAgentsWithStateDirectoriesOfTheirOwn) {
  const std::string usual = digest_of({{"/var/lib/quorate/prod/a/etcd.yaml", 0600, "etcd", "name: a\ndata-dir: /d\n"}});
  EXPECT_EQ(usual, digest_of({{"/srv/state/prod/a/etcd.yaml", 0600, "etcd", "name: a\ndata-dir: /d\n"}}));
  EXPECT_EQ(usual, digest_of({{"/prod/a/etcd.yaml", 0600, "etcd", "name: a\ndata-dir: /d\n"}}));
  EXPECT_NE(usual, digest_of({{"/srv/state/prod/b/etcd.yaml", 0600, "etcd", "name: a\ndata-dir: /d\n"}}));
}

TEST(Bundle, NamesPathModeOwnerAndContent) {
  const File file{"/a", 0600, "etcd", "x\n"};
  const std::string digest = digest_of({file});
  EXPECT_EQ(digest, digest_of({file}));
  EXPECT_NE(digest, digest_of({{"/b", 0600, "etcd", "x\n"}}));
  EXPECT_NE(digest, digest_of({{"/a", 0644, "etcd", "x\n"}}));
  EXPECT_NE(digest, digest_of({{"/a", 0600, "", "x\n"}}));
  EXPECT_NE(digest, digest_of({{"/a", 0600, "etcd", "y\n"}}));
  EXPECT_NE(digest_of({{"/a", 0600, "", "bc"}}), digest_of({{"/ab", 0600, "", "c"}}));
  EXPECT_NE(digest, digest_of({}));
}

TEST(Bundle, HasFilesOfTheRuntimeOnly) {
  const auto paths = [](const model::Desired& cluster) {
    std::vector<std::string> list;
    for (const File& file : bundle_of(cluster, BootKeep{}).files) list.push_back(file.path);
    return list;
  };
  using Paths = std::vector<std::string>;
  const std::string config = "/var/lib/quorate/prod/a/etcd.yaml";
  EXPECT_EQ(paths(DesiredBuilder().build()), Paths{config});
  EXPECT_EQ(paths(DesiredBuilder().systemd().build()), (Paths{config, "/etc/systemd/system/etcd.service"}));
  EXPECT_EQ(paths(DesiredBuilder().static_pod("/m/e.yaml").build()), (Paths{config, "/m/e.yaml"}));
  EXPECT_EQ(paths(DesiredBuilder().kubernetes().build()), Paths{"a.yaml"});
}

TEST(Bundle, OfABadBootIsAnError) {
  const model::Desired cluster = DesiredBuilder().build();
  const Boot boot = BootJoin{"x"};
  const auto bundle = render_member(Input{cluster, cluster.members[0], boot, "/c/etcd.yaml"});
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().kind, base::ErrorKind::Invalid);
}

TEST(ClusterBundle, HoldsWhatBelongsToNoMember) {
  EXPECT_EQ(render_cluster(DesiredBuilder().kubernetes().build()).files.size(), 1u);
  EXPECT_TRUE(render_cluster(DesiredBuilder().systemd().build()).files.empty());
}

TEST(Renderers, AreFoundByNameAndEachOnce) {
  std::set<std::string_view> names;
  for (const Renderer& renderer : all_renderers()) {
    EXPECT_TRUE(names.insert(renderer.name).second);
    EXPECT_EQ(find_renderer(renderer.name), &renderer);
    EXPECT_FALSE(renderer.summary.empty());
  }
  EXPECT_EQ(find_renderer("docker"), nullptr);
}

TEST(Renderers, OfEveryRuntimeExist) {
  for (const auto& [runtime, cluster] : one_of_each_runtime()) {
    for (const std::string_view name : renderers_of(cluster)) EXPECT_NE(find_renderer(name), nullptr) << name;
  }
}

TEST(Renderers, RefuseTheClusterOfAnotherRuntime) {
  const model::Desired cluster = DesiredBuilder().build();
  const Boot keep = BootKeep{};
  for (const char* name : {"systemd", "static-pod", "kubernetes"}) {
    const auto files = find_renderer(name)->member_files(Input{cluster, cluster.members[0], keep, "/c/etcd.yaml"});
    ASSERT_FALSE(files) << name;
    EXPECT_EQ(files.error().kind, base::ErrorKind::Invalid);
  }
  EXPECT_TRUE(find_renderer("kubernetes")->cluster_files(cluster).empty());
}

TEST(ConfigPath, StandsBelowTheStateDirectory) {
  const model::Desired cluster = DesiredBuilder().build();
  EXPECT_EQ(config_path("/var/lib/quorate", cluster, cluster.members[1]), "/var/lib/quorate/prod/b/etcd.yaml");
  EXPECT_EQ(config_path("/var/lib/quorate/", cluster, cluster.members[1]), "/var/lib/quorate/prod/b/etcd.yaml");
}

TEST(Digest, IsNotBlindToLabelsThatAreNamedLikeBootKeys) {
  const auto digest = [](const std::string& value) {
    auto cluster = DesiredBuilder().static_pod("/m/etcd.yaml").build();
    std::get<model::StaticPodRuntime>(cluster.runtime).pod.annotations["initial-cluster"] = value;
    const Boot keep = BootKeep{};
    return render_member({cluster, cluster.members[0], keep, "/var/lib/quorate/prod/a/etcd.yaml"})->digest;
  };
  EXPECT_NE(digest("v1"), digest("v2"));
  EXPECT_EQ(
      objects_without_boot_mode("    initial-cluster: label\ndata:\n  etcd.yaml: |\n    a: 1\n    initial-cluster: "
                                "x\n---\n    initial-cluster: y\n"),
      "    initial-cluster: label\ndata:\n  etcd.yaml: |\n    a: 1\n---\n    initial-cluster: y\n");
}

TEST(WithoutBootMode, LeavesOutThreeKeysAndNothingElse) {
  EXPECT_EQ(without_boot_mode("a: 1\ninitial-cluster: x\n  initial-cluster-state: n\ninitial-cluster-token: t\nb: 2"),
            "a: 1\n  initial-cluster-state: n\nb: 2");
  const std::string kept =
      "initial-advertise-peer-urls: x\ninitial-election-tick-advance: true\n# initial-cluster: x\n\n";
  EXPECT_EQ(without_boot_mode(kept), kept);
  EXPECT_EQ(without_boot_mode(""), "");
}

}  // namespace
}  // namespace quorate::renderers
