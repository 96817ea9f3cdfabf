// The life of a backup over a store and a cluster in memory: made, found, fetched, verified, pinned, removed.
#include <algorithm>
#include <cstdlib>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/backup/catalog.h"
#include "reconciler/backup/census.h"
#include "reconciler/backup/create.h"
#include "reconciler/backup/fetch.h"
#include "reconciler/backup/test_restore.h"
#include "reconciler/backup/upkeep.h"
#include "reconciler/codec/sha256.h"
#include "tests/fakes/fake_etcd.h"
#include "tests/fakes/fake_store.h"
#include "tests/fakes/one_by_one.h"
#include "tests/unit/codec/collect.h"

namespace quorate::backup {
namespace {

using base::ErrorKind;
using fakes::StoreCall;
using testing::ElementsAre;
using testing::HasSubstr;

class Counting final : public ports::Entropy {
 public:
  std::string hex(int digits) override { return std::string(static_cast<std::size_t>(digits), 'e'); }
  std::uint64_t below(std::uint64_t bound) override { return ++state_ % bound; }

 private:
  std::uint64_t state_ = 0;
};

class Backups : public testing::Test {
 protected:
  Backups() {
    order_.endpoints = {"http://a:2379", "http://b:2379", "http://c:2379"};
    order_.why = "manual";
    order_.by = "quorate 0.1.0";
    order_.within = std::chrono::seconds{2};
    order_.snapshot_within = std::chrono::seconds{60};
    put("one");
  }

  void put(const std::string& value) { ASSERT_TRUE(etcd_.put("http://a:2379", "key", value, std::chrono::seconds{2})); }

  Outcome<Created> make() { return create({etcd_, store_, parallel_, clock_, entropy_, workers_}, order_); }
  // One that went well, a minute after the one before.
  Created made() {
    clock_.advance(std::chrono::minutes{1});
    auto created = make();
    if (!created) ADD_FAILURE() << created.error().error.message;
    return created.value_or(Created{});
  }
  model::StoreContents contents() {
    const auto read = read_catalog(store_, parallel_);
    if (!read) ADD_FAILURE() << read.error().error.message;
    return read.value_or(model::StoreContents{});
  }
  model::StoredBackup latest() { return find_backup(contents(), "latest", "here").value(); }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto& [name, object] : shelf_->objects()) names.push_back(name.substr(name.find('/') + 1));
    return names;
  }
  model::BackupOwner owner() { return {etcd_.cluster(), clock_.now(), {}}; }
  std::string object_of(const model::StoredBackup& backup) { return backup.path_of(file_name(*backup.object)); }

  fakes::FakeClock clock_;
  fakes::FakeEtcd etcd_{clock_,
                        *base::parse_version("3.5.16"),
                        {{"a", "http://a:2380", "http://a:2379"},
                         {"b", "http://b:2380", "http://b:2379"},
                         {"c", "http://c:2380", "http://c:2379"}}};
  std::shared_ptr<fakes::Shelf> shelf_ = std::make_shared<fakes::Shelf>(clock_);
  fakes::FakeStore store_{shelf_};
  fakes::OneByOne parallel_;
  Counting entropy_;
  codec::NoWorkers workers_;
  CreateOrder order_;
};

}  // namespace

TEST_F(Backups, AreMadeFromAFollowerWithTheMetaLast) {
  const Created created = made();
  EXPECT_FALSE(created.skipped);
  EXPECT_THAT(names(), ElementsAre("_etcd_backup.meta", "etcd.backup.gz", "quorate.json"));
  EXPECT_NE(created.facts.member, etcd_.leader());
  EXPECT_EQ(created.facts.cluster, etcd_.cluster());
  const auto name = model::parse_backup_name(created.name);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->at, created.facts.at);
  EXPECT_EQ(name->revision, created.facts.revision);
  EXPECT_THAT(created.name, testing::HasSubstr("-" + created.facts.member_name + "-"));
  const model::StoredBackup backup = latest();
  EXPECT_EQ(backup.facts, created.facts);
  EXPECT_EQ(backup.problem, "");
  ASSERT_TRUE(backup.meta);
  EXPECT_EQ(backup.meta->etcd_version, "3.5.16");
  EXPECT_EQ(backup.meta->member_count, 3);
}

