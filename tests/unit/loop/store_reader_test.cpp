// What an agent knows of the store when it is asked what there is to restore from.
#include "reconciler/loop/store_reader.h"

#include <gtest/gtest.h>

#include "reconciler/backup/create.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_etcd.h"
#include "tests/fakes/fake_store.h"
#include "tests/fakes/one_by_one.h"
#include "tests/fakes/one_shelf.h"

namespace quorate::loop {
namespace {

class FullDisk final : public codec::Sink {
 public:
  base::Result<void> write(std::string_view /*bytes*/) override {
    return tl::unexpected(
        base::Error{base::ErrorKind::Transient, "disk full: /var/lib/etcd-spool", "free space there"});
  }
  base::Result<void> finish() override { return {}; }
};
class NoSpool final : public ports::Spool {
 public:
  base::Result<std::unique_ptr<codec::Sink>> begin(const std::string& /*path*/, std::uint64_t /*room*/) override {
    if (begins) return std::make_unique<FullDisk>();
    return base::invalid("nothing is fetched here");
  }
  bool begins = false;
};
class Zeros final : public ports::Entropy {
 public:
  std::string hex(int digits) override { return std::string(static_cast<std::size_t>(digits), '0'); }
  std::uint64_t below(std::uint64_t /*bound*/) override { return 0; }
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

// Another node has room, perhaps; and nothing is wrong with the backup.
TEST_F(Reader, ADiskThatFillsUpWhileItIsFetchedMakesTheNodeUnfitAndNotTheBackup) {
  fakes::FakeEtcd etcd{clock_, *base::parse_version("3.5.16"), {{"a", "http://a:2380", "http://a:2379"}}};
  fakes::FakeStore shelf{shelf_};
  Zeros entropy;
  codec::NoWorkers workers;
  backup::CreateOrder order;
  order.endpoints = {"http://a:2379"};
  order.within = order.snapshot_within = std::chrono::seconds{2};
  const auto made = backup::create({etcd, shelf, parallel_, clock_, entropy, workers}, order);
  ASSERT_TRUE(made) << made.error().error.message;
  model::Decision wanted = decision("x");
  wanted.backup = model::ChosenBackup{made->name, made->facts.object_sha256, made->facts.revision};
  spool_.begins = true;
  EXPECT_FALSE(reader_.fetch(store_, wanted, "file"));
  ASSERT_TRUE(stores_.run());
  const auto brought = reader_.fetch(store_, wanted, "file");
  ASSERT_TRUE(brought);
  EXPECT_NE(brought->unfit.find("disk full"), std::string::npos) << brought->unfit;
  EXPECT_EQ(shelf_->objects().count(made->name + "/quorate.verified.json"), 0U);
  pass();
  const auto seen = reader_.restorable(store_);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->front().damage, "");
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
