// Clusters from backups: what was lost is said before anybody agrees, one node restores, and the others join it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <signal.h>

#include "tests/e2e/agents/stored.h"

namespace quorate::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kBump = 1'000'000'000;

class Restores : public StoredTest {
 protected:
  std::int64_t revision_of(const std::string& backup) const {
    const Json facts = Json::parse(integration::read_file(store() + "/" + backup + "/quorate.json"));
    return facts.value("revision", std::int64_t{0});
  }
  Wording with_quota(const std::string& quota, Wording wording) const {
    wording.etcd = "quota: " + quota;
    return wording;
  }
  void expect_quiet_of_space(const std::string& member) const {
    EXPECT_TRUE(Fleet::eventually([&] { return fleet_.plan(member).dump().find("NOSPACE") == std::string::npos; }));
  }
};

TEST_P(Restores, F01_F03_F05_F11_F12_D04_AllDisksAreLostUnderWritesAndTheLossIsWhatThePlanSaid) {
  form_with_store({"a", "b", "c"});
  const base::ClusterId before = fleet_.cluster_of("a");
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 20; }));
  const std::string backup = back_up();
  const std::int64_t held = revision_of(backup);
  ASSERT_TRUE(Fleet::eventually([&] { return revision() > held + 20; }));
  for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  fleet_.lose_disks({"a", "b", "c"});
  writer.stop();
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", backup + " holds revision " + std::to_string(held)));
  EXPECT_TRUE(fleet_.plans("c", "NeedsHuman", "revisions would be lost; chosen"));
  EXPECT_THAT(fleet_.steps_begun("promise/"), SizeIs(3)) << "nothing is begun unasked";

  fleet_.want({"a", "b", "c"}, ordered(2, "latest"));
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_NE(fleet_.cluster_of("a"), before);
  EXPECT_GT(revision(), held + kBump);
  const auto there =
      fleet_.etcd().get_all(fleet_.client_url("a"), "written/", ports::Consistency::Linearizable, kAnswer);
  ASSERT_TRUE(there);
  std::size_t kept = 0;
  for (const auto& [key, value] : writer.acknowledged()) {
    for (const ports::KeyValue& each : *there) kept += each.key == key && each.value == value ? 1U : 0U;
  }
  EXPECT_GE(kept, 20U);
  EXPECT_LT(kept, writer.acknowledged().size()) << "what came after the backup is lost, as the plan said";
  expect_one_content(fleet_, {"a", "b", "c"});
  EXPECT_THAT(fleet_.steps_done("restore/"), SizeIs(1));
  EXPECT_TRUE(fleet_.settle("a"));
}

// The agent has seen the store when it started; what it chooses from later is what is there then.
TEST_P(Restores, F05_TheLatestIsTheLatestWhenItIsAskedForAndNotWhenTheAgentStarted) {
  form_with_store({"a"});
  ASSERT_TRUE(fleet_.put("key", "older"));
  ASSERT_FALSE(back_up().empty());
  fleet_.kill("a");
  fleet_.kill_etcd("a");
  fleet_.start("a");
  ASSERT_TRUE(fleet_.become_voters({"a"}));
  ASSERT_TRUE(fleet_.put("key", "newer"));
  ASSERT_FALSE(back_up().empty());
  ASSERT_TRUE(fleet_.settle("a"));
  fleet_.pause("a");
  fleet_.kill_etcd("a");
  fleet_.wipe("a");
  fleet_.want({"a"}, ordered(2, "latest"));
  fleet_.resume("a");
  ASSERT_TRUE(fleet_.become_voters({"a"}, kRecovered));
  EXPECT_EQ(fleet_.get("key"), "newer");
}

TEST_P(Restores, F07_F14_ARunningClusterIsRolledBackByCommandOnceAfterABackup) {
  form_with_store({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("key", "good"));
  const std::string backup = back_up();
  ASSERT_TRUE(fleet_.put("key", "bad"));
  const std::int64_t bad = revision();
  const auto nothing =
      fleet_.quorate({"restore", "2001-01-01", "--yes", "-f", fleet_.file(), "--agent", fleet_.socket("a")});
  EXPECT_EQ(nothing.exit_code, 11) << nothing.output << nothing.errors;
  EXPECT_EQ(fleet_.get("key"), "bad");
  const auto shown =
      fleet_.quorate({"restore", backup, "--dry-run", "-f", fleet_.file(), "--agent", fleet_.socket("a")});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("restore on a (the seed)"));
  const auto done = fleet_.quorate(
      {"restore", backup, "--yes", "--timeout", "150s", "-f", fleet_.file(), "--agent", fleet_.socket("a")});
  EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.get("key"), "good");
  expect_one_content(fleet_, {"a", "b", "c"});
  const base::ClusterId cluster = fleet_.cluster_of("a");
  EXPECT_TRUE(fleet_.settle("a"));
  EXPECT_TRUE(stays([&] { return fleet_.cluster_of("a") == cluster; }));
  EXPECT_THAT(fleet_.steps_done("restore/"), SizeIs(1));
  EXPECT_FALSE(fleet_.set_aside("b").empty()) << "what was there is kept";
  const Names all = backups();
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const std::string& each) {
    return revision_of(each) >= bad && revision_of(each) < kBump;
  })) << "what was written before the order is in a backup, although another one was a few seconds old";
}