TEST_F(Backups, SweepAwayWhatWritersThatWereKilledLeft) {
  shelf_->leave_upload(clock_.now() - std::chrono::hours{25});
  shelf_->leave_upload(clock_.now() - std::chrono::hours{2});
  made();
  EXPECT_EQ(shelf_->uploads(), 1U) << "somebody may be at work on the other one";
  order_.force = true;
  shelf_->fail({fakes::StoreCall::Sweep, {base::ErrorKind::Refused, "not allowed", ""}});
  made();
}

TEST_F(Backups, ComeOutAsTheyWentInHoweverTheyArePacked) {
  std::string sent;
  ASSERT_TRUE(etcd_.snapshot(
      "http://b:2379",
      [&](std::string_view piece) {
        sent += piece;
        return true;
      },
      std::chrono::seconds{5}));
  order_.force = true;
  for (const auto packing : {model::Packing::None, model::Packing::Gzip, model::Packing::Zstd}) {
    for (const bool sealed : {false, true}) {
      order_.packing = packing;
      order_.key = sealed ? std::optional(codec::SealKey{std::string(32, 'k')}) : std::nullopt;
      made();
      const model::StoredBackup backup = latest();
      EXPECT_EQ(backup.object, (model::BackupObject{packing, sealed}));
      tests::Collect out;
      const auto fetched = fetch(store_, backup, order_.key ? &*order_.key : nullptr, &out, {});
      ASSERT_TRUE(fetched) << fetched.error().error.message;
      EXPECT_TRUE(fetched->has_hash);
      EXPECT_TRUE(fetched->recorded);
      EXPECT_TRUE(out.finished);
      EXPECT_TRUE(out.text == sent);
      tests::Collect hasty;
      ASSERT_TRUE(fetch(store_, backup, order_.key ? &*order_.key : nullptr, &hasty, {}, {&workers_, true}));
      EXPECT_TRUE(hasty.text == sent);
    }
  }
}

TEST_F(Backups, AreNotMadeAgainWhereNothingWasWritten) {
  const Created first = made();
  shelf_->set(first.name + "/quorate.json", [&] {
    model::BackupFacts facts = first.facts;  // the fake's database is none, so its revision is a lower bound
    facts.revision_exact = true;
    return to_json(facts);
  }());
  const Created second = made();
  EXPECT_TRUE(second.skipped);
  EXPECT_EQ(second.name, first.name);
  order_.force = true;
  EXPECT_FALSE(made().skipped);
  order_.force = false;
  put("two");
  EXPECT_FALSE(made().skipped);
}

// What agents write for themselves is no reason for another backup; a deletion is one.
TEST_F(Backups, AreMadeAgainForWhatOthersWroteOrDeleted) {
  put("two");
  const Created first = made();
  shelf_->set(first.name + "/quorate.json", [&] {
    model::BackupFacts facts = first.facts;
    facts.revision_exact = true;
    return to_json(facts);
  }());
  ASSERT_TRUE(etcd_.put("http://a:2379", "/quorate/store", "ours", std::chrono::seconds{2}));
  EXPECT_TRUE(made().skipped);
  ports::Txn deletion;
  deletion.then = {{"key", std::nullopt, 0}};
  ASSERT_TRUE(etcd_.transact("http://a:2379", deletion, std::chrono::seconds{2}));
  EXPECT_FALSE(made().skipped);
}

