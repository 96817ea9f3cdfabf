// A snapshot on the node before a member is replaced, and its way to the store, over a cluster and stores in memory.
#include "reconciler/loop/spool_keeper.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/model/records.h"
#include "tests/fakes/fake_etcd.h"
#include "tests/fakes/fake_store.h"
#include "tests/fakes/one_by_one.h"
#include "tests/fakes/one_shelf.h"
#include "tests/support/desired_builder.h"
#include "tests/support/records_in.h"

namespace quorate::loop {
namespace {

using model::Fact;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr base::Duration kWithin{2000};
constexpr const char* kAt = "http://a:2379";

class Ones final : public ports::Entropy {
 public:
  std::string hex(int digits) override { return std::string(static_cast<std::size_t>(digits), '1'); }
  std::uint64_t below(std::uint64_t /*bound*/) override { return 0; }
};

class Said final : public ports::Events {
 public:
  void say(ports::EventLevel /*level*/, const std::string& text) override { lines.push_back(text); }
  std::vector<std::string> lines;
};

class Spool : public testing::Test {
 protected:
  Spool() {
    followed_->desired = support::DesiredBuilder{}.members(1).build();
    model::BackupPolicy policy;
    policy.to = "memory://shelf";
    policy.spool = "/var/spool";
    followed_->desired.backup = policy;
    followed_->digest = "of the file";
    put("key", "one");
    put(std::string(model::kInForceKey), model::in_force_value(etcd_.cluster(), {"of the file", 1, 0}));
    stores_.spooled = aside_.spooled = spool_;
    snapshot_.action = model::Backup{"prod", "/var/spool"};
    snapshot_.id = model::step_id(snapshot_.action);
  }

  void put(const std::string& key, const std::string& value) { ASSERT_TRUE(etcd_.put(kAt, key, value, kWithin)); }

  AgentView view() {
    AgentView view;
    view.followed = followed_;
    view.desired = followed_->desired;
    view.serving = kAt;
    view.observed.at = clock_.now();
    model::Membership membership{etcd_.cluster(), true, {}};
    model::ObservedMember member;
    member.listed = {etcd_.id_of("a"), "a", {"http://a:2380"}, {kAt}, false, false};
    member.status = Fact<model::MemberStatus>::known(etcd_.status(kAt, kWithin)->status, clock_.now());
    member.serves = Fact<base::Duration>::known({}, clock_.now());
    membership.members.push_back(std::move(member));
    view.observed.membership = Fact<model::Membership>::known(std::move(membership), clock_.now());
    view.agents.records = support::records_in(etcd_, kAt);
    view.plan.gated.plan.id = "5c1e90aa";
    return view;
  }

  SpoolTurn tend(const model::Step* before = nullptr) {
    SpoolTurn turn = keeper_.tend(view(), known_, before);
    if (turn.noted) notes_.push_back(std::string(model::name_of(turn.noted->event)));
    if (turn.spooled) known_ = turn.spooled;
    return turn;
  }
  void take_snapshot() {
    tend(&snapshot_);
    EXPECT_TRUE(aside_.run());
    tend(&snapshot_);
  }
  static std::vector<std::string> backups_in(const std::shared_ptr<fakes::Shelf>& shelf) {
    std::vector<std::string> names;
    for (const auto& [name, object] : shelf->objects()) {
      if (const auto end = name.find("/_etcd_backup.meta"); end != std::string::npos) {
        names.push_back(name.substr(0, end));
      }
    }
    return names;
  }