// Etcd, which keeps the order, is down for it, and whoever has read it is dead.
TEST_P(Restores, J01_F07_ARestoreByCommandGoesOnWhenTheAgentOfTheSeedDiesAfterItsPromise) {
  form_with_store({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("key", "good"));
  const std::string backup = back_up();
  ASSERT_TRUE(fleet_.put("key", "bad"));
  const std::size_t before = fleet_.steps_done("promise/a").size();
  const auto ordered = fleet_.quorate(
      {"restore", backup, "--yes", "--timeout", "1s", "-f", fleet_.file(), "--agent", fleet_.socket("b")});
  EXPECT_NE(ordered.exit_code, 0) << "it has not ended yet";
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("promise/a").size() > before; }));
  fleet_.kill("a");
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.etcd_pid("b") == 0 && fleet_.etcd_pid("c") == 0; }));
  fleet_.start("a");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.get("key"), "good");
  expect_one_content(fleet_, {"a", "b", "c"});
}

TEST_P(Restores, A08_NothingIsFormedWhereTheStoreDoesNotAnswer) {
  fs::remove_all(store());
  std::ofstream(store()) << "no folder";
  fleet_.want({"a", "b", "c"}, at_start("ifNoCluster: restore-or-new"));
  fleet_.start({"a", "b", "c"});
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "nobody can say what is in the store"));
  EXPECT_THAT(fleet_.steps_begun("promise/"), IsEmpty());
  fs::remove(store());
  fs::create_directory(store());
  std::ofstream(store() + "/.quorate-store");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
}

TEST_P(Restores, F06_ADamagedBackupIsSaidBeforeAnythingIsTakenAndTheOlderOneIsOffered) {
  form_with_store({"a"});
  ASSERT_TRUE(fleet_.put("key", "older"));
  const std::string older = back_up();
  ASSERT_TRUE(fleet_.put("key", "newer"));
  const std::string newer = back_up();
  {
    std::fstream object(store() + "/" + newer + "/etcd.backup.gz", std::ios::in | std::ios::out | std::ios::binary);
    object.seekp(2000);
    object.put('!');
  }
  ASSERT_TRUE(fleet_.settle("a"));
  fleet_.lose_disks({"a"});
  fleet_.want({"a"}, ordered(2, "latest"));
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "cannot be restored"));
  EXPECT_THAT(fleet_.plan("a").dump(), HasSubstr(older)) << "the one that could be taken";
  EXPECT_THAT(fleet_.steps_done("promise/a@").size(), 1U) << "of its formation";
  fleet_.want({"a"}, ordered(2, older));
  ASSERT_TRUE(fleet_.become_voters({"a"}, kRecovered));
  EXPECT_EQ(fleet_.get("key"), "older");
}