// Else two agents could write side by side.
TEST_F(Backups, EndBeforeTheyAreVisibleWhenTheyMayNotGoOn) {
  int asked = 0;
  order_.may_go_on = [&]() -> base::Result<void> {
    if (++asked <= 2) return {};
    return tl::unexpected(base::Error{ErrorKind::Conflict, "somebody else's by now", ""});
  };
  clock_.advance(std::chrono::minutes{1});
  const auto created = make();
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().trouble, Trouble::Refused);
  EXPECT_EQ(created.error().error.message, "somebody else's by now");
  EXPECT_TRUE(contents().backups.empty());
  EXPECT_TRUE(names().empty()) << "nothing is left";
}

// What comes after the last piece may take longer than the lease lives.
TEST_F(Backups, AskWhetherTheyMayGoOnRightBeforeEachFileThatOthersSee) {
  for (const std::string after : {"etcd.backup.gz", "quorate.json"}) {
    order_.may_go_on = [&]() -> base::Result<void> {
      const auto there = names();
      if (std::find(there.begin(), there.end(), after) == there.end()) return {};
      return tl::unexpected(base::Error{ErrorKind::Conflict, "somebody else's by now", ""});
    };
    clock_.advance(std::chrono::minutes{1});
    const auto created = make();
    ASSERT_FALSE(created) << after;
    EXPECT_EQ(created.error().trouble, Trouble::Refused);
    EXPECT_TRUE(names().empty()) << "nothing is left";
  }
}

TEST_F(Backups, AreVerifiedOnlyAsLongAsTheStoreIsOurs) {
  made();
  const MayGoOn ended = []() -> base::Result<void> {
    return tl::unexpected(base::Error{ErrorKind::Conflict, "the agent ends", ""});
  };
  const auto verified = verify(store_, clock_, latest(), nullptr, {}, ended);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().trouble, Trouble::Refused);
  EXPECT_FALSE(latest().verified);
  EXPECT_EQ(fetch(store_, latest(), nullptr, nullptr, {}, {}, ended).error().trouble, Trouble::Refused);
}

TEST_F(Backups, DatedInTheFutureStandForNoOther) {
  const Created first = made();
  put("two");
  clock_.advance(std::chrono::hours{50});  // its node's clock was wrong
  const Created wrong = made();
  clock_.set(clock_.now() - std::chrono::hours{49});
  model::BackupPolicy policy;
  policy.keep.within = std::chrono::hours{24};
  const auto seen = census_of(contents(), policy, owner());
  EXPECT_EQ(seen.newest, first.name);
  EXPECT_EQ(seen.covers, first.facts.at);
  EXPECT_EQ(seen.ahead, wrong.name);
  EXPECT_EQ(seen.count, 2);
  EXPECT_EQ(seen.removable, 0) << "what is kept is not counted from it";
  clock_.advance(std::chrono::hours{49});
  EXPECT_EQ(census_of(contents(), policy, owner()).newest, wrong.name) << "its time has come";
}

TEST_F(Backups, E10WhoseObjectHasAnotherSizeAreKnownByTheListing) {
  const Created first = made();
  put("two");
  const Created second = made();
  const std::string object = object_of(latest());
  shelf_->cut(object, shelf_->objects().at(object).bytes.size() - 1);
  EXPECT_THAT(contents().backups[1].problem, HasSubstr("were written"));
  const auto seen = census_of(contents(), {}, owner());
  EXPECT_EQ(seen.newest, first.name);
  EXPECT_EQ(seen.damaged, second.name);
}

