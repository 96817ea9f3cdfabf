// Orders to restore pile up in etcd, and one of them is meant.
#include "reconciler/loop/order_heard.h"

#include <gtest/gtest.h>

namespace quorate::loop {
namespace {

using std::chrono::hours;

const base::Time kNow = base::parse_time("2026-01-01T12:00:00Z").value();

model::Allowed order(const std::string& backup, std::int64_t generation, base::Time until) {
  model::Allowed said;
  said.what = model::restore_order_text({backup, generation});
  said.until = until;
  said.desired_digest = "file";
  said.cluster = {7};
  return said;
}

Hearing hearing(std::vector<model::Allowed> heard) {
  return {std::move(heard), base::ClusterId{7}, "file", kNow, [](const model::RestoreOrder&) { return false; }};
}

std::string backup_of(const std::optional<model::Allowed>& said) {
  return said ? model::parse_restore_order(said->what)->backup : "";
}

}  // namespace

TEST(OrderHeard, F14_OneThatHasEndedHidesNoOther) {
  const auto older = order("2025-01-01T00:00:00Z-r5-a", 2, kNow + hours{1});
  const auto ended = order("2025-12-01T00:00:00Z-r9-a", 2, kNow - hours{1});
  EXPECT_EQ(backup_of(order_in_force({}, hearing({older, ended}))), "2025-01-01T00:00:00Z-r5-a");
  EXPECT_EQ(backup_of(order_in_force(ended, hearing({older, ended}))), "2025-01-01T00:00:00Z-r5-a");
}

TEST(OrderHeard, OfTwoTheOneThatWasGivenLastCounts) {
  const auto first = order("2025-12-01T00:00:00Z-r9-a", 2, kNow + hours{1});
  const auto second = order("2025-01-01T00:00:00Z-r5-a", 2, kNow + hours{2});
  EXPECT_EQ(backup_of(order_in_force(first, hearing({second, first}))), "2025-01-01T00:00:00Z-r5-a");
  const auto higher = order("2025-02-01T00:00:00Z-r6-a", 3, kNow + hours{1});
  EXPECT_EQ(backup_of(order_in_force(second, hearing({higher, second}))), "2025-02-01T00:00:00Z-r6-a");
}

TEST(OrderHeard, OneThatIsTakenBackEndsAndOneThatNobodySpeaksOfStays) {
  const auto given = order("2025-12-01T00:00:00Z-r9-a", 2, kNow + hours{1});
  EXPECT_TRUE(order_in_force(given, hearing({}))) << "etcd is down for it";
  auto taken_back = given;
  taken_back.until = {};
  taken_back.cluster = {};  // said where no cluster answered
  EXPECT_FALSE(order_in_force(given, hearing({taken_back})));
}

TEST(OrderHeard, OneForAnotherFileOrClusterOrThatIsDoneIsNone) {
  const auto given = order("2025-12-01T00:00:00Z-r9-a", 2, kNow + hours{1});
  auto world = hearing({given});
  world.desired_digest = "edited";
  EXPECT_FALSE(order_in_force(given, world));
  world = hearing({given});
  world.cluster = base::ClusterId{8};
  EXPECT_FALSE(order_in_force({}, world));
  world = hearing({given});
  world.is_carried_out = [](const model::RestoreOrder& each) { return each.generation == 2; };
  EXPECT_FALSE(order_in_force(given, world));
}

}  // namespace quorate::loop
