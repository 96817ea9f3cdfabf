// The store in memory keeps to what real ones keep to, and its faults are what a test asked for.
#include "tests/fakes/fake_store.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/contract/object_store_contract.h"
#include "tests/fakes/fake_clock.h"

namespace quorate::tests {
namespace {

using fakes::FakeStore;
using fakes::Shelf;
using fakes::StoreCall;
using ports::Overwrite;

class MemoryPlace final : public StorePlace {
 public:
  std::unique_ptr<ports::ObjectStore> store() override { return std::make_unique<FakeStore>(shelf_); }
  std::unique_ptr<ports::ObjectStore> neighbour() override { return std::make_unique<FakeStore>(other_); }

 private:
  fakes::FakeClock clock_;
  std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>(clock_);
  std::shared_ptr<Shelf> other_ = std::make_shared<Shelf>(clock_);
};

INSTANTIATE_TEST_SUITE_P(Memory, ObjectStoreContract,
                         ::testing::Values(StoreKind{"Memory", [] { return std::make_unique<MemoryPlace>(); }}),
                         name_of_kind);

TEST(FakeStore, LosesTheAnswerOfAPutThatItCarriedOut) {
  fakes::FakeClock clock;
  const auto shelf = std::make_shared<Shelf>(clock);
  FakeStore store(shelf);
  shelf->fail({StoreCall::Put, {base::ErrorKind::Ambiguous, "no answer", ""}, 1, 1, true});
  EXPECT_TRUE(store.put("a", "1", Overwrite::Never));
  EXPECT_FALSE(store.put("b", "2", Overwrite::Never));
  EXPECT_EQ(shelf->objects().count("b"), 1U);
  const auto again = store.put("b", "2", Overwrite::Never);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, base::ErrorKind::Conflict);
}

TEST(FakeStore, FailsAsOftenAsAskedAndLeavesNothingBehind) {
  fakes::FakeClock clock;
  const auto shelf = std::make_shared<Shelf>(clock);
  FakeStore store(shelf);
  shelf->fail({StoreCall::Write, {base::ErrorKind::Transient, "reset", ""}, 1, -1});
  auto writer = store.create("a", Overwrite::Allowed);
  ASSERT_TRUE(writer);
  EXPECT_TRUE((*writer)->write("1"));
  EXPECT_FALSE((*writer)->write("2"));
  EXPECT_FALSE((*writer)->finish());
  EXPECT_TRUE(shelf->objects().empty());
  shelf->leave_upload(clock.now());
  clock.advance(std::chrono::hours(1));
  EXPECT_EQ(store.sweep(clock.now()).value_or(-1), 1);
  EXPECT_EQ(shelf->uploads(), 0U);
}

}  // namespace
}  // namespace quorate::tests
