// What a file means: defaults, short forms, derived values.
#include <gmock/gmock.h>

#include "tests/support/desired_text.h"

namespace quorate::validate {
namespace {

using support::desired_of;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kHead = "apiVersion: quorate/v1\nname: prod\n";
constexpr const char* kThree = "members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}\n";

std::vector<std::string> texts(const std::vector<base::Url>& urls) {
  std::vector<std::string> result;
  for (const auto& url : urls) result.push_back(base::to_string(url));
  return result;
}

}  // namespace

TEST(Bind, ThreeLinesMeanThreeVotersWithMutualTls) {
  const auto desired = desired_of(std::string(kHead) + kThree);
  ASSERT_EQ(desired.members.size(), 3U);
  const auto& member = desired.members[0];
  EXPECT_EQ(member.name, "etcd-a");
  EXPECT_EQ(member.node, "etcd-a");
  EXPECT_THAT(texts(member.peer_urls), ElementsAre("https://10.0.0.11:2380"));
  EXPECT_THAT(texts(member.client_urls), ElementsAre("https://10.0.0.11:2379"));
  EXPECT_THAT(texts(member.listen_client), ElementsAre("https://10.0.0.11:2379", "https://127.0.0.1:2379"));
  EXPECT_THAT(texts(member.listen_peer), ElementsAre("https://10.0.0.11:2380"));
  EXPECT_THAT(member.listen_metrics, IsEmpty());
  EXPECT_EQ(member.data_dir, "/var/lib/etcd/etcd-a");
  EXPECT_EQ(member.wal_dir, "");
  EXPECT_EQ(desired.tls.mode, model::TlsMode::Mutual);
  EXPECT_EQ(desired.tls.peer.cert, "/etc/quorate/pki/etcd.crt");
  EXPECT_EQ(desired.tls.client.ca, "/etc/quorate/pki/ca.crt");
  EXPECT_EQ(desired.etcd.token, "prod");
  EXPECT_TRUE(std::holds_alternative<model::ProcessRuntime>(desired.runtime));
}

TEST(Bind, TheOrderOfMembersMeansNothing) {
  const auto desired = desired_of(std::string(kHead) + "members: {b: 10.0.0.2, c: 10.0.0.3, a: 10.0.0.1}\n");
  EXPECT_EQ(desired.members[0].name, "a");
  EXPECT_EQ(desired.members[2].name, "c");
}

TEST(Bind, AMemberOnLoopbackListensThereOnce) {
  const auto desired = desired_of(std::string(kHead) + "members: {a: 127.0.0.11}\ntls: {mode: \"off\"}\n");
  EXPECT_THAT(texts(desired.members[0].listen_client), ElementsAre("http://127.0.0.11:2379"));
}

TEST(Bind, RelativeDirectoriesStartWhereTheFileStands) {
  const auto desired = desired_of(
      std::string(kHead) + kThree + "storage: {dir: .quorate/data}\ntls: {dir: pki, cert: a, key: b, ca: /c}\n",
      "/home/me/etcd");
  EXPECT_EQ(desired.members[0].data_dir, "/home/me/etcd/.quorate/data/etcd-a");
  EXPECT_EQ(desired.tls.client.cert, "/home/me/etcd/pki/a");
  EXPECT_EQ(desired.tls.client.ca, "/c");
}

TEST(Bind, AMembersOwnDirectoryIsTheExactOne) {
  const auto desired =
      desired_of(std::string(kHead) + "members: {a: {address: 10.0.0.1, storage: {dir: /mnt/etcd/, wal: /mnt/wal}}}\n");
  EXPECT_EQ(desired.members[0].data_dir, "/mnt/etcd");
  EXPECT_EQ(desired.members[0].wal_dir, "/mnt/wal");
}

TEST(Bind, OwnUrlsGiveThePortsToListenOn) {
  const auto desired = desired_of(std::string(kHead) +
                                  "members:\n  a: {address: 10.0.0.1, peerURLs: [\"https://10.0.0.1:1380\"], "
                                  "clientURLs: [\"https://10.0.0.1:1379\"]}\n");
  EXPECT_THAT(texts(desired.members[0].listen_peer), ElementsAre("https://10.0.0.1:1380"));
  EXPECT_THAT(texts(desired.members[0].listen_client), ElementsAre("https://10.0.0.1:1379", "https://127.0.0.1:1379"));
}

TEST(Bind, AMemberWithADnsNameListensEverywhere) {
  const auto desired = desired_of(std::string(kHead) + "members: {a: etcd-a.example.com}\n");
  EXPECT_THAT(texts(desired.members[0].listen_peer), ElementsAre("https://0.0.0.0:2380"));
  EXPECT_THAT(texts(desired.members[0].peer_urls), ElementsAre("https://etcd-a.example.com:2380"));
}

TEST(Bind, SizeMakesThePodsOfTheHeadlessService) {
  const auto desired = desired_of(
      "apiVersion: quorate/v1\nname: events\nsize: 3\netcd: {version: \"3.5.21\"}\n"
      "runtime: {type: kubernetes, namespace: etcd}\n");
  ASSERT_EQ(desired.members.size(), 3U);
  EXPECT_EQ(desired.members[2].name, "events-2");
  EXPECT_EQ(desired.members[2].address, "events-2.events.etcd.svc");
  EXPECT_THAT(texts(desired.members[0].listen_metrics), ElementsAre("http://0.0.0.0:2381"));
  EXPECT_EQ(desired.etcd.image, "quay.io/coreos/etcd:v3.5.21");
  EXPECT_EQ(std::get<model::KubernetesRuntime>(desired.runtime).tls_secret, "events-tls");
}

TEST(Bind, AnImageWithATagIsLeftAlone) {
  const auto desired = desired_of(std::string(kHead) + kThree +
                                  "etcd: {version: \"3.5.21\", image: \"registry.example.com:5000/etcd:3.5.21-0\"}\n"
                                  "runtime: {type: static-pod}\n");
  EXPECT_EQ(desired.etcd.image, "registry.example.com:5000/etcd:3.5.21-0");
  EXPECT_THAT(texts(desired.members[0].listen_metrics), ElementsAre("http://127.0.0.1:2381"));
}

TEST(Bind, PeerAndClientFilesFallBackToTheCommonOnes) {
  const auto desired =
      desired_of(std::string(kHead) + kThree + "tls: {dir: /pki, cert: c, key: k, ca: a, peer: {cert: pc, key: pk}}\n");
  EXPECT_EQ(desired.tls.peer.cert, "/pki/pc");
  EXPECT_EQ(desired.tls.peer.ca, "/pki/a");
  EXPECT_EQ(desired.tls.client.cert, "/pki/c");
}

TEST(Bind, AgentsShowWhatMembersShowEachOtherOrTheirOwn) {
  const auto agent_of = [](const std::string& tls) {
    return desired_of(std::string(kHead) + "members: {a: 127.0.0.11, b: 127.0.0.12, c: 127.0.0.13}\ntls: " + tls + "\n")
        .tls.agent;
  };
  EXPECT_EQ(agent_of("{dir: /pki, peer: {cert: pc, key: pk}}").cert, "/pki/pc");
  EXPECT_EQ(agent_of("{dir: /pki}").ca, "/pki/ca.crt");
  const auto own = agent_of("{dir: /pki, agent: {cert: ac, key: /k/ak}}");
  EXPECT_EQ(own.cert, "/pki/ac");
  EXPECT_EQ(own.key, "/k/ak");
  EXPECT_EQ(own.ca, "/pki/ca.crt");
  EXPECT_EQ(agent_of("{dir: /pki, agent: {ca: aa}}").cert, "/pki/etcd.crt");
  EXPECT_EQ(agent_of("{dir: /pki, agent: {ca: aa}}").ca, "/pki/aa");
  EXPECT_EQ(agent_of("{mode: server}").cert, "");
  EXPECT_EQ(agent_of("{mode: server}").ca, "");
  EXPECT_EQ(agent_of("{mode: server, dir: /pki, agent: {cert: c, key: k}}").ca, "/pki/ca.crt");
  EXPECT_EQ(agent_of("{mode: \"off\"}").cert, "");
  EXPECT_EQ(agent_of("{mode: \"off\", dir: /pki, agent: {cert: c, key: k, ca: /a}}").key, "/pki/k");
}

TEST(Bind, AgentsOnOneAddressAreAsFarApartAsTheirMembers) {
  const auto desired = desired_of(std::string(kHead) +
                                  "members:\n"
                                  "  a: {address: 10.0.0.1, peerURLs: [\"https://10.0.0.1:2380\"], clientURLs: "
                                  "[\"https://10.0.0.1:2379\"]}\n"
                                  "  b: {address: 10.0.0.1, peerURLs: [\"https://10.0.0.1:3380\"], clientURLs: "
                                  "[\"https://10.0.0.1:3379\"]}\n"
                                  "  c: {address: 10.0.0.3, peerURLs: [\"https://10.0.0.3:9380\"]}\n"
                                  "  d: {address: 10.0.0.4, agentPort: 7999}\n"
                                  "  e: 10.0.0.5\n");
  EXPECT_EQ(desired.members[0].agent_port, 7381);
  EXPECT_EQ(desired.members[1].agent_port, 8381);
  EXPECT_EQ(desired.members[2].agent_port, 7381);
  EXPECT_EQ(desired.members[3].agent_port, 7999);
  EXPECT_EQ(desired_of(std::string(kHead) + kThree + "network: {ports: {agent: 7000}}\n").members[2].agent_port, 7000);
}

TEST(Bind, CompactionKeepsATimeOrANumber) {
  const auto periodic = desired_of(std::string(kHead) + kThree + "etcd: {autoCompaction: {retention: 8h}}\n");
  EXPECT_EQ(periodic.etcd.auto_compaction->period, std::chrono::hours(8));
  const auto revision =
      desired_of(std::string(kHead) + kThree + "etcd: {autoCompaction: {mode: revision, retention: \"10000\"}}\n");
  EXPECT_EQ(revision.etcd.auto_compaction->revisions, 10000);
}

TEST(Bind, ErrorsLeaveNoDesired) {
  const auto loaded = load::load(model::Source("f", std::string(kHead) + "members: {a: 10.0.0.1}\nx: 1\n", "/"));
  const auto validated = validate(*loaded.spec);
  EXPECT_FALSE(validated.desired);
}

}  // namespace quorate::validate