// As after kill -9 between the object and the meta.
TEST_F(Backups, ThatWereNeverFinishedAreRemovedWhenNobodyCanBeAtWorkOnThem) {
  const Created made_before = made();
  std::map<std::string, std::string> files;
  for (const auto& [name, object] : shelf_->objects()) files[name.substr(name.find('/') + 1)] = object.bytes;
  const auto leave = [&](const std::string& folder) {
    shelf_->set(folder + "/etcd.backup.gz", files["etcd.backup.gz"]);
    shelf_->set(folder + "/quorate.json", files["quorate.json"]);
  };
  const std::string ours = model::backup_name(clock_.now(), 7, "a", "0f");
  leave(ours);
  leave(base::to_string(clock_.now()) + "-000001");  // of etcd-manager
  leave("prod/" + ours);                             // of another store
  const auto clear = [&] { return remove_unfinished(store_, contents(), clock_.now() - std::chrono::hours{24}, {}); };
  clock_.advance(std::chrono::hours{23});
  ASSERT_TRUE(clear());
  EXPECT_EQ(contents().unfinished.size(), 3U);
  clock_.advance(std::chrono::hours{2});
  shelf_->set(ours + "/etcd.backup.gz", files["etcd.backup.gz"]);  // somebody is at it
  ASSERT_TRUE(clear());
  EXPECT_EQ(contents().unfinished.size(), 3U);
  clock_.advance(std::chrono::hours{25});
  ASSERT_TRUE(clear());
  EXPECT_THAT(contents().unfinished, testing::Not(testing::Contains(ours)));
  EXPECT_EQ(contents().unfinished.size(), 2U);
  EXPECT_EQ(latest().name, made_before.name);
}

TEST_F(Backups, AreMadeFromAFollowerThatIsNotBehind) {
  for (int each = 0; each < 600; ++each) put(std::to_string(each));
  std::string follower;
  for (const char* name : {"a", "b", "c"}) {
    if (etcd_.id_of(name) == etcd_.leader()) continue;
    etcd_.lag(name, 550);
    follower = name;
  }
  order_.force = true;
  EXPECT_EQ(made().facts.member, etcd_.leader()) << "the others have something else to do";
  etcd_.lag(follower, 20);
  EXPECT_EQ(made().facts.member_name, follower);
}

namespace {

// Remembers who was asked for what.
class Remembering final : public fakes::FakeEtcd {
 public:
  using FakeEtcd::FakeEtcd;
  base::Result<std::optional<ports::KeyValue>> get(const std::string& endpoint, std::string_view key,
                                                   ports::Consistency consistency, base::Duration within) override {
    if (consistency == ports::Consistency::Linearizable) asked.push_back("read " + endpoint);
    return FakeEtcd::get(endpoint, key, consistency, within);
  }
  base::Result<ports::StatusAnswer> status(const std::string& endpoint, base::Duration within) override {
    asked.push_back("status " + endpoint);
    return FakeEtcd::status(endpoint, within);
  }
  base::Result<ports::Answered> snapshot(const std::string& endpoint, const Sink& sink,
                                         base::Duration within) override {
    asked.push_back("snapshot " + endpoint);
    return FakeEtcd::snapshot(endpoint, sink, within);
  }
  std::vector<std::string> asked;
};

}  // namespace

// Else what is said to be in it until then may be missing.
TEST_F(Backups, AreOfAMemberThatHasCaughtUp) {
  Remembering etcd(clock_, *base::parse_version("3.5.16"), {{"a", "http://a:2380", "http://a:2379"}});
  order_.endpoints = {"http://a:2379"};
  ASSERT_TRUE(create({etcd, store_, parallel_, clock_, entropy_, workers_}, order_));
  ASSERT_GE(etcd.asked.size(), 3U);
  EXPECT_THAT(std::vector<std::string>(etcd.asked.end() - 3, etcd.asked.end()),
              ElementsAre("read http://a:2379", "status http://a:2379", "snapshot http://a:2379"));
}

TEST_F(Backups, AreCountedByWhatTheyAreWorth) {
  const Created first = made();
  put("two");
  const Created second = made();
  put("three");
  const Created third = made();
  model::BackupPolicy policy;
  policy.to = "memory://shelf";
  policy.keep.last = 2;
  auto seen = census_of(contents(), policy, owner());
  EXPECT_EQ(seen.store, "memory://shelf");
  EXPECT_EQ(seen.count, 3);
  EXPECT_EQ(seen.newest, third.name);
  EXPECT_EQ(seen.covers, third.facts.at);
  EXPECT_EQ(seen.oldest, first.facts.at);
  EXPECT_EQ(seen.removable, 1);
  EXPECT_FALSE(seen.verified);
  shelf_->flip_byte(object_of(latest()), 40);
  ASSERT_TRUE(verify(store_, clock_, latest(), nullptr, {}));
  seen = census_of(contents(), policy, owner());
  EXPECT_EQ(seen.damaged, third.name);
  EXPECT_EQ(seen.newest, second.name) << "nobody can rely on the other one";
  EXPECT_EQ(census_of(contents(), policy, {base::ClusterId{7}, clock_.now(), {}}).count, 0)
      << "those of another cluster";
}

