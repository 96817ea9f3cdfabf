// What an agent does about backups, over a cluster and a store in memory.
#include "reconciler/loop/store_keeper.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/loop/turn.h"
#include "reconciler/model/backup.h"
#include "reconciler/model/observed_json.h"
#include "reconciler/model/records.h"
#include "reconciler/model/standing_json.h"
#include "reconciler/observe/agents.h"
#include "tests/fakes/fake_etcd.h"
#include "tests/fakes/fake_store.h"
#include "tests/fakes/one_by_one.h"
#include "tests/fakes/one_shelf.h"
#include "tests/support/desired_builder.h"
#include "tests/support/records_in.h"

namespace quorate::loop {
namespace {

using fakes::OneShelf;
using fakes::StoreCall;
using model::Fact;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

constexpr base::Duration kWithin{2000};

class Numbers final : public ports::Entropy {
 public:
  std::string hex(int digits) override { return std::string(static_cast<std::size_t>(digits), 'e'); }
  std::uint64_t below(std::uint64_t bound) override { return ++state_ % bound; }

 private:
  std::uint64_t state_ = 0;
};

class Entries final : public ports::Journal {
 public:
  base::Result<void> append(const model::JournalEntry& entry) override {
    lines.push_back(entry.step + " " + std::string(model::name_of(entry.event)));
    return {};
  }
  base::Result<std::vector<model::JournalEntry>> read() override { return std::vector<model::JournalEntry>{}; }
  std::vector<std::string> lines;
};

class Told final : public ports::Events {
 public:
  void say(ports::EventLevel /*level*/, const std::string& text) override { lines.push_back(text); }
  std::vector<std::string> lines;
};

// Finds in each backup what was recorded, unless the test says otherwise.
class Trier final : public ports::Restorer {
 public:
  base::Result<void> ready(base::Duration /*within*/) override {
    if (!tools) return tl::unexpected(base::Error{base::ErrorKind::Refused, "there is no etcdutl", "install it"});
    return {};
  }
  base::Result<void> seed(const ports::Seeding& /*seeding*/, base::Duration /*within*/) override { return {}; }
  base::Result<ports::Extracted> extract(const ports::Survivor& /*survivor*/, base::Duration /*within*/) override {
    return base::invalid("nobody asked");
  }
  base::Result<ports::Tried> try_out(const ports::Trial& trial, base::Duration /*within*/) override {
    ++tried;
    asked = trial;
    return found();
  }
  bool tools = true;
  int tried = 0;
  ports::Trial asked;
  std::function<base::Result<ports::Tried>()> found = [] { return base::invalid("it panics"); };
};

class Keeper : public testing::Test {
 protected:
  struct Agent {
    explicit Agent(Keeper& test, std::string name)
        : member(std::move(name)),
          stores(test.shelf_),
          keeper({test.etcd_, stores, test.parallel_, test.clock_, test.entropy_, &restorer}, journal, told, member,
                 kWithin) {}
    std::string member;
    OneShelf stores;
    Trier restorer;
    Entries journal;
    Told told;
    StoreKeeper keeper;
  };

  Keeper() {
    Followed followed;
    followed.desired = support::DesiredBuilder{}.members(3).build();
    for (std::size_t i = 0; i < 3; ++i) followed.desired.members[i].name = std::string(1, static_cast<char>('a' + i));
    model::BackupPolicy policy;
    policy.to = "memory://shelf";
    policy.every = hours{1};
    policy.warn_after = hours{2};
    policy.page_after = hours{6};
    followed.desired.backup = policy;
    followed.digest = "of the file";
    followed_ = std::make_shared<Followed>(std::move(followed));
    put("key", "one");
    bring_into_force();
  }

  void put(const std::string& key, const std::string& value) { ASSERT_TRUE(etcd_.put(kAt, key, value, kWithin)); }
  void bring_into_force() {
    put(std::string(model::kInForceKey), model::in_force_value(etcd_.cluster(), {"of the file", ++counter_, 0}));
  }
  std::string leader() const {
    for (const char* name : {"a", "b", "c"}) {
      if (etcd_.id_of(name) == etcd_.leader()) return name;
    }
    return "";
  }
  std::string follower() const { return leader() == "a" ? "b" : "a"; }