TEST_P(Restores, F02_F17_Attack20_NewNodesAreRestoredFromTheStoreOfACluster) {
  form_with_store({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("key", "value"));
  const std::string backup = back_up();
  for (const char* member : {"a", "b", "c"}) fleet_.lose_node(member);
  // Another name, other members, and nothing but the store.
  std::string text =
      fleet_.text({"d", "e", "f"}, at_start("ifNoCluster: restore", "protect: {approve: [destructive]}\n"));
  text.replace(text.find("name: fleet"), 11, "name: other");
  fleet_.replace_file(text);
  fleet_.start({"d", "e", "f"});
  ASSERT_TRUE(fleet_.become_voters({"d", "e", "f"}, kRecovered));
  const auto there = fleet_.etcd().get(fleet_.client_url("e"), "key", ports::Consistency::Linearizable, kAnswer);
  ASSERT_TRUE(there && *there);
  EXPECT_EQ((*there)->value, "value");
  expect_one_content(fleet_, {"d", "e", "f"});
  const base::ClusterId cluster = fleet_.cluster_of("d");
  fleet_.kill("d");
  fleet_.start("d");
  EXPECT_TRUE(stays([&] { return fleet_.cluster_of("d") == cluster; })) << "what is initialised is not restored again";
}

// None of the new nodes remembers anything, and the store knows of voters that may live elsewhere.
TEST_P(Restores, C14_VotersThatOnlyTheStoreKnowsOfAreGivenUpByTheirGeneration) {
  form_with_store({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("key", "value"));
  ASSERT_FALSE(back_up().empty());
  for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  const base::ClusterId before = fleet_.cluster_of("a");
  for (const char* member : {"a", "b", "c"}) fleet_.lose_node(member);
  const auto restoring = [&](const std::string& more) {
    Wording wording = stored("generation: 2\nrecovery: {restore: latest" + more + "}\n");
    wording.create = false;
    return wording;
  };
  fleet_.want({"d", "e"}, restoring(""));
  fleet_.start(Names{"d", "e"});
  ASSERT_TRUE(fleet_.plans("d", "NeedsObservation", "it waits for a: the file no longer lists it"));
  EXPECT_TRUE(stays([&] { return fleet_.steps_begun("").empty(); }));
  fleet_.want({"d", "e"}, restoring(", abandon: 1"));
  ASSERT_TRUE(fleet_.become_voters({"d", "e"}, kRecovered));
  EXPECT_NE(fleet_.cluster_of("d"), before);
  EXPECT_EQ(fleet_.get("key"), "value");
  expect_one_content(fleet_, {"d", "e"});
}

// Another tool's: nothing is recorded of it but what its files are called.
TEST_P(Restores, F15_ABackupThatEtcdManagerHasWrittenIsRestored) {
  form_with_store({"a"});
  ASSERT_TRUE(fleet_.put("key", "value"));
  const std::string backup = back_up();
  fleet_.lose_node("a");
  for (const std::string& each : backups()) {
    if (each != backup) fs::remove_all(store() + "/" + each);
  }
  fs::remove(store() + "/" + backup + "/quorate.json");
  fs::remove_all(store() + "/quorate");
  fs::rename(store() + "/" + backup, store() + "/" + backup.substr(0, 21) + "000001");
  fleet_.want({"b", "c"}, at_start("ifNoCluster: restore", "protect: {approve: [destructive]}\n"));
  fleet_.start(Names{"b", "c"});
  ASSERT_TRUE(fleet_.become_voters({"b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.get("key"), "value");
}

TEST_P(Restores, F15_ARawSnapshotOfAnotherToolIsRestoredByItsName) {
  form_with_store({"a"});
  ASSERT_TRUE(fleet_.put("key", "value"));
  const std::string name = "etcd/nightly_v42_2018-03-01-04:05:06";  // as kube-etcd-controller calls them
  const integration::Etcdctl etcdctl{GetParam(), fleet_.client_url("a"), {}};
  fs::create_directory(store() + "/etcd");
  ASSERT_EQ(etcdctl({"snapshot", "save", store() + "/" + name}).exit_code, 0);
  ASSERT_TRUE(fleet_.put("key", "later"));
  ASSERT_TRUE(fleet_.settle("a"));
  fleet_.lose_disks({"a"});
  fleet_.want({"a"}, ordered(2, name));
  ASSERT_TRUE(fleet_.become_voters({"a"}, kRecovered));
  EXPECT_EQ(fleet_.get("key"), "value");
}

// Production goes on meanwhile, and nothing is written to what is its own.
TEST_P(Restores, Attack20_StagingIsRestoredFromProductionsStoreWhichIsOnlyRead) {
  form_with_store({"a"});
  ASSERT_TRUE(fleet_.put("key", "value"));
  ASSERT_FALSE(back_up().empty());
  const auto listing = [&] {
    std::set<std::string> all;
    for (const auto& each : fs::recursive_directory_iterator(store())) all.insert(each.path().string());
    return all;
  };
  ASSERT_TRUE(fleet_.settle("a"));
  const auto before = listing();
  Wording wording;
  wording.create = false;
  wording.more = "recovery: {restore: latest, from: \"file://" + store() + "\"}\n";
  std::string text = fleet_.text({"d", "e"}, wording);
  text.replace(text.find("name: fleet"), 11, "name: staging");
  const std::string file = fleet_.folder() + "/staging.yaml";
  integration::write_file(file, text);
  for (const char* member : {"d", "e"}) fleet_.give(member, file);
  fleet_.start(Names{"d", "e"});
  ASSERT_TRUE(fleet_.become_voters({"d", "e"}, kRecovered));
  const auto there = fleet_.etcd().get(fleet_.client_url("d"), "key", ports::Consistency::Linearizable, kAnswer);
  ASSERT_TRUE(there && *there);
  EXPECT_EQ((*there)->value, "value");
  EXPECT_NE(fleet_.cluster_of("d"), fleet_.cluster_of("a"));
  EXPECT_TRUE(fleet_.are_voters({"a"}));
  EXPECT_EQ(listing(), before);
}

TEST_P(Restores, J01_AnAgentThatDiesInTheMiddleOfARestoreGoesOnWithIt) {
  form_with_store({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("key", "value"));
  ASSERT_FALSE(back_up().empty());
  for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  fleet_.lose_disks({"a", "b", "c"});
  fleet_.want({"a", "b", "c"}, ordered(2, "latest"));
  ASSERT_TRUE(Fleet::eventually([&] { return !fleet_.steps_begun("fetch/").empty(); }));
  fleet_.kill("a");
  fleet_.start("a");
  ASSERT_TRUE(Fleet::eventually([&] { return !fleet_.steps_begun("restore/").empty(); }));
  fleet_.kill("a");
  fleet_.start("a");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.get("key"), "value");
  expect_one_content(fleet_, {"a", "b", "c"});
}

// The first life's member comes back while its cluster is restored a second time from the same backup.
TEST_P(Restores, Attack2_ASecondRestoreOfTheSameBackupAndANodeOfTheFirstLife) {
  form_with_store({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("key", "value"));
  const std::string backup = back_up();
  fleet_.want({"a", "b", "c"}, ordered(2, backup));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("restore/").size() == 1; }, kRecovered));
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  ASSERT_TRUE(fleet_.put("key", "first life"));
  for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  const base::ClusterId first = fleet_.cluster_of("c");
  const base::MemberId away = fleet_.id_of("c");
  fleet_.kill("c");
  fleet_.signal_etcd("c", SIGSTOP);
  fleet_.lose_disks({"a", "b"});
  Wording wording = ordered(3, backup);
  wording.member["c"] = "lost: \"" + base::to_string(away) + "\"";
  fleet_.want({"a", "b", "c"}, wording);
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("restore/").size() == 2; }, kRecovered));
  fleet_.signal_etcd("c", SIGCONT);
  fleet_.start("c");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_NE(fleet_.cluster_of("c"), first);
  EXPECT_EQ(fleet_.get("key"), "value");
  expect_one_content(fleet_, {"a", "b", "c"});
}