TEST_F(Backups, AreMadeFromWhoIsHealthy) {
  etcd_.stop("b");
  etcd_.stop("c");
  const auto without_quorum = make();
  ASSERT_FALSE(without_quorum);
  EXPECT_EQ(without_quorum.error().trouble, Trouble::Etcd);
  etcd_.start("b");
  etcd_.start("c");
  etcd_.raise({etcd_.id_of("b"), model::AlarmKind::Corrupt});
  EXPECT_NE(made().facts.member_name, "b");
}

TEST_F(Backups, LeaveNothingWhenTheStoreFails) {
  for (const StoreCall call : {StoreCall::Create, StoreCall::Write, StoreCall::Finish, StoreCall::Put}) {
    shelf_->fail({call, {ErrorKind::Transient, "no route to host", ""}});
    const auto result = make();
    ASSERT_FALSE(result) << static_cast<int>(call);
    EXPECT_EQ(result.error().trouble, Trouble::Store);
    EXPECT_TRUE(shelf_->objects().empty()) << static_cast<int>(call);
    shelf_->heal();
  }
  shelf_->fail({StoreCall::List, {ErrorKind::Refused, "access denied", ""}});
  EXPECT_EQ(make().error().trouble, Trouble::Store);
}

TEST_F(Backups, OfOneSecondDoNotMix) {
  order_.force = true;
  ASSERT_TRUE(make());
  const auto objects = shelf_->objects().size();
  const auto again = make();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().trouble, Trouble::Refused);
  EXPECT_EQ(shelf_->objects().size(), objects);
}

TEST_F(Backups, AreFoundByNameBeginningAndAge) {
  order_.force = true;
  const Created first = made();
  const Created second = made();
  EXPECT_EQ(find_backup(contents(), "latest", "here")->name, second.name);
  EXPECT_EQ(find_backup(contents(), first.name, "here")->name, first.name);
  EXPECT_EQ(find_backup(contents(), first.name.substr(0, 18), "here")->name, first.name);
  EXPECT_THAT(find_backup(contents(), "20", "here").error().error.message, HasSubstr("2 backups begin with 20"));
  const auto none = find_backup(contents(), "nothing", "here");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().trouble, Trouble::NoBackup);
}

TEST_F(Backups, ThatAreDamagedAreNeverHandedOut) {
  made();
  const model::StoredBackup backup = latest();
  const std::string whole = shelf_->objects().at(object_of(backup)).bytes;
  const auto expect_bad = [&](const char* what) {
    tests::Collect out;
    const auto fetched = fetch(store_, backup, nullptr, &out, {});
    ASSERT_FALSE(fetched) << what;
    EXPECT_EQ(fetched.error().trouble, Trouble::BadBackup) << what;
    EXPECT_FALSE(out.finished) << what;
    const auto verified = verify(store_, clock_, backup, nullptr, {});
    ASSERT_TRUE(verified);
    EXPECT_FALSE(verified->result.fine) << what;
    EXPECT_TRUE(verified->recorded);
    EXPECT_FALSE(latest().verified->fine);
  };
  shelf_->flip_byte(object_of(backup), whole.size() / 2);
  expect_bad("a flipped bit");
  shelf_->set(object_of(backup), whole);
  const auto expect_other_size = [&](const char* what) {
    const auto fetched = fetch(store_, backup, nullptr, nullptr, {});
    ASSERT_FALSE(fetched) << what;
    EXPECT_EQ(fetched.error().trouble, Trouble::BadBackup) << what;
    EXPECT_THAT(contents().backups.at(0).problem, HasSubstr("were written")) << what;
  };
  shelf_->cut(object_of(backup), whole.size() - 1);
  expect_other_size("a cut object");
  shelf_->set(object_of(backup), whole + whole);
  expect_other_size("an object that is there twice");
  shelf_->set(object_of(backup), "");
  expect_other_size("an empty object");
}

