// The store, held by a command against the agents of the cluster.
#include "reconciler/cli/commands/backup_hold.h"

#include <gtest/gtest.h>

#include "reconciler/model/records.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_etcd.h"

namespace quorate::cli {
namespace {

constexpr base::Duration kWithin{1000};
const std::string kUrl = "http://10.0.0.1:2379";

class Holds : public testing::Test {
 protected:
  Holds() {
    arguments_.quiet = true;
    auto etcd = std::make_unique<fakes::FakeEtcd>(clock_, base::Version{3, 5, 21},
                                                  std::vector<fakes::Seat>{{"a", {"http://10.0.0.1:2380"}, {kUrl}}});
    etcd_ = etcd.get();
    cluster_.etcd = std::move(etcd);
    cluster_.endpoints = {kUrl};
    cluster_.within = kWithin;
    const model::InForce in_force{"digest", 1, 0};
    EXPECT_TRUE(
        etcd_->put(kUrl, std::string(model::kInForceKey), model::in_force_value(etcd_->cluster(), in_force), kWithin));
  }

  fakes::FakeClock clock_;
  fakes::FakeEtcd* etcd_ = nullptr;
  Arguments arguments_;
  BackupSession session_;
  BackedCluster cluster_;
};

TEST_F(Holds, OneCommandAtATimeHasIt) {
  StoreHold first;
  ASSERT_TRUE(first.take(arguments_, session_, cluster_));
  EXPECT_TRUE(first.may_go_on());
  StoreHold second;
  const auto held = second.take(arguments_, session_, cluster_);
  ASSERT_FALSE(held);
  EXPECT_EQ(complain_of_hold(arguments_, held.error()), model::ExitCode::Busy);
}

// Who is about to make room wants a backup before.
TEST_F(Holds, AFullEtcdHoldsNobodyUp) {
  etcd_->raise({etcd_->id_of("a"), model::AlarmKind::NoSpace});
  StoreHold hold;
  EXPECT_TRUE(hold.take(arguments_, session_, cluster_));
  EXPECT_FALSE(hold.may_go_on()) << "there is nothing that could be lost meanwhile";
}

}  // namespace
}  // namespace quorate::cli
