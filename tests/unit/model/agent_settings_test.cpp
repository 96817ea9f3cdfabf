// What is different on one node.
#include "reconciler/model/agent_settings.h"

#include <gmock/gmock.h>

namespace quorate::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Desired two_members() {
  Desired desired;
  desired.name = "prod";
  for (const char* name : {"etcd-a", "etcd-b"}) {
    Member member;
    member.name = name;
    member.node = std::string("node-of-") + name;
    member.data_dir = std::string("/var/lib/etcd/") + name;
    desired.members.push_back(std::move(member));
  }
  return desired;
}

}  // namespace

TEST(Overrides, MoveTheDataOfTheMembersOnThisNodeAndSaySo) {
  Desired desired = two_members();
  AgentSettings settings;
  settings.storage_dir = "/mnt/nvme";
  EXPECT_THAT(apply_overrides(settings, "node-of-etcd-b", desired),
              ElementsAre(Override{"members.etcd-b.storage.dir", "/var/lib/etcd/etcd-b", "/mnt/nvme/etcd-b"}));
  EXPECT_EQ(desired.members[0].data_dir, "/var/lib/etcd/etcd-a");
  EXPECT_EQ(desired.members[1].data_dir, "/mnt/nvme/etcd-b");
}

TEST(Overrides, ThatChangeNothingAreNotShown) {
  Desired desired = two_members();
  AgentSettings settings;
  EXPECT_THAT(apply_overrides(settings, "node-of-etcd-a", desired), IsEmpty());
  settings.storage_dir = "/var/lib/etcd";
  EXPECT_THAT(apply_overrides(settings, "node-of-etcd-a", desired), IsEmpty());
  settings.storage_dir = "/mnt";
  EXPECT_THAT(apply_overrides(settings, "elsewhere", desired), IsEmpty());
}

}  // namespace quorate::model