TEST_F(Backups, AreVerifiedAndTheResultStaysBesideThem) {
  made();
  const auto verified = verify(store_, clock_, latest(), nullptr, {});
  ASSERT_TRUE(verified);
  EXPECT_TRUE(verified->result.fine) << verified->result.why;
  EXPECT_TRUE(verified->recorded) << verified->why_not;
  EXPECT_EQ(latest().verified, verified->result);
  shelf_->fail({StoreCall::Read, {ErrorKind::Transient, "reset", ""}});
  const auto unread = verify(store_, clock_, latest(), nullptr, {});
  ASSERT_FALSE(unread);
  EXPECT_EQ(unread.error().trouble, Trouble::Store);
  EXPECT_TRUE(latest().verified->fine);
}

TEST_F(Backups, ThatAreSealedNeedTheirKey) {
  order_.key = codec::SealKey{std::string(32, 'k')};
  made();
  EXPECT_EQ(fetch(store_, latest(), nullptr, nullptr, {}).error().trouble, Trouble::Key);
  const codec::SealKey other{std::string(32, 'o')};
  EXPECT_EQ(fetch(store_, latest(), &other, nullptr, {}).error().trouble, Trouble::Key);
  EXPECT_TRUE(fetch(store_, latest(), &*order_.key, nullptr, {}));
}

TEST_F(Backups, OfEtcdManagerAreReadAndLeftAlone) {
  made();
  const model::StoredBackup ours = latest();
  const std::string theirs = "2019-05-07T18:28:01Z-000977";
  shelf_->set(theirs + "/etcd.backup.gz", shelf_->objects().at(object_of(ours)).bytes);
  shelf_->set(theirs + "/_etcd_backup.meta", meta_text(*ours.meta));
  const auto found = find_backup(contents(), theirs, "here");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->problem, "");
  EXPECT_FALSE(found->facts);
  EXPECT_TRUE(fetch(store_, *found, nullptr, nullptr, {}));
  const auto verified = verify(store_, clock_, *found, nullptr, {});
  ASSERT_TRUE(verified);
  EXPECT_TRUE(verified->result.fine);
  EXPECT_FALSE(verified->recorded);
  EXPECT_EQ(remove(store_, *found).error().trouble, Trouble::Refused);
}

TEST_F(Backups, ThatArePinnedStay) {
  made();
  const model::StoredBackup before = latest();
  ASSERT_TRUE(pin(store_, before, {clock_.now(), "before 3.5", "ops"}));
  ASSERT_TRUE(latest().pin);
  EXPECT_EQ(latest().pin->reason, "before 3.5");
  EXPECT_EQ(remove(store_, latest()).error().trouble, Trouble::Refused);
  EXPECT_EQ(remove(store_, before).error().trouble, Trouble::Refused) << "pinned since it was listed";
  ASSERT_TRUE(unpin(store_, latest()));
  EXPECT_TRUE(remove(store_, latest()));
  EXPECT_TRUE(shelf_->objects().empty());
}

TEST_F(Backups, ThatAreHalfRemovedAreNoBackups) {
  made();
  shelf_->fail({StoreCall::Remove, {ErrorKind::Transient, "reset", ""}, 1});
  EXPECT_FALSE(remove(store_, latest()));
  EXPECT_TRUE(contents().backups.empty());
  EXPECT_EQ(contents().unfinished.size(), 1U);
}