  AgentView view() {
    AgentView view;
    view.followed = followed_;
    view.desired = followed_->desired;
    view.serving = kAt;
    view.followers = {"a", "b", "c"};
    view.observed.at = clock_.now();
    model::Membership membership{etcd_.cluster(), true, {}};
    for (const std::string name : {"a", "b", "c"}) {
      const std::string url = "http://" + name + ":2379";
      const auto status = etcd_.status(url, kWithin);
      model::ObservedMember member;
      member.listed = {etcd_.id_of(name), name, {"http://" + name + ":2380"}, {url}, false, false};
      member.listed.learner = name == learner_;
      if (status) {
        member.status = Fact<model::MemberStatus>::known(status->status, clock_.now());
        member.serves = Fact<base::Duration>::known({}, clock_.now());
      }
      membership.members.push_back(std::move(member));
    }
    view.observed.membership = Fact<model::Membership>::known(std::move(membership), clock_.now());
    view.agents.records = support::records_in(etcd_, kAt);
    view.agents.store = view.desired.backup->to;
    view.agents.own.member = leader();
    view.agents.own.facts.standing = standing_;
    observe::add_agents(view.observed, view.agents);
    view.plan.gated.plan.id = "5c1e90aa";
    view.plan.gated.plan.steps = planned_;
    return view;
  }

  // Passes and jobs, until there is nothing left to do now.
  StoreTurn settle(Agent& agent, const model::Step* before = nullptr) {
    StoreTurn turn;
    for (int pass = 0; pass < 20; ++pass) {
      turn = agent.keeper.tend(view(), before);
      if (!agent.stores.run() && !turn.did) return turn;
    }
    ADD_FAILURE() << "it never comes to rest";
    return turn;
  }
  model::StoreRecord record() { return view().agents.records->store; }
  std::size_t backups() const {
    std::size_t count = 0;
    for (const auto& [name, object] : shelf_->objects()) count += name.find("_etcd_backup.meta") != std::string::npos;
    return count;
  }
  std::string why_of_the_newest() const {
    std::string facts;
    for (const auto& [name, object] : shelf_->objects()) {
      if (name.find("/quorate.json") != std::string::npos) facts = object.bytes;
    }
    return facts;
  }
  std::string of_the_newest(const std::string& file) const {
    std::string bytes;
    for (const auto& [name, object] : shelf_->objects()) {
      if (name.find("/" + file) != std::string::npos) bytes = object.bytes;
    }
    return bytes;
  }
  std::string verified_of_the_newest() const { return of_the_newest("quorate.verified.json"); }
  base::Result<ports::Tried> what_was_recorded() const {
    const auto facts = model::read_backup_facts(why_of_the_newest(), "facts");
    if (!facts || !facts->hash) return base::invalid("nothing was recorded");
    return ports::Tried{facts->revision, facts->keys.value_or(0), facts->hash->hash, facts->hash->compact_revision,
                        facts->etcd_version};
  }
  std::optional<model::Observed> published() const {
    const auto objects = shelf_->objects();
    const auto found = objects.find(std::string(model::kPublished));
    if (found == objects.end()) return std::nullopt;
    const auto read = model::read_observed(found->second.bytes, found->first);
    EXPECT_TRUE(read) << read.error().message;
    return read ? std::optional(*read) : std::nullopt;
  }
  void pass_an_hour() { clock_.advance(hours{1}); }

