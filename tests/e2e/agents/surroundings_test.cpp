// What root can take away from a node: its network, and the room on its disk.
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "tests/e2e/agents/fleet.h"
#include "tests/e2e/agents/network.h"
#include "tests/e2e/agents/small_disk.h"
#include "tests/integration/certificates.h"
#include "tests/support/skip.h"

namespace quorate::e2e {
namespace {

class Partition : public AgentsTest {
 protected:
  void SetUp() override {
    network_ = std::make_unique<Network>(fleet_.folder());
    if (!network_->take_in(fleet_, {"a", "b", "c"}, wording_))
      return tests::skip_unless_ci_is_root(network_->problem());
  }

  void watch_both_halves(const std::string& alone, const Names& rest);

  Wording wording_;
  std::unique_ptr<Network> network_;
};

void Partition::watch_both_halves(const std::string& alone, const Names& rest) {
  const base::ClusterId cluster = fleet_.cluster_of(alone);
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 10; }));
  const std::size_t before = fleet_.journal_size(alone);
  ASSERT_TRUE(network_->cut_off(alone));
  EXPECT_TRUE(fleet_.plans(alone, "NeedsObservation", "1 of 3 voters answered"));
  const std::size_t written = writer.acknowledged().size();
  EXPECT_FALSE(Fleet::eventually([&] { return fleet_.journal_size(alone) != before; }, kTwiceDeadAfter));
  EXPECT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > written + 10; })) << "the others serve";
  for (const std::string& member : rest) EXPECT_EQ(fleet_.cluster_of(member), cluster);
  ASSERT_TRUE(network_->join_again(alone));
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  for (const char* member : {"a", "b", "c"}) EXPECT_EQ(fleet_.cluster_of(member), cluster);
  expect_nothing_lost(fleet_, writer);
}

TEST_P(Partition, J03_TheLeaderAloneDoesNothingAndNothingIsLost) {
  fleet_.form({"a", "b", "c"}, wording_);
  fleet_.lead("b");
  watch_both_halves("b", {"a", "c"});
}

// A follower of etcd 3.5 goes on showing a peer that fell silent as connected, so it may or may not be replaced.
TEST_P(Partition, J03_AFollowerAloneDoesNothingAndIsBackAtMostOnceReplaced) {
  fleet_.form({"a", "b", "c"}, wording_);
  fleet_.lead("a");
  watch_both_halves("c", {"a", "b"});
  EXPECT_LE(fleet_.steps_done("remove/").size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Partition, testing::Values(std::string("3.5.16")), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(SlowEtcd, Partition, testing::Values(std::string("3.4.23")), integration::name_of_release);

class FullDisk : public AgentsTest {};

TEST_P(FullDisk, C07_AMemberWithoutRoomIsWaitedForAndNotReplaced) {
  const std::string disk = fleet_.folder() + "/small";
  const SmallDisk small(disk, "200m");
  if (!small.mounted()) return tests::skip_unless_ci_is_root("no tmpfs can be mounted here");
  Wording wording;
  wording.member["c"] = "storage: {dir: " + disk + "/c}";
  fleet_.form({"a", "b", "c"}, wording);
  const base::MemberId before = fleet_.id_of("c");
  {
    std::ofstream filler(disk + "/filler", std::ios::binary);
    const std::string piece(1 << 20, 'x');
    while (filler.write(piece.data(), static_cast<std::streamsize>(piece.size())).flush()) continue;
  }
  const std::string value(1 << 20, 'v');
  int number = 0;
  ASSERT_TRUE(Fleet::eventually([&] {
    fleet_.put("large/" + std::to_string(++number % 40), value);
    return fleet_.cluster_of("c").value == 0;
  })) << "etcd writes on";
  EXPECT_TRUE(fleet_.agent_said("c", "no space left on device"));
  EXPECT_FALSE(Fleet::eventually([&] { return !fleet_.steps_done("remove/").empty(); }, kTwiceDeadAfter));
  ASSERT_TRUE(fleet_.put("k", "v"));
  std::filesystem::remove(disk + "/filler");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.id_of("c"), before);
  EXPECT_EQ(fleet_.get("k"), "v");
}

INSTANTIATE_TEST_SUITE_P(Etcd, FullDisk, testing::Values(std::string("3.5.16")), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(SlowEtcd, FullDisk, testing::Values(std::string("3.4.23")), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
