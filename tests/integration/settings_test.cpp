// Every setting that is rendered arrives: etcd itself says so in the first line of its log.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/etcd_process.h"
#include "tests/integration/rendered_cluster.h"

namespace quorate::integration {
namespace {

const std::string kTuning = R"(
  quota: 3Gi
  heartbeat: 150ms
  election: 1500ms
  snapshotCount: 12345
  autoCompaction: {mode: periodic, retention: 90m}
  flags:
    max-request-bytes: 2097152
    pre-vote: true
    max-wals: 7
)";

// The rendering, and the release that reads it.
class Settings : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::string renderer() const { return std::get<0>(GetParam()); }
  std::string release() const { return std::get<1>(GetParam()); }

  // A cluster of one whose block `etcd` goes on with these lines.
  std::string yaml(const std::string& etcd) const {
    std::string text = local_cluster(release(), 1, folder_);
    const std::string block = "etcd: {version: \"" + release() + "\"}\n";
    text.erase(text.find(block), block.size());
    return text + "etcd:\n  version: \"" + release() + "\"" + etcd;
  }

  Command command(const RenderedCluster& cluster) const {
    const std::string path = cluster.write(renderer(), cluster.members().front(), renderers::BootNew{"lab-settings"});
    return renderer() == "environment" ? etcd_with_environment_file(release(), path)
                                       : etcd_with_config_file(release(), path);
  }

  Json settings_of(const RenderedCluster& cluster) {
    EtcdProcess etcd(command(cluster));
    const bool ready = etcd.wait_until_ready();
    log_ = etcd.log();
    EXPECT_TRUE(ready) << log_;
    return etcd.settings();
  }

  TempDir folder_;
  std::string log_;
};

TEST_P(Settings, AllOfThemArriveAtEtcd) {
  const RenderedCluster cluster(yaml(kTuning), folder_ / "state");
  const model::Member& a = cluster.members().front();
  const Json said = settings_of(cluster);
  ASSERT_TRUE(said.is_object()) << log_;

  EXPECT_EQ(said["name"], "a");
  EXPECT_EQ(said["data-dir"], a.data_dir);
  EXPECT_EQ(said["quota-backend-bytes"], 3ll << 30);
  EXPECT_EQ(said["heartbeat-interval"], "150ms");
  EXPECT_EQ(said["election-timeout"], "1.5s");
  EXPECT_EQ(said["snapshot-count"], 12345);
  EXPECT_EQ(said["auto-compaction-mode"], "periodic");
  EXPECT_EQ(said["auto-compaction-retention"], "1h30m0s");
  EXPECT_EQ(said["max-request-bytes"], 2097152);
  EXPECT_EQ(said["pre-vote"], true);
  EXPECT_EQ(said["max-wals"], 7);
  EXPECT_EQ(said["initial-cluster"], "a=" + base::to_string(a.peer_urls.front()));
  EXPECT_EQ(said["initial-cluster-state"], "new");
  EXPECT_EQ(said["initial-cluster-token"], "lab-settings");
  EXPECT_EQ(said["listen-peer-urls"], Json::array({base::to_string(a.listen_peer.front())}));
  EXPECT_EQ(said["listen-client-urls"], Json::array({base::to_string(a.listen_client.front())}));
  EXPECT_EQ(said["initial-advertise-peer-urls"], Json::array({base::to_string(a.peer_urls.front())}));
  EXPECT_EQ(said["advertise-client-urls"], Json::array({base::to_string(a.client_urls.front())}));
}

TEST_P(Settings, CompactionByRevisionArrivesAsANumber) {
  const RenderedCluster cluster(yaml("\n  autoCompaction: {mode: revision, retention: 5000}\n"), folder_ / "state");
  const Json said = settings_of(cluster);
  ASSERT_TRUE(said.is_object()) << log_;
  EXPECT_EQ(said["auto-compaction-mode"], "revision");
  // etcd prints the number as if it were nanoseconds.
  EXPECT_EQ(said["auto-compaction-retention"], "5µs");
}

TEST_P(Settings, AWalDirectoryAndAMetricsListenerOfTheirOwnArrive) {
  const std::string metrics = std::to_string(free_port());
  std::string text = yaml("\n  metrics: extensive\n");
  const std::string dir = "storage: {dir: " + folder_ / "data";
  text.replace(text.find(dir), dir.size(), dir + ", wal: " + folder_ / "wal");
  text.replace(text.find("peer: "), 6, "metrics: " + metrics + ", peer: ");
  const RenderedCluster cluster(text, folder_ / "state");
  const model::Member& a = cluster.members().front();
  const Json said = settings_of(cluster);
  ASSERT_TRUE(said.is_object()) << log_;
  EXPECT_EQ(said["wal-dir"], a.wal_dir);
  EXPECT_TRUE(std::filesystem::exists(a.wal_dir + "/0000000000000000-0000000000000000.wal"));
  ASSERT_FALSE(a.listen_metrics.empty());
  ASSERT_EQ(said["listen-metrics-urls"].size(), a.listen_metrics.size());
  EXPECT_EQ(said["listen-metrics-urls"][0], base::to_string(a.listen_metrics.front()));
}

// These two show in what etcd does, not in the first line of its log.
TEST_P(Settings, TheLogLevelAndTheKindOfMetricsArrive) {
  const RenderedCluster cluster(yaml("\n  logLevel: debug\n  metrics: extensive\n"), folder_ / "state");
  EtcdProcess etcd(command(cluster));
  ASSERT_TRUE(etcd.wait_until_ready()) << etcd.log();
  const std::string url = base::to_string(cluster.members().front().client_urls.front());
  ASSERT_EQ((Etcdctl{release(), url, {}}({"put", "key", "value"}).exit_code), 0);

  const auto is_debug = [](const std::string& line) { return line.find("\"level\":\"debug\"") != std::string::npos; };
  EXPECT_TRUE(etcd.wait_for_line(is_debug, Seconds(10))) << etcd.log();
  const std::string program =
      "import sys, urllib.request as u; print(u.urlopen(sys.argv[1], timeout=10).read().decode())";
  const Ended metrics = run({{"python3", "-c", program, url + "/metrics"}, {}});
  ASSERT_EQ(metrics.exit_code, 0) << metrics.errors;
  EXPECT_NE(metrics.output.find("grpc_server_handling_seconds_bucket"), std::string::npos);
}

// Without a setting in the desired file etcd's own default holds, and the two releases differ in some.
TEST_P(Settings, NothingIsSetThatNobodyAskedFor) {
  const RenderedCluster cluster(yaml("\n"), folder_ / "state");
  const Json said = settings_of(cluster);
  ASSERT_TRUE(said.is_object()) << log_;
  EXPECT_EQ(said["heartbeat-interval"], "100ms");
  EXPECT_EQ(said["election-timeout"], "1s");
  EXPECT_EQ(said["snapshot-count"], 100000);
  EXPECT_EQ(said["auto-compaction-retention"], "0s");
  EXPECT_EQ(said["pre-vote"], release() != "3.4.23");
  EXPECT_EQ(said["listen-metrics-urls"], Json::array());
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, std::string>>& info) {
  const std::string by = std::get<0>(info.param) == "environment" ? "Environment" : "ConfigFile";
  return by + name_of_release({std::get<1>(info.param), info.index});
}

INSTANTIATE_TEST_SUITE_P(OnReal, Settings,
                         testing::Combine(testing::Values("etcd-config", "environment"),
                                          testing::ValuesIn(kEtcdReleases)),
                         name_of);

}  // namespace
}  // namespace quorate::integration