  static constexpr const char* kAt = "http://a:2379";
  fakes::FakeClock clock_;
  fakes::FakeEtcd etcd_{clock_,
                        *base::parse_version("3.5.16"),
                        {{"a", "http://a:2380", "http://a:2379"},
                         {"b", "http://b:2380", "http://b:2379"},
                         {"c", "http://c:2380", "http://c:2379"}}};
  std::shared_ptr<fakes::Shelf> shelf_ = std::make_shared<fakes::Shelf>(clock_);
  fakes::OneByOne parallel_;
  Numbers entropy_;
  std::shared_ptr<Followed> followed_;
  std::int64_t counter_ = 0;
  std::optional<model::Standing> standing_;  // of the node whose agent looks
  std::vector<model::Step> planned_;
  std::string learner_;
};

model::Step step_for(model::Action action) {
  model::Step step;
  step.action = std::move(action);
  step.id = model::step_id(step.action);
  return step;
}
model::Step backup_step() {
  return step_for(model::Backup{"prod"});
}

}  // namespace

TEST_F(Keeper, MakesTheFirstBackupAtOnceAndTheNextWhenItIsDue) {
  Agent agent(*this, leader());
  const StoreTurn turn = settle(agent);
  EXPECT_EQ(backups(), 1U);
  ASSERT_TRUE(turn.wait);
  EXPECT_GT(*turn.wait, minutes{59});
  ASSERT_TRUE(record().seen);
  EXPECT_EQ(record().seen->count, 1);
  EXPECT_FALSE(record().trouble);
  EXPECT_THAT(agent.journal.lines, testing::ElementsAre("backup/prod done"));
  put("key", "two");
  clock_.advance(minutes{59});
  settle(agent);
  EXPECT_EQ(backups(), 1U);
  clock_.advance(minutes{1});
  settle(agent);
  EXPECT_EQ(backups(), 2U);
}

TEST_F(Keeper, ABackupThatIsDueWaitsForThoseWhoJoin) {
  Agent agent(*this, leader());
  planned_ = {step_for(model::AddMember{"c", {"http://c:2380"}, {}})};
  const StoreTurn turn = settle(agent);
  EXPECT_EQ(backups(), 0U);
  ASSERT_TRUE(turn.wait);
  EXPECT_EQ(*turn.wait, minutes{10});
  ASSERT_TRUE(record().seen) << "the store is looked at all the same";
  clock_.advance(minutes{1});
  learner_ = follower();
  planned_.clear();
  EXPECT_EQ(settle(agent).wait, minutes{9});
  EXPECT_EQ(backups(), 0U);
  learner_.clear();
  settle(agent);
  EXPECT_EQ(backups(), 1U);
}

TEST_F(Keeper, ABackupThatIsDueDoesNotWaitForAJoinThatHangs) {
  Agent agent(*this, leader());
  learner_ = follower();
  settle(agent);
  clock_.advance(minutes{10});
  settle(agent);
  EXPECT_EQ(backups(), 1U);
  pass_an_hour();
  put("key", "two");
  settle(agent);
  EXPECT_EQ(backups(), 2U) << "it still hangs";
  learner_.clear();
  settle(agent);
  pass_an_hour();
  put("key", "three");
  planned_ = {step_for(model::AddMember{"c", {"http://c:2380"}, {}})};
  settle(agent);
  EXPECT_EQ(backups(), 2U) << "another one";
}

TEST_F(Keeper, SaysSinceWhenNoBackupIsKnownUntilOneIs) {
  Agent other(*this, follower());
  EXPECT_FALSE(other.keeper.tend(view(), nullptr).did);
  EXPECT_FALSE(record().awaited);
  Agent agent(*this, leader());
  const base::Time began = clock_.now();
  for (int pass = 0; pass < 3; ++pass) {  // the store hangs: no work ends
    agent.keeper.tend(view(), nullptr);
    pass_an_hour();
  }
  EXPECT_EQ(record().awaited, (model::BackupAwaited{"memory://shelf", began}));
  EXPECT_EQ(view().observed.backup_awaited, began);
  settle(agent);
  EXPECT_EQ(backups(), 1U);
  EXPECT_FALSE(record().awaited);
  ASSERT_TRUE(published());
  EXPECT_FALSE(published()->backup_awaited);
}

TEST_F(Keeper, WaitsAnewWhereTheFileNamesAnotherStore) {
  Agent agent(*this, leader());
  agent.keeper.tend(view(), nullptr);
  pass_an_hour();
  Followed followed = *followed_;
  followed.desired.backup->to = "memory://other";
  followed_ = std::make_shared<Followed>(std::move(followed));
  agent.keeper.tend(view(), nullptr);
  EXPECT_EQ(record().awaited, (model::BackupAwaited{"memory://other", clock_.now()}));
}

TEST_F(Keeper, LeavesItToTheAgentOfTheLeader) {
  Agent agent(*this, follower());
  settle(agent);
  EXPECT_EQ(backups(), 0U);
  EXPECT_EQ(shelf_->calls().size(), 0U) << "nobody else looks at the store, either";
}

TEST_F(Keeper, KnowsWhatAnotherAgentHasSeen) {
  Agent first(*this, leader());
  settle(first);
  const model::Observed observed = view().observed;
  ASSERT_TRUE(observed.backups);
  EXPECT_EQ(observed.backups->count, 1);
  ASSERT_TRUE(observed.last_backup);
  EXPECT_EQ(*observed.last_backup, observed.backups->covers);
}

TEST_F(Keeper, SaysOnceThatAStoreFailsAndTriesMoreAndMoreSeldom) {
  shelf_->fail({StoreCall::List, {base::ErrorKind::Transient, "no route to the store", ""}, 0, -1});
  Agent agent(*this, leader());
  std::vector<base::Duration> pauses;
  for (int i = 0; i < 6; ++i) {
    const StoreTurn turn = settle(agent);
    ASSERT_TRUE(turn.wait);
    pauses.push_back(*turn.wait);
    clock_.advance(*turn.wait);
  }
  EXPECT_GT(pauses[5], 8 * pauses[0]);
  EXPECT_THAT(agent.told.lines, SizeIs(1));
  ASSERT_TRUE(record().trouble);
  EXPECT_EQ(record().trouble->text, "no route to the store");
  EXPECT_LT(record().trouble->since, clock_.now() - seconds{10});
  EXPECT_FALSE(view().observed.backups);
  shelf_->heal();
  clock_.advance(minutes{15});
  settle(agent);
  EXPECT_FALSE(record().trouble);
  EXPECT_EQ(backups(), 1U);
}

TEST_F(Keeper, KeepsWhatWasKnownWhileTheStoreFails) {
  Agent agent(*this, leader());
  settle(agent);
  shelf_->fail({StoreCall::List, {base::ErrorKind::Transient, "no route to the store", ""}, 0, -1});
  put("key", "two");
  pass_an_hour();
  settle(agent);
  ASSERT_TRUE(record().seen);
  EXPECT_EQ(record().seen->count, 1);
  ASSERT_TRUE(record().trouble);
}

TEST_F(Keeper, ABackupBeforeAChangeIsMadeAlthoughNoneIsDue) {
  Agent agent(*this, leader());
  settle(agent);
  put("key", "two");
  clock_.advance(minutes{20});
  const model::Step step = backup_step();
  EXPECT_EQ(agent.keeper.tend(view(), &step).waits, "the backup before the change");
  ASSERT_TRUE(agent.stores.run());
  EXPECT_TRUE(agent.keeper.tend(view(), nullptr).did);
  EXPECT_EQ(backups(), 2U);
  EXPECT_THAT(why_of_the_newest(), HasSubstr("before 5c1e90aa"));
  EXPECT_LT(clock_.now() - *view().observed.last_backup, minutes{1});
}

TEST_F(Keeper, AChangeIsToldWhyThereIsNoBackup) {
  shelf_->fail({StoreCall::Create, {base::ErrorKind::Refused, "403 for its key", ""}, 0, -1});
  Agent agent(*this, leader());
  const model::Step step = backup_step();
  const StoreTurn turn = settle(agent, &step);
  ASSERT_TRUE(turn.failed);
  EXPECT_EQ(turn.failed->message, "403 for its key");
  EXPECT_EQ(backups(), 0U);
  EXPECT_THAT(agent.journal.lines, testing::ElementsAre("backup/prod failed"));
}

TEST_F(Keeper, TwoAgentsNeverWorkOnTheStoreSideBySide) {
  Agent one(*this, leader());
  settle(one);
  put("key", "two");
  pass_an_hour();
  // As if the other one were in the middle of it.
  const auto lease = etcd_.grant_lease(kAt, seconds{60}, kWithin);
  ports::Txn txn;
  txn.then = {{std::string(model::kStoreLockKey), model::note_value(etcd_.cluster(), "another"), *lease}};
  ASSERT_TRUE(etcd_.transact(kAt, txn, kWithin));
  settle(one);
  EXPECT_EQ(backups(), 1U);
  EXPECT_FALSE(record().trouble) << "nothing is wrong with the store";
  clock_.advance(seconds{70});  // it died
  settle(one);
  EXPECT_EQ(backups(), 2U);
}

TEST_F(Keeper, WorksForNoFileThatIsNoLongerInForce) {
  Agent agent(*this, leader());
  agent.keeper.tend(view(), nullptr);
  agent.stores.run();
  agent.keeper.tend(view(), nullptr);
  agent.keeper.tend(view(), nullptr);  // the backup has begun, and waits for its thread
  bring_into_force();
  agent.stores.run();
  EXPECT_EQ(backups(), 0U);
}

TEST_F(Keeper, RemovesWhatIsNotKeptOneBackupLater) {
  followed_->desired.backup->keep.last = 2;
  Agent agent(*this, leader());
  for (int i = 0; i < 4; ++i) {
    put("key", std::to_string(i));
    settle(agent);
    pass_an_hour();
  }
  EXPECT_EQ(backups(), 2U);
  EXPECT_THAT(agent.journal.lines, Contains("prune/prod done").Times(2));
  EXPECT_EQ(record().seen->removable, 0);
}

TEST_F(Keeper, PrunesNothingWhilePausedAndGoesOnWithBackups) {
  followed_->desired.backup->keep.last = 1;
  Agent agent(*this, leader());
  settle(agent);
  followed_->desired.paused = model::Paused{"a switch", clock_.now() + hours{5}, {}};
  put("key", "two");
  pass_an_hour();
  settle(agent);
  EXPECT_EQ(backups(), 2U);
}

TEST_F(Keeper, VerifiesTheNewestWhereTheFileWantsIt) {
  followed_->desired.backup->verify_every = hours{24};
  Agent agent(*this, leader());
  settle(agent);
  ASSERT_TRUE(record().seen->verified);
  EXPECT_EQ(record().seen->verified_name, record().seen->newest);
  const auto count = agent.journal.lines.size();
  settle(agent);
  EXPECT_EQ(agent.journal.lines.size(), count) << "once is enough";
}

TEST_F(Keeper, RestoresTheNewestAsideWhereTheFileWantsIt) {
  followed_->desired.backup->verify_every = hours{24};
  followed_->desired.backup->verify_how = model::VerifiedHow::Restore;
  Agent agent(*this, leader());
  agent.restorer.found = [this] { return what_was_recorded(); };
  settle(agent);
  EXPECT_EQ(agent.restorer.tried, 1);
  EXPECT_EQ(agent.restorer.asked.snapshot, "snapshot.db");
  ASSERT_TRUE(record().seen->verified);
  EXPECT_EQ(record().seen->verified_how, model::VerifiedHow::Restore);
  EXPECT_FALSE(record().trouble);
  EXPECT_THAT(verified_of_the_newest(), HasSubstr("\"restore\""));
  pass_an_hour();
  settle(agent);
  EXPECT_EQ(agent.restorer.tried, 1) << "once a day";
  clock_.advance(hours{23});
  settle(agent);
  EXPECT_EQ(agent.restorer.tried, 2);
}

// It may take longer than the lease lives, which nobody renews meanwhile.
TEST_F(Keeper, ATestRestoreIsRecordedOnlyByWhoeverHasTheStore) {
  followed_->desired.backup->verify_every = hours{24};
  followed_->desired.backup->verify_how = model::VerifiedHow::Restore;
  Agent agent(*this, leader());
  bool taken = true;
  agent.restorer.found = [&] {
    clock_.advance(minutes{5});
    const auto lease = etcd_.grant_lease(kAt, seconds{60}, kWithin);
    ports::Txn txn;
    txn.then = {{std::string(model::kStoreLockKey), model::note_value(etcd_.cluster(), "another"), *lease}};
    EXPECT_TRUE(!taken || etcd_.transact(kAt, txn, kWithin));
    return what_was_recorded();
  };
  settle(agent);
  EXPECT_EQ(verified_of_the_newest(), "");
  EXPECT_FALSE(record().trouble) << "nothing is wrong with the store";
  taken = false;
  clock_.advance(minutes{5});
  settle(agent);
  EXPECT_THAT(verified_of_the_newest(), HasSubstr("\"restore\""));
  EXPECT_TRUE(record().seen->verified);
}

TEST_F(Keeper, ATestRestoreHearsThatItsAgentEnds) {
  followed_->desired.backup->verify_every = hours{24};
  followed_->desired.backup->verify_how = model::VerifiedHow::Restore;
  Agent agent(*this, leader());
  const StorePorts ports{etcd_, agent.stores, parallel_, clock_, entropy_, &agent.restorer};
  auto keeper = std::make_unique<StoreKeeper>(ports, agent.journal, agent.told, agent.member, kWithin);
  std::size_t calls = 0;
  agent.restorer.found = [&]() -> base::Result<ports::Tried> {
    EXPECT_FALSE(agent.restorer.asked.ends());
    keeper.reset();
    EXPECT_TRUE(agent.restorer.asked.ends());
    calls = shelf_->calls().size();
    return tl::unexpected(base::Error{base::ErrorKind::Conflict, "the agent ends", ""});
  };
  for (int pass = 0; pass < 20 && keeper; ++pass) {
    keeper->tend(view(), nullptr);
    agent.stores.run();
  }
  EXPECT_FALSE(keeper);
  EXPECT_EQ(agent.restorer.tried, 1);
  EXPECT_EQ(shelf_->calls().size(), calls) << "the store is not asked any more";
  EXPECT_EQ(verified_of_the_newest(), "");
}

TEST_F(Keeper, AChecksumOfYesterdayIsNoTestRestore) {
  followed_->desired.backup->verify_every = hours{24};
  Agent agent(*this, leader());
  agent.restorer.found = [this] { return what_was_recorded(); };
  settle(agent);
  EXPECT_EQ(record().seen->verified_how, model::VerifiedHow::Checksum);
  auto changed = std::make_shared<Followed>(*followed_);
  changed->desired.backup->verify_how = model::VerifiedHow::Restore;
  followed_ = changed;
  settle(agent);
  EXPECT_EQ(agent.restorer.tried, 1);
  EXPECT_EQ(record().seen->verified_how, model::VerifiedHow::Restore);
}

TEST_F(Keeper, ABackupThatCannotBeRestoredIsNoneAndAnotherIsMade) {
  followed_->desired.backup->verify_every = hours{24};
  followed_->desired.backup->verify_how = model::VerifiedHow::Restore;
  Agent agent(*this, leader());
  settle(agent);  // it panics, and so do its successors
  EXPECT_EQ(backups(), 2U);
  EXPECT_EQ(agent.restorer.tried, 1) << "the next one has a moment";
  for (int minute = 0; minute < 60; ++minute) {
    clock_.advance(minutes{1});
    settle(agent);
  }
  EXPECT_LE(backups(), 14U) << "more and more seldom";
  ASSERT_TRUE(record().seen);
  EXPECT_NE(record().seen->damaged, "");
  EXPECT_FALSE(record().trouble) << "the store is well";
  EXPECT_THAT(agent.told.lines, Contains(HasSubstr("cannot be relied on: it panics")));
}

TEST_F(Keeper, SaysThatItCannotTryBackupsOutAndGoesOnMakingThem) {
  followed_->desired.backup->verify_every = hours{24};
  followed_->desired.backup->verify_how = model::VerifiedHow::Restore;
  Agent agent(*this, leader());
  agent.restorer.tools = false;
  const StoreTurn turn = settle(agent);
  ASSERT_TRUE(record().trouble);
  EXPECT_EQ(record().trouble->task, model::StoreTask::Verify);
  EXPECT_EQ(record().trouble->text, "there is no etcdutl");
  const base::Time since = record().trouble->since;
  EXPECT_FALSE(record().seen->verified) << "no checksum stands in for it";
  ASSERT_TRUE(turn.wait);
  EXPECT_GE(*turn.wait, seconds{2});
  for (int hour = 0; hour < 3; ++hour) {
    put("key", std::to_string(hour));
    pass_an_hour();
    settle(agent);
  }
  EXPECT_EQ(backups(), 4U);
  ASSERT_TRUE(record().trouble);
  EXPECT_EQ(record().trouble->since, since) << "backups that succeed do not end it";
  EXPECT_EQ(std::count_if(agent.told.lines.begin(), agent.told.lines.end(),
                          [](const std::string& line) { return line.find("no etcdutl") != std::string::npos; }),
            1);
  agent.restorer.tools = true;
  agent.stores.no_place = base::Error{base::ErrorKind::Transient, "no room", ""};
  pass_an_hour();
  settle(agent);
  EXPECT_EQ(record().trouble->text, "no room");
  agent.stores.no_place.reset();
  agent.restorer.found = [this] { return what_was_recorded(); };
  pass_an_hour();
  settle(agent);
  EXPECT_FALSE(record().trouble);
  EXPECT_TRUE(record().seen->verified);
}

TEST_F(Keeper, PublishesWhatItSeesBesideTheBackups) {
  Agent agent(*this, leader());
  settle(agent);
  const auto first = published();
  ASSERT_TRUE(first);
  ASSERT_TRUE(first->backups);
  EXPECT_EQ(first->backups->count, 1);
  EXPECT_EQ(first->membership->cluster, etcd_.cluster());
  clock_.advance(minutes{5});
  settle(agent);
  EXPECT_EQ(published()->at, first->at) << "nothing was done";
  clock_.advance(minutes{11});
  settle(agent);
  EXPECT_GT(published()->at, first->at);
  put("key", "two");
  pass_an_hour();
  settle(agent);
  EXPECT_EQ(published()->backups->count, 2);
  Agent other(*this, follower());
  settle(other);
  EXPECT_EQ(backups(), 2U);
}

TEST_F(Keeper, WhatCannotBePublishedKeepsNoBackupBack) {
  Agent agent(*this, leader());
  settle(agent);
  shelf_->fail({StoreCall::Put, {base::ErrorKind::Refused, "403 for quorate/", ""}, 0, 1});
  clock_.advance(minutes{16});
  settle(agent);
  ASSERT_TRUE(record().trouble);
  EXPECT_EQ(record().trouble->task, model::StoreTask::Publish);
  put("key", "two");
  pass_an_hour();
  settle(agent);
  EXPECT_EQ(backups(), 2U);
  EXPECT_FALSE(record().trouble);
}

// The disk of a store that is known is not mounted: its place on another disk is no store, and takes no backup.
TEST_F(Keeper, MakesNoStoreOfTheEmptyPlaceOfOneThatItKnows) {
  Agent agent(*this, leader());
  settle(agent);
  put("key", "two");
  clock_.advance(minutes{50});
  settle(agent);  // looks, and will not look again before the next one is due
  shelf_->unmount();
  clock_.advance(minutes{10});
  settle(agent);
  EXPECT_TRUE(shelf_->objects().empty());
  ASSERT_TRUE(record().trouble);
  EXPECT_THAT(record().trouble->text, HasSubstr("not marked as a store"));
  EXPECT_EQ(record().seen->count, 1);
  Agent another(*this, leader());
  const model::Step step = backup_step();
  settle(another, &step);
  EXPECT_TRUE(shelf_->objects().empty()) << "nor before a change";
}

TEST_F(Keeper, MarksAFolderThatNobodyHasSeenInUse) {
  shelf_->unmount();
  Agent agent(*this, leader());
  const model::Step step = backup_step();
  agent.keeper.tend(view(), &step);
  ASSERT_TRUE(agent.stores.run());
  EXPECT_EQ(backups(), 1U);
}

// An agent of a cluster that was restored meanwhile wakes up: what it does would be the old cluster's word.
TEST_F(Keeper, WritesNothingIntoTheStoreOfAClusterThatCameAfterItsOwn) {
  Agent agent(*this, leader());
  settle(agent);
  const model::RecordedVoters after{"prod", {base::ClusterId{0x77}, 2, 9, 9, {{"a", base::MemberId{1}, {}}}}};
  shelf_->set(model::kClusterObject, model::to_json(after));
  const auto before = published();
  followed_->desired.backup->keep.last = 1;
  put("key", "two");
  clock_.advance(hours{2});
  settle(agent);
  EXPECT_EQ(backups(), 1U);
  EXPECT_EQ(published()->at, before->at);
  EXPECT_EQ(shelf_->objects().at(model::kClusterObject).bytes, model::to_json(after));
  ASSERT_TRUE(record().trouble);
  EXPECT_THAT(record().trouble->text, HasSubstr("the store is that of cluster 77, generation 2"));
}

TEST_F(Keeper, TakesOverTheStoreOfTheClusterThatItsOwnCameAfter) {
  const model::RecordedVoters before{"prod", {base::ClusterId{0x77}, 1, 9, 9, {{"a", base::MemberId{1}, {}}}}};
  shelf_->set(model::kClusterObject, model::to_json(before));
  standing_ = model::Standing{};
  standing_->voters = model::Voters{etcd_.cluster(), 2, 9, 9, {{"a", etcd_.id_of("a"), {}}}};
  Agent agent(*this, leader());
  settle(agent);
  EXPECT_EQ(backups(), 1U);
  EXPECT_EQ(shelf_->objects().at(model::kClusterObject).bytes,
            model::to_json(model::RecordedVoters{followed_->desired.name, *standing_->voters}));
}

TEST_F(Keeper, LeavesTheBackupThatARestoreNames) {
  followed_->desired.backup->keep.last = 1;
  Agent agent(*this, leader());
  settle(agent);
  const std::string named = record().seen->newest;
  followed_->desired.recovery.restore = named;
  for (int i = 0; i < 3; ++i) {
    put("key", std::to_string(i));
    pass_an_hour();
    settle(agent);
  }
  EXPECT_EQ(backups(), 2U);
  EXPECT_EQ(shelf_->objects().count(named + "/_etcd_backup.meta"), 1U);
}

TEST_F(Keeper, RemovesWhatOneThatWasKilledLeftHalfDone) {
  Agent agent(*this, leader());
  settle(agent);
  const std::string half = model::backup_name(clock_.now(), 7, "a", "0f") + "/etcd.backup.gz";
  shelf_->set(half, "half of it");
  put("key", "two");
  pass_an_hour();
  settle(agent);
  EXPECT_EQ(shelf_->objects().count(half), 1U) << "somebody may be at work on it";
  put("key", "three");
  clock_.advance(hours{25});
  settle(agent);
  EXPECT_EQ(shelf_->objects().count(half), 0U);
  EXPECT_EQ(backups(), 3U);
}

// What is not there could be a disk that is not mounted: nothing is written that would make a store of its place.
TEST_F(Keeper, PublishesNothingWhereTheStoreCannotBeRead) {
  shelf_->fail({StoreCall::List, {base::ErrorKind::Transient, "no route to the store", ""}, 0, -1});
  Agent agent(*this, leader());
  settle(agent);
  EXPECT_TRUE(shelf_->objects().empty());
}

TEST_F(Keeper, LooksAgainAfterAWhile) {
  Agent agent(*this, leader());
  settle(agent);
  for (const auto& [name, object] : shelf_->objects()) fakes::FakeStore(shelf_).remove(name);  // by hand
  clock_.advance(minutes{16});
  settle(agent);
  EXPECT_EQ(backups(), 1U) << "the one that is gone was made anew";
}

TEST_F(Keeper, DoesNothingWhileEtcdTakesNoWrites) {
  Agent agent(*this, leader());
  AgentView full = view();
  full.observed.alarms =
      Fact<std::vector<model::Alarm>>::known({{etcd_.leader(), model::AlarmKind::NoSpace}}, clock_.now());
  agent.keeper.tend(full, nullptr);
  EXPECT_FALSE(agent.stores.run());
}

}  // namespace quorate::loop
