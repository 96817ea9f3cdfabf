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

}  // namespace quorate::loop