TEST_F(Backups, WhoseSmallFilesMakeNoSenseSaySo) {
  const Created created = made();
  shelf_->set(created.name + "/quorate.pin.json", "{");
  EXPECT_THAT(contents().backups[0].problem, HasSubstr("quorate.pin.json"));
  shelf_->set(created.name + "/quorate.pin.json", std::string(10'000'000, ' '));
  EXPECT_NE(contents().backups[0].problem, "");
  shelf_->fail({StoreCall::Get, {ErrorKind::Transient, "busy", ""}});
  EXPECT_EQ(read_catalog(store_, parallel_).error().trouble, Trouble::Store);
}

namespace {

// Says what a test says that it found.
class ScriptedRestorer final : public ports::Restorer {
 public:
  base::Result<ports::Tried> answer;
  ports::Trial asked;

  base::Result<void> ready(base::Duration /*within*/) override { return {}; }
  base::Result<void> seed(const ports::Seeding& /*seeding*/, base::Duration /*within*/) override { return {}; }
  base::Result<ports::Extracted> extract(const ports::Survivor& /*survivor*/, base::Duration /*within*/) override {
    return base::invalid("there is no survivor");
  }
  base::Result<ports::Tried> try_out(const ports::Trial& trial, base::Duration /*within*/) override {
    asked = trial;
    return answer;
  }
};

}  // namespace

TEST_F(Backups, AreTestRestoredAndComparedWithWhatWasRecorded) {
  made();
  ScriptedRestorer restorer;
  const model::BackupFacts facts = *latest().facts;
  ASSERT_TRUE(facts.hash);
  const ports::Tried same{facts.revision, facts.keys.value_or(1), facts.hash->hash, facts.hash->compact_revision,
                          facts.etcd_version};
  const auto tested = [&](const base::Result<ports::Tried>& answer) {
    restorer.answer = answer;
    tests::Collect file;
    const TestRestoreOrder order{file, {"/scratch/snapshot.db", "/scratch", "etcd", 0}, nullptr, {}, {}};
    auto done = test_restore({store_, restorer, clock_}, latest(), order);
    if (!done) ADD_FAILURE() << done.error().error.message;
    return done.value_or(Verified{});
  };
  const Verified fine = tested(same);
  EXPECT_TRUE(fine.result.fine) << fine.result.why;
  EXPECT_TRUE(fine.recorded) << fine.why_not;
  EXPECT_EQ(restorer.asked.revision, facts.hash->revision);
  EXPECT_EQ(latest().verified, fine.result);
  EXPECT_EQ(latest().verified->how, model::VerifiedHow::Restore);

  ports::Tried other = same;
  other.hash = same.hash + 1;
  EXPECT_THAT(tested(other).result.why, HasSubstr("have the hash"));
  EXPECT_FALSE(latest().verified->fine);
  EXPECT_THAT(verify(store_, clock_, latest(), nullptr, {})->why_not, HasSubstr("and it failed"));
  EXPECT_FALSE(latest().verified->fine) << "bytes that are right take nothing back";
  other.version = "3.6.1";  // hashes of another minor say nothing
  EXPECT_TRUE(tested(other).result.fine);
  other = same;
  other.hash = same.hash + 1;
  other.compact_revision = same.compact_revision + 1;
  EXPECT_TRUE(tested(other).result.fine);
  EXPECT_EQ(tested(base::invalid("it panics")).result.why, "it panics");

  restorer.answer = tl::unexpected(base::Error{ErrorKind::Transient, "disk full", ""});
  tests::Collect file;
  const TestRestoreOrder order{file, {"/scratch/snapshot.db", "/scratch", "etcd", 0}, nullptr, {}, {}};
  const auto not_tried = test_restore({store_, restorer, clock_}, latest(), order);
  ASSERT_FALSE(not_tried) << "nobody knows whether the backup is bad";
  EXPECT_EQ(not_tried.error().trouble, Trouble::Local);
  restorer.answer = tl::unexpected(base::Error{ErrorKind::Conflict, "the agent ends", ""});
  EXPECT_EQ(test_restore({store_, restorer, clock_}, latest(), order).error().trouble, Trouble::Refused);
}

