// Manifests for the kubelet: every field is one that Kubernetes knows, and the restore inside the pod does what it
// says.
#include <filesystem>
#include <ostream>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/kubectl.h"
#include "tests/integration/rendered_cluster.h"

namespace quorate::integration {
namespace {

const std::string kImage = "registry.example.com/etcd:v3.5.16";
const std::vector<std::string> kNothing;

struct Case {
  std::string name;
  std::string blocks;  // of the desired file, after name and members

  friend std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }
};

const std::vector<Case> kCases = {
    {"Smallest", "runtime: {type: static-pod, manifest: /etc/kubernetes/manifests/etcd.yaml}\n"},
    {"JsonManifest", "runtime: {type: static-pod, manifest: /etc/kubernetes/manifests/etcd.json}\n"},
    {"OfTheOnPremExample", R"(
network: {ports: {client: 52379, peer: 52380, metrics: 52381}, listen: {client: [node, loopback], peer: [node]}}
tls: {mode: mutual, dir: /var/lib/kubelet, cert: etcd.pem, key: etcd-key.pem, ca: ca.pem}
storage: {kind: ephemeral}
labels: {team: infra}
runtime:
  type: static-pod
  manifest: /var/lib/kubelet/manifests/podspec.json
  namespace: kube-system
  priorityClass: system-node-critical
  initImage: registry.example.com/tools:1
  podLabels: {tier: control-plane}
  podAnnotations: {example.com/note: 'yes: "quoted"'}
  resources: {requests: {cpu: 200m, memory: 512Mi}, limits: {memory: 2Gi}}
  mounts:
    - {host: /var/lib/kubelet/extra, container: /extra, readOnly: true}
)"},
    {"InMemoryInANetworkOfItsOwn", R"(
storage: {kind: memory, dir: /run/etcd}
runtime:
  type: static-pod
  manifest: /etc/kubernetes/manifests/etcd.yaml
  hostNetwork: false
  initImage: registry.example.com/tools:1
)"},
};

class StaticPod : public testing::TestWithParam<Case> {
 protected:
  std::string yaml() const {
    return "apiVersion: quorate/v1\nname: lab\nmembers: {a: 10.0.0.1, b: 10.0.0.2, c: 10.0.0.3}\n"
           "etcd: {version: \"3.5.16\", image: \"" +
           kImage + "\"}\n" + GetParam().blocks;
  }
};

TEST_P(StaticPod, HasNoFieldThatKubernetesDoesNotKnow) {
  const TempDir folder;
  const RenderedCluster cluster(yaml(), folder / "state");
  const auto files = cluster.render("static-pod", cluster.member("a"), renderers::BootKeep{});
  ASSERT_EQ(files.size(), 1u);
  const Kubectl kubectl;
  const std::vector<Json> objects = kubectl.read(files.front().content);
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects.front()["spec"]["containers"][0]["image"], kImage);
  EXPECT_EQ(lost(objects.front(), kubectl.through_types(objects.front())), kNothing);
}

TEST_P(StaticPod, StartsEtcdOnTheConfigurationFileThatItMounts) {
  const TempDir folder;
  const RenderedCluster cluster(yaml(), folder / "state");
  const model::Member& a = cluster.member("a");
  const auto files = cluster.render("static-pod", a, renderers::BootKeep{});
  const auto config = cluster.render("etcd-config", a, renderers::BootKeep{});
  const Json pod = Kubectl().read(files.front().content).front();
  const Json& container = pod["spec"]["containers"][0];
  EXPECT_EQ(container["command"], Json::array({"etcd", "--config-file=" + config.front().path}));
  const std::string directory = std::filesystem::path(config.front().path).parent_path();
  bool mounted = false;
  for (const Json& mount : container["volumeMounts"]) mounted = mounted || mount["mountPath"] == directory;
  EXPECT_TRUE(mounted) << container["volumeMounts"];
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Rendered, StaticPod, testing::ValuesIn(kCases), name_of_case);

// The judge itself: without this a kubectl that keeps everything would let everything pass.
TEST(StaticPodTypes, SeeAFieldThatKubernetesDoesNotKnow) {
  const Json pod = Json::parse(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {
      "hostnetwork": true, "containers": [{"name": "etcd", "image": "etcd", "livenessprobe": {}}]}})");
  EXPECT_EQ(lost(pod, Kubectl().through_types(pod)),
            (std::vector<std::string>{".spec.containers[0].livenessprobe", ".spec.hostnetwork"}));
}

// The script of the init container, run by a real shell on the real paths (which lie in a folder of the test).
class RestoreInThePod : public testing::Test {
 protected:
  RestoreInThePod()
      : cluster_(
            "apiVersion: quorate/v1\nname: lab\nmembers: {a: 10.0.0.1}\ntls: {mode: \"off\"}\n"
            "etcd: {version: \"3.5.16\"}\nstorage: {kind: ephemeral, dir: \"" +
                folder_ / "it's data" + "\"}\nruntime: {type: static-pod, manifest: " + folder_ / "pod.yaml" +
                ", initImage: \"tools:1\"}\n",
            folder_ / "state"),
        data_(cluster_.member("a").data_dir) {
    const auto config = cluster_.render("etcd-config", cluster_.member("a"), renderers::BootKeep{});
    seed_ = std::filesystem::path(config.front().path).parent_path() / "seed/member";
    std::filesystem::create_directories(data_);
  }

  Ended restore() const {
    const auto files = cluster_.render("static-pod", cluster_.member("a"), renderers::BootKeep{});
    const Json pod = Kubectl().read(files.front().content).front();
    auto command = pod["spec"]["initContainers"][0]["command"].get<std::vector<std::string>>();
    // What a kubelet makes of the words: $$ is a dollar sign.
    for (std::string& word : command) word = std::regex_replace(word, std::regex("\\$\\$"), "$$");
    return run({command, {}});
  }

  TempDir folder_;
  RenderedCluster cluster_;
  std::string data_;
  std::string seed_;
};

TEST_F(RestoreInThePod, BringsTheSeedIntoAnEmptyPod) {
  write_file(seed_ + "/snap/db", "restored");
  const Ended ended = restore();
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(read_file(data_ + "/member/snap/db"), "restored");
}

TEST_F(RestoreInThePod, UsesTheSeedUpSoThatNoSecondPodGetsIt) {
  write_file(seed_ + "/snap/db", "restored");
  ASSERT_EQ(restore().exit_code, 0);
  std::filesystem::remove_all(data_ + "/member");
  ASSERT_EQ(restore().exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(data_));
}

TEST_F(RestoreInThePod, F17_LeavesDataAloneThatAreThere) {
  write_file(seed_ + "/snap/db", "restored");
  write_file(data_ + "/member/snap/db", "newer");
  const Ended ended = restore();
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(read_file(data_ + "/member/snap/db"), "newer");
}

TEST_F(RestoreInThePod, TakesNoTornCopyForData) {
  write_file(seed_ + "/snap/db", "restored");
  write_file(data_ + "/.member.partial/snap/torn", "half");
  const Ended ended = restore();
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(read_file(data_ + "/member/snap/db"), "restored");
  EXPECT_FALSE(std::filesystem::exists(data_ + "/member/snap/torn"));
}

TEST_F(RestoreInThePod, DoesNothingWithoutASeed) {
  const Ended ended = restore();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_TRUE(std::filesystem::is_empty(data_));
}

}  // namespace
}  // namespace quorate::integration
