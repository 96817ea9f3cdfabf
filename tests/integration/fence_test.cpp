// Real etcd behind a fence: who gets in and who does not, in every mode of TLS, and that it opens without a trace.
#include "renderers/etcd_config/fence.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/adapters/system/notary.h"
#include "tests/integration/certificates.h"
#include "tests/integration/etcd_process.h"
#include "tests/integration/rendered_cluster.h"

namespace quorate::integration {
namespace {

constexpr base::Duration kWithin{3000};

// A cluster of one, and an agent that has a pass through its fence.
class Fence : public testing::TestWithParam<std::string> {
 protected:
  Fence() {
    const std::string authority = notary_->new_authority("fence").value();
    const std::string key = notary_->new_key().value();
    write_file(files_.ca, notary_->certificate_of(authority).value());
    write_file(files_.key, key);
    write_file(files_.pass, notary_->sign(authority, notary_->public_key(key).value(), "a").value());
  }

  RenderedCluster cluster(const std::string& tls) const {
    std::string text = local_cluster(GetParam(), 1, folder_);
    const std::string off = "tls: {mode: \"off\"}\n";
    text.erase(text.find(off), off.size());
    return {text + "tls: {mode: \"" + tls + "\", dir: " + folder_ / "pki" + "}\n", folder_ / "state"};
  }

  void start(const RenderedCluster& cluster, bool fenced) {
    etcd_.reset();
    const std::string path = cluster.write("etcd-config", cluster.members().front(), renderers::BootNew{"fenced"});
    const std::string open = read_file(path);
    if (fenced) write_file(path, renderers::with_fence(open, files_));
    etcd_ = std::make_unique<EtcdProcess>(etcd_with_config_file(GetParam(), path));
    ASSERT_TRUE(etcd_->wait_for_line(
        [](const std::string& line) { return line.find("serving client traffic") != std::string::npos; }, Seconds(30)))
        << etcd_->log();
  }

  etcd_grpc::Access ordinary(const std::string& tls) const {
    etcd_grpc::Access access;
    if (tls != "off") access.ca = folder_ / "pki/ca.crt";
    if (tls == "mutual") {
      access.cert = folder_ / "pki/etcd.crt";
      access.key = folder_ / "pki/etcd.key";
    }
    return access;
  }

  TempDir folder_;
  renderers::FenceFiles files_{folder_ / "fence/ca.pem", folder_ / "fence/pass.pem", folder_ / "fence/key.pem"};
  std::unique_ptr<ports::Notary> notary_ = adapters::system::make_notary();
  std::unique_ptr<EtcdProcess> etcd_;
};

void expect_only_agents(const Fence& /*of*/, ports::EtcdAdmin& client, ports::EtcdAdmin& agent,
                        const std::string& endpoint) {
  EXPECT_FALSE(client.put(endpoint, "k", "client", kWithin));
  EXPECT_FALSE(client.status(endpoint, kWithin));
  EXPECT_TRUE(agent.put(endpoint, "k", "agent", kWithin));
}

TEST_P(Fence, D04_LetsInAgentsAloneAndThenEverybodyInEveryModeOfTls) {
  const Authority authority(folder_ / "pki", "ca");
  authority.issue(folder_ / "pki/etcd.crt", folder_ / "pki/etcd.key", {own_address(1), "127.0.0.1"});
  for (const std::string tls : {"off", "server", "mutual"}) {
    const RenderedCluster one = cluster(tls);
    const std::string endpoint = base::to_string(one.members().front().client_urls.front());
    auto client = etcd_grpc::connect(ordinary(tls)).value();
    etcd_grpc::Access with_pass = ordinary(tls);
    with_pass.fences = {folder_ / "nobody's", folder_ / "fence"};
    auto agent = etcd_grpc::connect(with_pass).value();

    start(one, true);
    expect_only_agents(*this, *client, *agent, endpoint);
    start(one, false);
    EXPECT_TRUE(client->put(endpoint, "k", "client", kWithin)) << tls;
    EXPECT_TRUE(agent->put(endpoint, "k", "agent", kWithin)) << tls << ": one who has a pass and needs none";
    start(one, true);
    expect_only_agents(*this, *client, *agent, endpoint);
    etcd_.reset();
    std::filesystem::remove_all(one.members().front().data_dir);
  }
}

// One who has some other certificate, or who looks away from whose it is that the server shows.
TEST_P(Fence, ThePassOfAnotherDecisionIsNone) {
  const RenderedCluster one = cluster("off");
  start(one, true);
  const std::string endpoint = base::to_string(one.members().front().client_urls.front());
  const std::string stranger = notary_->new_authority("fence").value();
  const std::string key = notary_->new_key().value();
  write_file(folder_ / "old/key.pem", key);
  write_file(folder_ / "old/ca.pem", read_file(files_.ca));
  write_file(folder_ / "old/pass.pem", notary_->sign(stranger, notary_->public_key(key).value(), "a").value());
  etcd_grpc::Access access;
  access.fences = {folder_ / "old"};
  EXPECT_FALSE(etcd_grpc::connect(access).value()->put(endpoint, "k", "v", kWithin));
  base::Url url = one.members().front().client_urls.front();
  url.scheme = "https";
  const Etcdctl careless{
      GetParam(), base::to_string(url), {"--insecure-skip-tls-verify", "--insecure-transport=false"}};
  EXPECT_NE(careless({"put", "k", "v", "--dial-timeout=1s", "--command-timeout=1s"}).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(OnReal, Fence, testing::ValuesIn(kEtcdReleases), name_of_release);

}  // namespace
}  // namespace quorate::integration