namespace {

// As etcd sends it, and as other tools lay it down.
std::string raw_snapshot() {
  std::string bytes(20480, '\0');
  for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<char>(at * 7 % 251);
  codec::Sha256 hash;
  hash.update(bytes);
  return bytes + hash.digest();
}

constexpr const char* kRaw = "v1/ns/prod/3.1.8_000000000000002a_etcd.backup";

}  // namespace

TEST_F(Backups, OfOtherToolsThatAreOneObjectAreVerifiedAndFetchedByTheirHash) {
  shelf_->set(kRaw, raw_snapshot());
  const auto found = find_backup(contents(), kRaw, "here");
  ASSERT_TRUE(found);
  const auto verified = verify(store_, clock_, *found, nullptr, {});
  ASSERT_TRUE(verified);
  EXPECT_TRUE(verified->result.fine) << verified->result.why;
  EXPECT_FALSE(verified->recorded);
  tests::Collect file;
  ASSERT_TRUE(fetch(store_, *found, nullptr, &file, {}));
  EXPECT_EQ(file.text, raw_snapshot());
  EXPECT_EQ(shelf_->objects().size(), 1U) << "nothing is laid beside it";

  shelf_->flip_byte(kRaw, 10000);
  EXPECT_FALSE(verify(store_, clock_, *found, nullptr, {})->result.fine);
  shelf_->set(kRaw, raw_snapshot().substr(0, 20480));  // cut to what looks like a database without a hash
  EXPECT_FALSE(verify(store_, clock_, *found, nullptr, {})->result.fine);
  EXPECT_EQ(fetch(store_, *found, nullptr, nullptr, {}).error().trouble, Trouble::BadBackup);
}

TEST_F(Backups, OfOtherToolsAreFoundByAnyNameThatIsGivenAsAWhole) {
  shelf_->set("prod/snapshot-of-monday", raw_snapshot());
  EXPECT_TRUE(contents().backups.empty());
  EXPECT_TRUE(find_backup(contents(), "prod/snapshot-of-monday", "here"));
  EXPECT_FALSE(find_backup(contents(), "prod/snapshot", "here")) << "a guess will not do for what nobody knows";
  EXPECT_FALSE(find_backup(contents(), "latest", "here"));
}

TEST_F(Backups, OfOtherToolsAreNeverOursToCountPinOrRemove) {
  shelf_->set(kRaw, raw_snapshot());
  shelf_->set("etcd-20990101-000000", raw_snapshot());
  const Created created = made();
  EXPECT_EQ(latest().name, created.name) << "what is called newer is another tool's";
  const auto found = find_backup(contents(), kRaw, "here");
  ASSERT_TRUE(found);
  EXPECT_EQ(pin(store_, *found, {clock_.now(), "", ""}).error().trouble, Trouble::Refused);
  EXPECT_EQ(unpin(store_, *found).error().trouble, Trouble::Refused);
  EXPECT_EQ(remove(store_, *found).error().trouble, Trouble::Refused);
  model::BackupPolicy policy;
  policy.keep.last = 1;
  const model::BackupsSeen seen = census_of(contents(), policy, owner());
  EXPECT_EQ(seen.count, 1);
  EXPECT_EQ(seen.removable, 0);
  EXPECT_EQ(seen.newest, created.name);
}

TEST_F(Backups, CountAsVerifiedOnlyWhenThatWasDoneAsTheFileWants) {
  made();
  ASSERT_TRUE(verify(store_, clock_, latest(), nullptr, {}));
  model::BackupPolicy policy;
  EXPECT_TRUE(census_of(contents(), policy, owner()).verified);
  policy.verify_how = model::VerifiedHow::Restore;
  EXPECT_FALSE(census_of(contents(), policy, owner()).verified);
}

}  // namespace quorate::backup