// The alarm comes back with the data, of a member that is no more.
TEST_P(Restores, F01_WhatAMemberOnceCouldNotWriteForLackOfSpaceStopsNoWritesAfterARestore) {
  const Names all{"a", "b", "c"};
  fleet_.form(all, with_quota("16Mi", stored()));
  ASSERT_TRUE(Fleet::eventually([&] { return !backups().empty(); })) << "the first one by the schedule";
  for (const std::string& member : all) ASSERT_TRUE(fleet_.settle(member));
  for (const std::string& member : all) fleet_.pause(member);
  const std::string value(100'000, 'v');
  ASSERT_TRUE(fleet_.fill_up([](int /*number*/) { return "one key"; }, value));
  const std::string backup = back_up();
  fleet_.want(all, with_quota("16Mi", ordered(2, backup)));
  fleet_.lose_disks(all);
  ASSERT_TRUE(fleet_.become_voters(all, kRecovered));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.put("key", "value"); }));
  EXPECT_EQ(fleet_.get("one key"), value);
  expect_quiet_of_space("a");
  expect_one_content(fleet_, all);
}

// Every key is needed: no compaction makes room.
TEST_P(Restores, F01_AFullDatabaseIsRestoredUnderARaisedQuotaAndTakesWrites) {
  fleet_.form({"a"}, with_quota("16Mi", stored()));
  ASSERT_TRUE(Fleet::eventually([&] { return !backups().empty(); })) << "the first one by the schedule";
  ASSERT_TRUE(fleet_.settle("a"));
  fleet_.pause("a");
  const std::string value(100'000, 'v');
  ASSERT_TRUE(fleet_.fill_up([](int number) { return "key/" + std::to_string(number); }, value));
  const std::string backup = back_up();
  fleet_.want({"a"}, with_quota("64Mi", ordered(2, backup)));
  fleet_.lose_disks({"a"});
  ASSERT_TRUE(fleet_.become_voters({"a"}, kRecovered));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.put("key", value); }));
  EXPECT_EQ(fleet_.get("key/7"), value);
  expect_quiet_of_space("a");
}

INSTANTIATE_TEST_SUITE_P(Etcd, Restores, testing::Values("3.5.16"), integration::name_of_release);

// This release comes without etcdutl, and there is none along PATH.
class WithoutTool : public Restores {};

TEST_P(WithoutTool, F08_NothingStopsWhereNothingCanRestore) {
  form_with_store({"a"});
  ASSERT_TRUE(fleet_.put("key", "value"));
  const std::string backup = back_up();
  fleet_.want({"a"}, ordered(2, backup));
  ASSERT_TRUE(fleet_.agent_said("a", "etcdutl"));
  EXPECT_THAT(fleet_.steps_done("promise/a"), SizeIs(1)) << "of its formation";
  EXPECT_EQ(fleet_.get("key"), "value");
}

INSTANTIATE_TEST_SUITE_P(Etcd, WithoutTool, testing::Values("3.4.23"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
