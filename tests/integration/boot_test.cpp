// Real etcd starts from what is rendered, in each boot mode, and refuses where it must refuse.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/etcd_process.h"
#include "tests/integration/rendered_cluster.h"

namespace quorate::integration {
namespace {

using renderers::BootJoin;
using renderers::BootKeep;
using renderers::BootNew;

class Boot : public testing::TestWithParam<std::string> {
 protected:
  std::string release() const { return GetParam(); }

  std::unique_ptr<EtcdProcess> start(const RenderedCluster& cluster, const model::Member& member,
                                     const renderers::Boot& boot) const {
    return std::make_unique<EtcdProcess>(etcd_with_config_file(release(), cluster.write("etcd-config", member, boot)));
  }

  Etcdctl client(const model::Member& member) const {
    return {release(), base::to_string(member.client_urls.front()), {}};
  }

  // Voters and learners, each "name" or "name (learner)", by name.
  std::vector<std::string> member_list(const Etcdctl& client) const {
    std::vector<std::string> names;
    const Json list = client.json({"member", "list"});
    for (const Json& member : list["members"]) {
      names.push_back(member.value("name", "") + (member.value("isLearner", false) ? " (learner)" : ""));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  // The leader alone knows when a learner is in sync, and tells nobody until it is asked.
  Ended promote(const Etcdctl& client, const std::string& name) const {
    std::ostringstream id;
    const Json list = client.json({"member", "list"});
    for (const Json& member : list["members"]) {
      if (member.value("name", "") == name) id << std::hex << member["ID"].get<std::uint64_t>();
    }
    const auto deadline = std::chrono::steady_clock::now() + Seconds(10);
    Ended ended = client({"member", "promote", id.str()});
    while (ended.exit_code != 0 && ended.errors.find("in sync with leader") != std::string::npos &&
           std::chrono::steady_clock::now() < deadline) {
      ended = client({"member", "promote", id.str()});
    }
    return ended;
  }

  TempDir folder_;
};

TEST_P(Boot, A01_NewFormsAClusterOfOneThatAnswers) {
  const RenderedCluster cluster(local_cluster(release(), 1, folder_), folder_ / "state");
  const model::Member& a = cluster.member("a");
  const auto etcd = start(cluster, a, BootNew{"lab-0001"});
  ASSERT_TRUE(etcd->wait_until_ready()) << etcd->log();

  EXPECT_EQ(client(a)({"put", "key", "value"}).exit_code, 0);
  EXPECT_EQ(client(a).get("key"), "value");
  EXPECT_EQ(client(a)({"endpoint", "health"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(a.data_dir + "/member/wal"));
}

TEST_P(Boot, A02_NewFormsAClusterOfThreeThatSharesItsData) {
  const RenderedCluster cluster(local_cluster(release(), 3, folder_), folder_ / "state");
  std::vector<std::unique_ptr<EtcdProcess>> running;
  for (const model::Member& member : cluster.members()) running.push_back(start(cluster, member, BootNew{"lab-0002"}));
  for (const auto& etcd : running) ASSERT_TRUE(etcd->wait_until_ready()) << etcd->log();

  EXPECT_EQ(client(cluster.member("a"))({"put", "key", "value"}).exit_code, 0);
  for (const model::Member& member : cluster.members()) EXPECT_EQ(client(member).get("key"), "value") << member.name;
  EXPECT_EQ(member_list(client(cluster.member("c"))), (std::vector<std::string>{"a", "b", "c"}));
}

// One cluster of three, one member each way: the two renderings describe the same member, or it would not form.
TEST_P(Boot, TheEnvironmentStartsTheSameMemberAsTheConfigurationFile) {
  const RenderedCluster cluster(local_cluster(release(), 3, folder_), folder_ / "state");
  std::vector<std::unique_ptr<EtcdProcess>> running;
  for (const model::Member& member : cluster.members()) {
    const BootNew boot{"lab-0003"};
    if (member.name == "a") {
      running.push_back(start(cluster, member, boot));
    } else {
      running.push_back(std::make_unique<EtcdProcess>(
          etcd_with_environment_file(release(), cluster.write("environment", member, boot))));
    }
  }
  for (const auto& etcd : running) ASSERT_TRUE(etcd->wait_until_ready()) << etcd->log();
  EXPECT_EQ(client(cluster.member("b"))({"put", "key", "value"}).exit_code, 0);
  EXPECT_EQ(client(cluster.member("c")).get("key"), "value");
}

TEST_P(Boot, D01_KeepStartsAMemberThatHasItsData) {
  const RenderedCluster cluster(local_cluster(release(), 1, folder_), folder_ / "state");
  const model::Member& a = cluster.member("a");
  {
    const auto etcd = start(cluster, a, BootNew{"lab-0004"});
    ASSERT_TRUE(etcd->wait_until_ready()) << etcd->log();
    ASSERT_EQ(client(a)({"put", "key", "value"}).exit_code, 0);
  }
  const auto etcd = start(cluster, a, BootKeep{});
  ASSERT_TRUE(etcd->wait_until_ready()) << etcd->log();
  EXPECT_EQ(client(a).get("key"), "value");
}

TEST_P(Boot, D01_KeepStartsEveryMemberOfThreeAlthoughItNamesOnlyItself) {
  const RenderedCluster cluster(local_cluster(release(), 3, folder_), folder_ / "state");
  std::vector<std::unique_ptr<EtcdProcess>> running;
  for (const model::Member& member : cluster.members()) running.push_back(start(cluster, member, BootNew{"lab-0005"}));
  for (const auto& etcd : running) ASSERT_TRUE(etcd->wait_until_ready()) << etcd->log();
  ASSERT_EQ(client(cluster.member("a"))({"put", "key", "value"}).exit_code, 0);

  running.clear();
  for (const model::Member& member : cluster.members()) running.push_back(start(cluster, member, BootKeep{}));
  for (const auto& etcd : running) ASSERT_TRUE(etcd->wait_until_ready()) << etcd->log();
  for (const model::Member& member : cluster.members()) EXPECT_EQ(client(member).get("key"), "value") << member.name;
  EXPECT_EQ(member_list(client(cluster.member("b"))), (std::vector<std::string>{"a", "b", "c"}));
}

// The safety catch: whatever restarts etcd on a fresh disk behind our back can neither form a second cluster nor vote
// with amnesia.
TEST_P(Boot, A09_KeepIsRefusedOnAnEmptiedDirectoryWhileTheOthersRun) {
  const RenderedCluster cluster(local_cluster(release(), 3, folder_), folder_ / "state");
  std::vector<std::unique_ptr<EtcdProcess>> running;
  for (const model::Member& member : cluster.members()) running.push_back(start(cluster, member, BootNew{"lab-0006"}));
  for (const auto& etcd : running) ASSERT_TRUE(etcd->wait_until_ready()) << etcd->log();
  const model::Member& c = cluster.member("c");
  running.pop_back();
  ASSERT_GT(std::filesystem::remove_all(c.data_dir), 0u);

  const auto emptied = start(cluster, c, BootKeep{});
  const auto exit_code = emptied->wait_for_exit(Seconds(30));
  ASSERT_TRUE(exit_code) << "it runs:\n" << emptied->log();
  EXPECT_NE(*exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(c.data_dir + "/member/wal")) << emptied->log();
}

TEST_P(Boot, A04_KeepIsRefusedOnAnEmptyDirectoryWhenNobodyElseRuns) {
  const RenderedCluster cluster(local_cluster(release(), 1, folder_), folder_ / "state");
  const model::Member& a = cluster.member("a");
  const auto etcd = start(cluster, a, BootKeep{});
  const auto exit_code = etcd->wait_for_exit(Seconds(30));
  ASSERT_TRUE(exit_code) << "it runs:\n" << etcd->log();
  EXPECT_NE(*exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(a.data_dir + "/member/wal")) << etcd->log();
}

// The value of initial-cluster is what etcd itself tells whoever adds the member.
TEST_P(Boot, B10_JoinBecomesALearnerAndThenAVoter) {
  const RenderedCluster cluster(local_cluster(release(), 2, folder_), folder_ / "state");
  const model::Member& a = cluster.member("a");
  const model::Member& b = cluster.member("b");

  // The first member forms a cluster of its own; the second comes later.
  model::Desired founder = cluster.desired();
  founder.members = {a};
  const renderers::Boot boot = BootNew{"lab-0007"};
  const std::string config_path = folder_ / "founder/etcd.yaml";
  const auto files =
      renderers::find_renderer("etcd-config")->member_files({founder, founder.members.front(), boot, config_path});
  ASSERT_TRUE(files);
  write_file(config_path, files->front().content);
  EtcdProcess first(etcd_with_config_file(release(), config_path));
  ASSERT_TRUE(first.wait_until_ready()) << first.log();
  ASSERT_EQ(client(a)({"put", "key", "value"}).exit_code, 0);

  const Ended added =
      client(a)({"member", "add", "b", "--learner", "--peer-urls=" + base::to_string(b.peer_urls.front())});
  ASSERT_EQ(added.exit_code, 0) << added.errors;
  const std::string mark = "ETCD_INITIAL_CLUSTER=\"";
  const auto at = added.output.find(mark);
  ASSERT_NE(at, std::string::npos) << added.output;
  const auto begin = at + mark.size();
  const std::string initial_cluster = added.output.substr(begin, added.output.find('"', begin) - begin);

  const auto second = start(cluster, b, BootJoin{initial_cluster});
  ASSERT_TRUE(second->wait_until_ready()) << second->log();
  EXPECT_EQ(member_list(client(a)), (std::vector<std::string>{"a", "b (learner)"}));

  const Ended promoted = promote(client(a), "b");
  EXPECT_EQ(promoted.exit_code, 0) << promoted.errors;
  EXPECT_EQ(member_list(client(a)), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(client(b).get("key"), "value");
}

INSTANTIATE_TEST_SUITE_P(OnReal, Boot, testing::ValuesIn(kEtcdReleases), name_of_release);

}  // namespace
}  // namespace quorate::integration
