// What an agent knows of the store when it is asked what there is to restore from.
#include "reconciler/loop/store_reader.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_store.h"
#include "tests/fakes/one_by_one.h"
#include "tests/fakes/one_shelf.h"

namespace quorate::loop {
namespace {

class NoSpool final : public ports::Spool {
 public:
  base::Result<std::unique_ptr<codec::Sink>> begin(const std::string& /*path*/, std::uint64_t /*room*/) override {
    return base::invalid("nothing is fetched here");
  }
};
class Silence final : public ports::Events {
 public:
  void say(ports::EventLevel /*level*/, const std::string& /*text*/) override {}
};

class Reader : public testing::Test {
 protected:
  // A pass of the agent, and the work that it has begun.
  void pass() {
    reader_.look(store_);
    stores_.run();
    reader_.look(store_);
  }
  static model::Decision decision(const std::string& source) {
    model::Decision decision;
    decision.source = source;
    decision.backup = model::ChosenBackup{"2026-09-24T09:00:00Z-r400-" + source, std::string(64, 'a'), 400};
    return decision;
  }
  bool knows() const { return reader_.restorable(store_).is_known(); }

  loop::SourceStore store_;
  fakes::FakeClock clock_;
  std::shared_ptr<fakes::Shelf> shelf_ = std::make_shared<fakes::Shelf>(clock_);
  fakes::OneShelf stores_{shelf_};
  NoSpool spool_;
  fakes::OneByOne parallel_;
  Silence events_;
  StoreReader reader_{{stores_, spool_, parallel_, clock_, events_}, "a"};
};

}  // namespace

TEST_F(Reader, WhatWasSeenBeforeItWasAskedIsNoAnswer) {
  EXPECT_FALSE(knows());
  pass();
  EXPECT_TRUE(knows());
  clock_.advance(std::chrono::hours{24});
  reader_.forget();
  EXPECT_FALSE(knows());
  pass();
  EXPECT_TRUE(knows());
}

TEST_F(Reader, NorIsWhatALookSeesThatHasBegunBeforeIt) {
  reader_.look(store_);
  reader_.forget();
  stores_.run();
  reader_.look(store_);
  EXPECT_FALSE(knows());
  pass();
  EXPECT_TRUE(knows());
}

// Its order was taken back while it was on its way: what it left, or why it failed, is said of no other one.
TEST_F(Reader, WhatWasBroughtForADecisionThatIsOverIsNotTold) {
  EXPECT_FALSE(reader_.fetch(store_, decision("x"), "file"));
  stores_.run();
  EXPECT_FALSE(reader_.fetch(store_, decision("y"), "file"));
  stores_.run();
  const auto brought = reader_.fetch(store_, decision("y"), "file");
  ASSERT_TRUE(brought);
  EXPECT_EQ(brought->source, "y");
  EXPECT_NE(brought->unfit, "");
  EXPECT_FALSE(reader_.fetch(store_, decision("y"), "file")) << "told once";
  EXPECT_FALSE(stores_.run()) << "and not tried again at once";
  clock_.advance(std::chrono::seconds{6});
  EXPECT_FALSE(reader_.fetch(store_, decision("y"), "file"));
  EXPECT_TRUE(stores_.run());
}

}  // namespace quorate::loop