  fakes::FakeClock clock_;
  fakes::FakeEtcd etcd_{clock_, *base::parse_version("3.5.16"), {{"a", "http://a:2380", kAt}}};
  std::shared_ptr<fakes::Shelf> shelf_ = std::make_shared<fakes::Shelf>(clock_);
  std::shared_ptr<fakes::Shelf> spool_ = std::make_shared<fakes::Shelf>(clock_);
  fakes::OneShelf stores_{shelf_};
  fakes::OneShelf aside_{shelf_};
  fakes::OneByOne parallel_;
  Ones entropy_;
  Said said_;
  std::shared_ptr<Followed> followed_ = std::make_shared<Followed>();
  SpoolKeeper keeper_{{etcd_, stores_, parallel_, clock_, entropy_}, aside_, said_, "a", kWithin};
  std::optional<model::Spooled> known_;
  std::vector<std::string> notes_;
  model::Step snapshot_;
};

}  // namespace

TEST_F(Spool, TakesASnapshotBesideAllOtherWorkAndRemembersIt) {
  ASSERT_TRUE(stores_.begin([] {})) << "a store that hangs has the other thread";
  const SpoolTurn turn = tend(&snapshot_);
  EXPECT_THAT(turn.waits, HasSubstr("the snapshot"));
  EXPECT_TRUE(aside_.run());
  tend(&snapshot_);
  ASSERT_TRUE(known_);
  EXPECT_EQ(known_->failed, "");
  EXPECT_THAT(backups_in(spool_), ElementsAre(known_->name));
  EXPECT_EQ(aside_.spool, "/var/spool/" + followed_->desired.name + "/a 1") << "agents of one machine have one each";
  EXPECT_THAT(notes_, ElementsAre("intent", "done"));
}

TEST_F(Spool, BringsItToTheStoreAndEmptiesItself) {
  take_snapshot();
  const std::string name = known_->name;
  const auto taken = spool_->objects();
  tend();
  ASSERT_TRUE(stores_.run());
  tend();
  EXPECT_EQ(known_->name, "");
  EXPECT_THAT(backups_in(shelf_), ElementsAre(name));
  EXPECT_THAT(backups_in(spool_), IsEmpty());
  EXPECT_GE(taken.size(), 3U);
  for (const auto& [file, object] : taken) EXPECT_EQ(shelf_->objects().at(file).bytes, object.bytes) << file;
  tend();
  EXPECT_FALSE(stores_.run()) << "there is nothing left to do";
}

TEST_F(Spool, KeepsTryingWhileTheStoreDoesNotAnswer) {
  take_snapshot();
  shelf_->fail({fakes::StoreCall::Finish, {base::ErrorKind::Transient, "503 from the bucket", ""}});
  tend();
  ASSERT_TRUE(stores_.run());
  const SpoolTurn turn = tend();
  ASSERT_TRUE(turn.wait);
  EXPECT_NE(known_->name, "");
  EXPECT_THAT(said_.lines, Contains(HasSubstr("503 from the bucket")));
  EXPECT_THAT(backups_in(shelf_), IsEmpty());
  EXPECT_FALSE(stores_.run()) << "not before its time";
  clock_.advance(*turn.wait);
  tend();
  ASSERT_TRUE(stores_.run());
  tend();
  EXPECT_THAT(backups_in(shelf_), testing::SizeIs(1));
}

TEST_F(Spool, GoesOnWithoutASnapshotWhereThereIsNoRoom) {
  aside_.no_spool = base::Error{base::ErrorKind::Transient, "disk full: /var/spool/a has 3 MiB free", ""};
  take_snapshot();
  ASSERT_TRUE(known_);
  EXPECT_THAT(known_->failed, HasSubstr("disk full"));
  EXPECT_EQ(known_->name, "");
  EXPECT_THAT(notes_, ElementsAre("intent", "failed"));
  tend();
  EXPECT_FALSE(stores_.run()) << "nothing is to be brought anywhere";
}

TEST_F(Spool, HoldsTheNewestOnly) {
  take_snapshot();
  const std::string first = known_->name;
  clock_.advance(minutes{20});
  put("key", "two");
  take_snapshot();
  EXPECT_NE(known_->name, first);
  EXPECT_THAT(backups_in(spool_), ElementsAre(known_->name));
}

TEST_F(Spool, ForgetsWhatSomebodyHasTakenOutOfIt) {
  take_snapshot();
  spool_ = std::make_shared<fakes::Shelf>(clock_);
  stores_.spooled = spool_;
  tend();
  ASSERT_TRUE(stores_.run());
  tend();
  EXPECT_EQ(known_->name, "");
  EXPECT_THAT(said_.lines, Contains(HasSubstr("any more")));
}

TEST_F(Spool, WritesNothingToAStoreThatIsAnotherAgents) {
  take_snapshot();
  put(std::string(model::kStoreLockKey), model::note_value(etcd_.cluster(), "b"));
  tend();
  ASSERT_TRUE(stores_.run());
  tend();
  EXPECT_THAT(backups_in(shelf_), IsEmpty());
  EXPECT_NE(known_->name, "");
}

TEST_F(Spool, GivesUpOnADiskThatHangs) {
  tend(&snapshot_);
  clock_.advance(minutes{5});
  EXPECT_FALSE(tend(&snapshot_).spooled);
  clock_.advance(minutes{1});
  tend(&snapshot_);
  ASSERT_TRUE(known_);
  EXPECT_THAT(known_->failed, HasSubstr("hangs"));
  EXPECT_THAT(notes_, ElementsAre("intent", "failed"));
}

// What it would have replaced is still there, and nobody touches the disk before it has come back.
TEST_F(Spool, WhatWasGivenUpTakesNothingAwayWhenItComesBack) {
  take_snapshot();
  const std::string first = known_->name;
  clock_.advance(minutes{20});
  put("key", "two");
  tend(&snapshot_);  // begins
  clock_.advance(minutes{6});
  tend(&snapshot_);
  EXPECT_EQ(known_->name, first);
  tend();
  EXPECT_FALSE(stores_.run());
  EXPECT_TRUE(aside_.run());
  EXPECT_THAT(backups_in(spool_), Contains(first));
  tend();
  ASSERT_TRUE(stores_.run());
  tend();
  EXPECT_THAT(backups_in(shelf_), ElementsAre(first));
}

TEST_F(Spool, BringsTheOneThatAKilledAgentDidNotRemember) {
  take_snapshot();
  const std::string there = known_->name;
  known_->name = "2026-11-18T08:20:30Z-r7-a";
  tend();
  ASSERT_TRUE(stores_.run());
  tend();
  EXPECT_EQ(known_->name, "");
  EXPECT_THAT(backups_in(shelf_), ElementsAre(there));
}

TEST_F(Spool, DoesNotWaitForWorkThatHasNotEnded) {
  ASSERT_TRUE(aside_.begin([] {}));
  tend(&snapshot_);
  ASSERT_TRUE(known_);
  EXPECT_THAT(known_->failed, HasSubstr("has not ended"));
}

TEST_F(Spool, DoesNotForgetForAFailureWhatTheStoreStillHasToGet) {
  take_snapshot();
  const model::Spooled first = *known_;
  clock_.advance(minutes{20});
  aside_.no_spool = base::Error{base::ErrorKind::Transient, "disk full", ""};
  take_snapshot();
  EXPECT_THAT(known_->failed, HasSubstr("disk full"));
  EXPECT_EQ(known_->name, first.name);
  EXPECT_EQ(known_->folder, first.folder);
}

TEST_F(Spool, DoesNotTakeAwayWhatIsOnItsWay) {
  take_snapshot();
  const std::string first = known_->name;
  tend();  // it is being brought
  clock_.advance(minutes{20});
  put("key", "two");
  take_snapshot();
  EXPECT_THAT(backups_in(spool_), testing::SizeIs(2));
  ASSERT_TRUE(stores_.run());
  tend();
  EXPECT_THAT(backups_in(shelf_), ElementsAre(first));
  EXPECT_THAT(backups_in(spool_), ElementsAre(known_->name)) << "the second waits for its turn";
}

TEST_F(Spool, BringsNothingThatIsNotWhatWasWritten) {
  take_snapshot();
  spool_->flip_byte(known_->name + "/etcd.backup.gz", 40);
  tend();
  ASSERT_TRUE(stores_.run());
  tend();
  EXPECT_THAT(backups_in(shelf_), IsEmpty());
  EXPECT_THAT(backups_in(spool_), ElementsAre(known_->name));
  EXPECT_THAT(shelf_->objects(), IsEmpty()) << "not even half of it";
  EXPECT_THAT(said_.lines, Contains(HasSubstr("not what was written")));
}

TEST_F(Spool, BringsItAlsoWhenTheFileHasNoSpoolAnyMore) {
  take_snapshot();
  auto changed = std::make_shared<Followed>(*followed_);
  changed->desired.backup->spool.clear();
  followed_ = changed;
  tend();
  ASSERT_TRUE(stores_.run());
  tend();
  EXPECT_EQ(known_->name, "");
  EXPECT_THAT(backups_in(shelf_), testing::SizeIs(1));
}

TEST_F(Spool, ClearsAwayWhatAKilledAgentHasLeft) {
  spool_->set("2026-11-18T08:20:30Z-r7-a/etcd.backup.gz", "half of one");
  take_snapshot();
  EXPECT_EQ(spool_->objects().count("2026-11-18T08:20:30Z-r7-a/etcd.backup.gz"), 0U);
}

}  // namespace quorate::loop
