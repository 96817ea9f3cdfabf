// What root can take away from a node: its network, and the room on its disk.
#include <filesystem>
#include <fstream>

#include <sys/mount.h>
#include <unistd.h>

#include "tests/e2e/agents/fleet.h"
#include "tests/integration/certificates.h"

namespace quorate::e2e {
namespace {

// Each member behind a link of its own to a bridge, to which the test has one too. The sweeper takes all of it away.
class Network {
 public:
  explicit Network(const std::string& folder) {
    const int pid = ::getpid();
    prefix_ = folder.substr(folder.rfind('.') + 1);
    subnet_ = "10." + std::to_string(64 + (pid >> 8) % 128) + "." + std::to_string(pid & 255) + ".";
    hub_ = prefix_ + "-hub";
    good_ = ip({"netns", "add", hub_}) && ip({"-n", hub_, "link", "add", "name", "br", "type", "bridge"}) &&
            ip({"-n", hub_, "link", "set", "dev", "br", "up"}) &&
            ip({"link", "add", "name", "q" + prefix_, "type", "veth", "peer", "name", "test", "netns", hub_}) &&
            ip({"-n", hub_, "link", "set", "dev", "test", "master", "br", "up"}) &&
            ip({"addr", "add", subnet_ + "254/24", "dev", "q" + prefix_}) &&
            ip({"link", "set", "dev", "q" + prefix_, "up"});
  }

  bool add(const std::string& member) {
    const std::string space = prefix_ + "-" + member;
    good_ = good_ && ip({"netns", "add", space}) && ip({"-n", space, "link", "set", "dev", "lo", "up"}) &&
            ip({"-n", hub_, "link", "add", "name", "to-" + member, "type", "veth", "peer", "name", "eth", "netns",
                space}) &&
            ip({"-n", hub_, "link", "set", "dev", "to-" + member, "master", "br", "up"}) &&
            ip({"-n", space, "addr", "add", address(member) + "/24", "dev", "eth"}) &&
            ip({"-n", space, "link", "set", "dev", "eth", "up"});
    return good_;
  }
  bool cut_off(const std::string& member) { return ip({"-n", hub_, "link", "set", "dev", "to-" + member, "down"}); }
  bool join_again(const std::string& member) { return ip({"-n", hub_, "link", "set", "dev", "to-" + member, "up"}); }

  std::string address(const std::string& member) const { return subnet_ + std::to_string(member.front() - 'a' + 1); }
  Names prefix(const std::string& member) const { return {"ip", "netns", "exec", prefix_ + "-" + member}; }
  const std::string& problem() const { return problem_; }
  bool good() const { return good_; }

 private:
  bool ip(Names arguments) {
    arguments.insert(arguments.begin(), "ip");
    const auto ended = integration::run({arguments, {}});
    if (ended.exit_code != 0) problem_ = ended.errors;
    return ended.exit_code == 0;
  }

  std::string prefix_;
  std::string subnet_;
  std::string hub_;
  std::string problem_;
  bool good_ = false;
};

class Partition : public AgentsTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root makes network namespaces";
    network_ = std::make_unique<Network>(fleet_.folder());
    std::vector<std::string> addresses;
    for (const char* member : {"a", "b", "c"}) {
      if (!network_->add(member)) GTEST_SKIP() << "no network namespaces here: " << network_->problem();
      fleet_.move(member, network_->address(member), network_->prefix(member));
      addresses.push_back(network_->address(member));
    }
    const integration::Authority authority(fleet_.folder(), "ca");
    authority.issue(fleet_.folder() + "/agent.crt", fleet_.folder() + "/agent.key", addresses);
    wording_.tls = "mode: \"off\", agent: {cert: " + fleet_.folder() + "/agent.crt, key: " + fleet_.folder() +
                   "/agent.key, ca: " + authority.certificate() + "}";
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
  if (::geteuid() != 0) GTEST_SKIP() << "only root mounts a small disk";
  const std::string disk = fleet_.folder() + "/small";
  std::filesystem::create_directories(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=200m") != 0) GTEST_SKIP() << "no tmpfs can be mounted here";
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
