// Backups and restores by agents whose store is a bucket of Swift, behind a line that can be slow or torn.
#include <gmock/gmock.h>

#include "tests/e2e/agents/stored.h"
#include "tests/e2e/backup_place.h"
#include "tests/fakes/fault_proxy.h"
#include "tests/integration/swift_world.h"

namespace quorate::e2e {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using How = fakes::WireFault::How;

constexpr const char* kObject = "etcd.backup.gz";

class AgentsWithABucket : public StoredTest {
 protected:
  void SetUp() override { fleet_.give_variables(variables()); }
  Names variables() const {
    Names variables = place_.variables();
    variables.insert(variables.begin(), "AWS_ENDPOINT_URL_S3=" + proxy_.endpoint());  // the first of a name counts
    return variables;
  }
  std::string address() const override { return place_.address(); }
  Names backups() const override { return place_.visible(); }

  // The first line of a request for what is in it.
  std::string download_of(std::string backup) const {
    for (std::size_t at = 0; (at = backup.find(':', at)) != std::string::npos;) backup.replace(at, 1, "%3A");
    return "GET /" + std::string(tests::SwiftWorld::kBucket) + "/" + place_.base() + "/" + backup + "/" + kObject;
  }
  void expect_all_are_whole() const {
    for (const std::string& each : backups()) {
      const auto verified = place_.backup({"verify", each});  // not over that line
      EXPECT_EQ(verified.exit_code, 0) << each << ": " << verified.output << verified.errors;
    }
  }

  BackupPlace place_{true};
  fakes::FaultProxy proxy_{tests::swift().server.port()};
};

TEST_P(AgentsWithABucket, F01_F03_F05_D04_E11_AllDisksAreLostAndItBringsThemBackOverATornLine) {
  form_with_store({"a", "b", "c"});
  const base::ClusterId before = fleet_.cluster_of("a");
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 20; }));
  const std::size_t held = writer.acknowledged().size();
  const std::string backup = back_up();
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > held + 10; }));
  writer.stop();
  for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  fleet_.lose_disks({"a", "b", "c"});
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "backup " + backup));
  proxy_.fail({download_of(backup), How::Says500, 0, 1});
  proxy_.fail({download_of(backup), How::EndsAnswer, 1000, 1});
  fleet_.want({"a", "b", "c"}, ordered(2, "latest"));
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_GE(proxy_.met(), 2);
  EXPECT_NE(fleet_.cluster_of("a"), before);
  const auto acknowledged = writer.acknowledged();
  for (std::size_t at = 0; at < held; ++at) {
    EXPECT_EQ(fleet_.get(acknowledged[at].first), acknowledged[at].second) << "it was backed up";
  }
  EXPECT_EQ(fleet_.get(acknowledged.back().first), "nothing") << "what came after the backup is lost, as was said";
  EXPECT_THAT(fleet_.steps_done("restore/"), SizeIs(1));
  expect_one_content(fleet_, {"a", "b", "c"});
  expect_all_are_whole();
}

TEST_P(AgentsWithABucket, J01_E09_AnAgentIsKilledInTheMiddleOfAPutAndOfEachPartOfARestore) {
  fleet_.form({"a"});
  ASSERT_TRUE(fleet_.put("key", "value"));
  proxy_.fail({kObject, How::SlowsRequest, 200, -1});
  fleet_.want({"a"}, stored());
  ASSERT_TRUE(proxy_.wait_for_request(kObject, kPatience));
  fleet_.kill("a");
  EXPECT_THAT(backups(), IsEmpty());
  proxy_.heal();
  fleet_.start("a");
  const std::string backup = back_up();  // the next agent waits for the lease of the one before to end
  EXPECT_THAT(backups(), SizeIs(1));
  expect_all_are_whole();
  ASSERT_TRUE(fleet_.settle("a"));

  proxy_.fail({download_of(backup), How::SlowsAnswer, 200, -1});
  fleet_.lose_disks({"a"});
  fleet_.want({"a"}, ordered(2, "latest"));
  ASSERT_TRUE(proxy_.wait_for_request(download_of(backup), kPatience));
  fleet_.kill("a");
  EXPECT_THAT(fleet_.steps_begun("promise/"), SizeIs(1)) << "of its formation";
  proxy_.heal();
  fleet_.start("a");
  ASSERT_TRUE(Fleet::eventually([&] { return !fleet_.steps_begun("restore/").empty(); }));
  fleet_.kill("a");
  fleet_.start("a");
  ASSERT_TRUE(fleet_.become_voters({"a"}, kRecovered));
  EXPECT_EQ(fleet_.get("key"), "value");
  EXPECT_TRUE(fleet_.settle("a"));
  expect_all_are_whole();
}

TEST_P(AgentsWithABucket, A08_NothingIsFormedWhereTheBucketDoesNotSayWhatIsInIt) {
  const auto expect_nothing = [&](const std::string& wanted) {
    fleet_.want({"a", "b", "c"}, at_start("ifNoCluster: " + wanted));
    ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "nobody can say what is in the store")) << wanted;
    EXPECT_TRUE(stays([&] { return fleet_.steps_begun("promise/").empty(); })) << wanted;
  };
  proxy_.fail({"list-type=2", How::Says500, 0, -1});
  fleet_.want({"a", "b", "c"}, at_start("ifNoCluster: new"));
  fleet_.start({"a", "b", "c"});
  expect_nothing("new");
  expect_nothing("restore-or-new");
  proxy_.heal();
  fleet_.kill(Names{"a", "b", "c"});
  Names refused = variables();
  refused.insert(refused.begin(), "AWS_SECRET_ACCESS_KEY=another");
  fleet_.give_variables(std::move(refused));
  fleet_.start({"a", "b", "c"});
  expect_nothing("restore-or-new");
  expect_nothing("new");
  fleet_.kill(Names{"a", "b", "c"});
  fleet_.give_variables(variables());
  fleet_.start({"a", "b", "c"});
  EXPECT_TRUE(fleet_.become_voters({"a", "b", "c"}));
}

INSTANTIATE_TEST_SUITE_P(Etcd, AgentsWithABucket, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
