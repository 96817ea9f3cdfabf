// Rendered TLS settings with certificates made by openssl: who gets in, and who does not.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/certificates.h"
#include "tests/integration/etcd_process.h"
#include "tests/integration/rendered_cluster.h"

namespace quorate::integration {
namespace {

class Tls : public testing::TestWithParam<std::string> {
 protected:
  std::string release() const { return GetParam(); }

  // A cluster with certificates under pki/; `block` is the desired file's tls block.
  std::string yaml(int members, const std::string& block) const {
    std::string text = local_cluster(release(), members, folder_);
    const std::string off = "tls: {mode: \"off\"}\n";
    text.erase(text.find(off), off.size());
    return text + "tls:\n  dir: " + folder_ / "pki" + "\n" + block;
  }

  // One pair for all members, good at every own address; and at the one from which members dial each other here, since
  // etcd looks at that, too.
  void issue(const Authority& authority, const std::string& name) const {
    authority.issue(folder_ / ("pki/" + name + ".crt"), folder_ / ("pki/" + name + ".key"),
                    {own_address(1), own_address(2), own_address(3), "127.0.0.1"});
  }

  std::vector<std::unique_ptr<EtcdProcess>> start(const RenderedCluster& cluster) const {
    std::vector<std::unique_ptr<EtcdProcess>> running;
    for (const model::Member& member : cluster.members()) {
      running.push_back(std::make_unique<EtcdProcess>(
          etcd_with_config_file(release(), cluster.write("etcd-config", member, renderers::BootNew{"lab-tls"}))));
    }
    return running;
  }

  Etcdctl client(const model::Member& member, const std::string& authority, const std::string& pair = {}) const {
    std::vector<std::string> options = {"--cacert=" + folder_ / ("pki/" + authority + ".crt")};
    if (!pair.empty()) {
      options.push_back("--cert=" + folder_ / ("pki/" + pair + ".crt"));
      options.push_back("--key=" + folder_ / ("pki/" + pair + ".key"));
    }
    return {release(), base::to_string(member.client_urls.front()), options};
  }

  // The client is turned away, and etcd says that it was for this reason.
  static void expect_refusal(EtcdProcess& etcd, const Etcdctl& client, const std::string& reason) {
    EXPECT_NE(client({"get", "key", "--dial-timeout=1s", "--command-timeout=1s"}).exit_code, 0);
    const auto says = [&](const std::string& line) {
      return line.find("rejected connection") != std::string::npos && line.find(reason) != std::string::npos;
    };
    EXPECT_TRUE(etcd.wait_for_line(says, Seconds(10))) << "not refused because of: " << reason << "\n" << etcd.log();
  }

  TempDir folder_;
};

TEST_P(Tls, H03_MutualLetsInOnlyClientsWithACertificate) {
  const Authority authority(folder_ / "pki", "ca");
  issue(authority, "etcd");
  const RenderedCluster cluster(yaml(1, "  mode: mutual\n"), folder_ / "state");
  const model::Member& a = cluster.members().front();
  ASSERT_EQ(a.client_urls.front().scheme, "https");
  const auto running = start(cluster);
  ASSERT_TRUE(running.front()->wait_until_ready()) << running.front()->log();

  EXPECT_EQ(client(a, "ca", "etcd")({"put", "key", "value"}).exit_code, 0);
  EXPECT_EQ(client(a, "ca", "etcd").get("key"), "value");
  expect_refusal(*running.front(), client(a, "ca"), "client didn't provide a certificate");

  const Authority stranger(folder_ / "pki", "stranger");
  issue(stranger, "foreign");
  expect_refusal(*running.front(), client(a, "ca", "foreign"), "unknown authority");
}

TEST_P(Tls, H02_ServerLetsInClientsWithoutACertificateOverHttpsOnly) {
  const Authority authority(folder_ / "pki", "ca");
  issue(authority, "etcd");
  const RenderedCluster cluster(yaml(1, "  mode: server\n"), folder_ / "state");
  const model::Member& a = cluster.members().front();
  const auto running = start(cluster);
  ASSERT_TRUE(running.front()->wait_until_ready()) << running.front()->log();

  EXPECT_EQ(client(a, "ca")({"put", "key", "value"}).exit_code, 0);
  EXPECT_EQ(client(a, "ca").get("key"), "value");
  base::Url plain = a.client_urls.front();
  plain.scheme = "http";
  expect_refusal(*running.front(), {release(), base::to_string(plain), {}}, "does not look like a TLS handshake");
}

TEST_P(Tls, H04_MembersShowEachOtherTheirOwnCertificates) {
  const Authority clients(folder_ / "pki", "ca");
  const Authority peers(folder_ / "pki", "peer-ca");
  issue(clients, "etcd");
  issue(peers, "peer");
  const RenderedCluster cluster(yaml(3, "  mode: mutual\n  peer: {cert: peer.crt, key: peer.key, ca: peer-ca.crt}\n"),
                                folder_ / "state");
  const auto running = start(cluster);
  for (const auto& etcd : running) ASSERT_TRUE(etcd->wait_until_ready()) << etcd->log();
  const auto& members = cluster.members();
  EXPECT_EQ(client(members[0], "ca", "etcd")({"put", "key", "value"}).exit_code, 0);
  for (const model::Member& member : members) EXPECT_EQ(client(member, "ca", "etcd").get("key"), "value");
}

// In mode server members still have to show a certificate to each other: one of a stranger never joins.
TEST_P(Tls, H04_ServerModeKeepsStrangersOutOfThePeerPort) {
  const Authority authority(folder_ / "pki", "ca");
  issue(authority, "etcd");
  const RenderedCluster cluster(yaml(1, "  mode: server\n"), folder_ / "state");
  const model::Member& a = cluster.members().front();
  const auto running = start(cluster);
  ASSERT_TRUE(running.front()->wait_until_ready()) << running.front()->log();

  const Authority stranger(folder_ / "pki", "stranger");
  issue(stranger, "foreign");
  const auto handshake = [&](const std::string& pair) {
    const std::string pki = folder_ / "pki/";
    return run(
        {{"openssl", "s_client", "-connect", a.address + ":" + std::to_string(a.peer_urls.front().port), "-tls1_2",
          "-verify_return_error", "-CAfile", pki + "ca.crt", "-cert", pki + pair + ".crt", "-key", pki + pair + ".key"},
         {}});
  };
  EXPECT_EQ(handshake("etcd").exit_code, 0);
  EXPECT_NE(handshake("foreign").exit_code, 0) << "a stranger's certificate got into the peer port";
}

INSTANTIATE_TEST_SUITE_P(OnReal, Tls, testing::ValuesIn(kEtcdReleases), name_of_release);

}  // namespace
}  // namespace quorate::integration
