// May a member start on what lies in its directory: the answers of safety.md, offline.
#include "reconciler/model/may_start.h"

#include <gmock/gmock.h>

namespace quorate::model {
namespace {

using testing::HasSubstr;

DataDir directory(DataState state) {
  DataDir data;
  data.state = state;
  data.path = "/var/lib/etcd/etcd-a";
  data.problem = "segment 3 is broken at byte 512";
  data.cluster = {0xcdf818194e3a8c32U};
  data.member = {0x8211f1d0f64f3269U};
  return data;
}

Memory of_a_life() {
  Memory memory;
  memory.initialised = true;
  return memory;
}

}  // namespace

TEST(MayStart, WholeDataAreStartedOn) {
  const auto verdict = may_start("etcd-a", directory(DataState::Valid), nullptr, nullptr);
  EXPECT_TRUE(verdict.yes);
  EXPECT_EQ(verdict.text, "etcd-a has whole data of member 8211f1d0f64f3269 of cluster cdf818194e3a8c32");
}

TEST(MayStart, AFreshDirectoryIsForTheConfigurationToJudge) {
  EXPECT_TRUE(may_start("etcd-a", directory(DataState::Fresh), nullptr, nullptr).yes);
}

TEST(MayStart, Attack9_NothingStartsInThePlaceOfADiskThatIsNotMounted) {
  for (const DataState beneath : {DataState::Fresh, DataState::Valid}) {
    DataDir data = directory(beneath);
    data.disk_away = true;
    data.problem = "is its disk mounted?";
    const auto verdict = may_start("etcd-a", data, nullptr, nullptr);
    EXPECT_FALSE(verdict.yes);
    EXPECT_EQ(verdict.text, "is its disk mounted?");
  }
}

TEST(MayStart, AnEmptiedDirectoryIsRefusedByWhatIsRemembered) {
  const Memory memory = of_a_life();
  DataDir data = directory(DataState::Fresh);
  judge_data(data, &memory, nullptr);
  const auto verdict = may_start("etcd-a", data, &memory, nullptr);
  EXPECT_FALSE(verdict.yes);
  EXPECT_THAT(verdict.text, HasSubstr("/var/lib/etcd/etcd-a is empty, and etcd-a had data there"));
  EXPECT_THAT(verdict.help, HasSubstr("leave it stopped"));
}

TEST(MayStart, DamagedRevertedAndForeignDataAreRefusedWithTheirReason) {
  for (const DataState state : {DataState::Damaged, DataState::Reverted, DataState::Foreign}) {
    const auto verdict = may_start("etcd-a", directory(state), nullptr, nullptr);
    EXPECT_FALSE(verdict.yes);
    EXPECT_THAT(verdict.text, HasSubstr("segment 3 is broken at byte 512"));
    EXPECT_FALSE(verdict.help.empty());
  }
}

TEST(MayStart, AMemberOutOfServiceStaysDownWhateverItsData) {
  Memory memory = of_a_life();
  memory.withdrawn = true;
  EXPECT_FALSE(may_start("etcd-a", directory(DataState::Valid), &memory, nullptr).yes);
}

TEST(MayStart, ADirectoryWithTheMarkerOfAnotherMemberIsNotItsOwn) {
  Marker marker;
  marker.cluster = {0xcdf818194e3a8c32U};
  marker.member = {0x8211f1d0f64f3269U};
  marker.name = "etcd-b";
  const auto verdict = may_start("etcd-a", directory(DataState::Valid), nullptr, &marker);
  EXPECT_FALSE(verdict.yes);
  EXPECT_THAT(verdict.text, HasSubstr("belongs to etcd-b"));
}

}  // namespace quorate::model
