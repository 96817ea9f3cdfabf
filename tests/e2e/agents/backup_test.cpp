// Backups that agents make by themselves, into a folder that all of them see.
#include <filesystem>
#include <fstream>
#include <iterator>
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

class Backups : public StoredTest {
 protected:
  Wording wording(const std::string& more = "every: 1h") const {
    Wording wording;
    wording.more = "backup: {to: [\"file://" + store() + "\"], " + more + "}\n";
    return wording;
  }
  Wording told_at_once(const std::string& more) const {
    Wording words = wording(more);
    words.more += "drift: {for: 1s}\n";
    return words;
  }
  bool has_backups(std::size_t count, Seconds patience = kPatience) const {
    return Fleet::eventually([&] { return backups().size() == count; }, patience);
  }
  std::string facts_of(const std::string& name) const {
    std::ifstream file(store() + "/" + name + "/quorate.json");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Nobody writes where there is a file in place of the folder; for root nothing else would stand in the way.
  void lose_store() {
    fs::rename(store(), store() + ".away");
    std::ofstream(store()) << "no folder";
  }
  void find_store() {
    fs::remove(store());
    fs::rename(store() + ".away", store());
  }
  std::string spool() const { return fleet_.folder() + "/spool"; }
  int in_spool() const {  // backups
    int count = 0;
    for (const auto& each : fs::recursive_directory_iterator(spool())) {
      count += each.path().filename() == "_etcd_backup.meta";
    }
    return count;
  }
  void lose_and_heal_without_store(const Wording& wording) {
    for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member));
    ASSERT_TRUE(fleet_.put("key", "one"));
    lose_store();
    fleet_.want({"a", "b", "c"}, wording);
    ASSERT_TRUE(fleet_.plans("a", "Converged", "BackupFailed"));
    ASSERT_NO_FATAL_FAILURE(lose_and_heal());
  }
  void lose_and_heal() {  // c
    fleet_.pause("c");
    fleet_.kill_etcd("c");
    fleet_.wipe("c");
    const base::MemberId lost = fleet_.id_of("c");
    fleet_.resume("c");
    ASSERT_TRUE(Fleet::eventually([&] { return fleet_.are_voters({"a", "b", "c"}) && fleet_.id_of("c") != lost; }));
  }
  Json status(const std::string& member) const {
    const auto ended =
        fleet_.quorate({"status", "-q", "-o", "json", "-f", fleet_.file(), "--state-dir", fleet_.state_dir(member)});
    return Json::parse(ended.output, nullptr, false);
  }
  integration::Ended drift(const std::string& member) const {
    return fleet_.quorate({"drift", "-f", fleet_.file(), "--state-dir", fleet_.state_dir(member)});
  }
  std::size_t place_of(const Names& steps, const std::string& start) const {
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [&](const std::string& step) { return step.compare(0, start.size(), start) == 0; });
    return static_cast<std::size_t>(found - steps.begin());
  }
};

TEST_P(Backups, E01_E03_E04_E15_AreMadeByTheScheduleAndOnlyWhenSomethingWasWritten) {
  fleet_.form({"a", "b", "c"}, wording("every: 3s"));
  ASSERT_TRUE(fleet_.put("key", "one"));
  ASSERT_TRUE(Fleet::eventually([&] { return !backups().empty(); }));
  // What is written now is in one of the next two.
  ASSERT_TRUE(fleet_.put("key", "two"));
  const std::size_t before = backups().size();
  ASSERT_TRUE(Fleet::eventually([&] { return backups().size() > before; }));
  // All that was written is in the newest; the books of the agents are not worth another.
  ASSERT_TRUE(Fleet::eventually([&] {
    const Names now = backups();
    const Json known = status("a")["backup"];
    const auto covers = base::parse_time(known.is_object() ? known["newest"].value("covers", "") : "");
    const auto taken = base::parse_time(now.back().substr(0, 20));
    return covers && taken && *covers - *taken > std::chrono::seconds{6} && backups() == now;
  })) << status("a").dump(1);
  EXPECT_NE(facts_of(backups().back()).find("\"schedule\""), std::string::npos);
  const auto listed = fleet_.quorate({"backup", "list", "-f", fleet_.file()});
  EXPECT_EQ(listed.exit_code, 0) << listed.errors;
  EXPECT_THAT(listed.output, HasSubstr(backups().back()));
  const auto verified = fleet_.quorate({"backup", "verify", "latest", "-f", fleet_.file()});
  EXPECT_EQ(verified.exit_code, 0) << verified.errors;
}

TEST_P(Backups, E05_OneComesBeforeAMemberIsAdded) {
  fleet_.form({"a"});
  ASSERT_TRUE(fleet_.put("key", "one"));
  fleet_.want({"a", "b"}, wording());
  fleet_.start("b");
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}));
  ASSERT_TRUE(has_backups(1));
  const Names steps = fleet_.steps_done();
  EXPECT_LT(place_of(steps, "backup/"), place_of(steps, "add-member/"));
}

// The store is gone: a change waits and says why, and what heals the cluster does not.
TEST_P(Backups, E05_AStoreThatFailsStopsAChangeAndNoHeal) {
  fleet_.form({"a", "b", "c"});
  for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  lose_store();
  Wording four = wording();
  four.more += "drift: {for: 1s}\n";
  fleet_.want({"a", "b", "c", "d"}, four);
  fleet_.start("d");
  ASSERT_TRUE(fleet_.plans("a", "Actionable", "BackupFailed"));
  const Json plan = fleet_.plan("a");
  ASSERT_FALSE(plan["steps"].empty());
  EXPECT_EQ(plan["steps"][0].value("action", ""), "backup") << plan.dump(1);
  ASSERT_TRUE(Fleet::eventually([&] {  // older than drift.for
    const auto drifted = drift("a");
    return drifted.exit_code == 2 && drifted.output.find("backups fail") != std::string::npos;
  })) << drift("a").output;
  ASSERT_NO_FATAL_FAILURE(lose_and_heal());
  EXPECT_THAT(fleet_.steps_done("backup/"), IsEmpty());
  EXPECT_FALSE(fleet_.list()->members.size() > 3) << "d waits";
  find_store();
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c", "d"}));
  const Names steps = fleet_.steps_done();
  EXPECT_LT(place_of(steps, "backup/"), place_of(steps, "add-member/d"));
}

// Nobody waits for a store that is away: the snapshot goes to the node, and to the store when that is back.
TEST_P(Backups, E05_WhatHealsTakesASnapshotIntoTheSpoolFirst) {
  fleet_.form({"a", "b", "c"});
  ASSERT_NO_FATAL_FAILURE(lose_and_heal_without_store(wording("every: 1h, spool: " + spool())));
  const Names steps = fleet_.steps_done();
  EXPECT_LT(place_of(steps, "backup/"), place_of(steps, "remove/c"));
  EXPECT_THAT(fleet_.steps_done("backup/"), SizeIs(1));
  ASSERT_TRUE(fleet_.plans("a", "Converged", "BackupInSpool"));
  EXPECT_EQ(in_spool(), 1);
  find_store();
  const auto came_from_spool = [&](const std::string& name) {
    return facts_of(name).find("\"before ") != std::string::npos;
  };
  ASSERT_TRUE(Fleet::eventually([&] {
    const Names names = backups();
    return std::any_of(names.begin(), names.end(), came_from_spool);
  }));
  EXPECT_TRUE(Fleet::eventually([&] { return in_spool() == 0; }));
  const Names names = backups();
  const auto verified = fleet_.quorate(
      {"backup", "verify", *std::find_if(names.begin(), names.end(), came_from_spool), "-f", fleet_.file()});
  EXPECT_EQ(verified.exit_code, 0) << verified.errors;
}

TEST_P(Backups, E05_ASpoolThatCannotBeWrittenHoldsNoHealUp) {
  fleet_.form({"a", "b", "c"});
  std::ofstream(spool()) << "no folder";
  ASSERT_NO_FATAL_FAILURE(lose_and_heal_without_store(wording("every: 1h, spool: " + spool())));
  EXPECT_TRUE(fleet_.plans("a", "Converged", "SnapshotFailed"));
}

TEST_P(Backups, E07_OnlyWhatKeepSaysStays) {
  fleet_.form({"a"}, wording("every: 2s, keep: {last: 2}"));
  // One of another cluster, and something that is no backup at all.
  fs::create_directories(store() + "/2020-01-01T00:00:00Z-000001");
  std::ofstream(store() + "/2020-01-01T00:00:00Z-000001/_etcd_backup.meta") << "{\"etcdVersion\": \"3.4.23\"}";
  std::ofstream(store() + "/2020-01-01T00:00:00Z-000001/etcd.backup.gz") << "not ours";
  std::ofstream(store() + "/a-note") << "for people";
  std::set<std::string> seen;
  int written = 0;
  ASSERT_TRUE(Fleet::eventually([&] {
    EXPECT_TRUE(fleet_.put("key", std::to_string(++written)));
    for (const std::string& name : backups()) seen.insert(name);
    return seen.size() >= 6;
  }));
  ASSERT_TRUE(Fleet::eventually([&] { return backups().size() == 3; }));
  EXPECT_FALSE(fleet_.steps_done("prune/").empty());
  EXPECT_EQ(backups().front(), "2020-01-01T00:00:00Z-000001");
  EXPECT_TRUE(fs::exists(store() + "/a-note"));
}

TEST_P(Backups, E13_APolicyComesAndGoesOnALiveCluster) {
  fleet_.form({"a"});
  ASSERT_TRUE(fleet_.settle("a"));
  EXPECT_THAT(backups(), IsEmpty());
  fleet_.want({"a"}, wording("every: 2s"));
  ASSERT_TRUE(Fleet::eventually([&] { return !backups().empty(); }));
  fleet_.want({"a"});
  ASSERT_TRUE(fleet_.settle("a"));
  ASSERT_TRUE(Fleet::eventually([&] { return status("a")["backup"].is_null(); }));
  const Names before = backups();
  ASSERT_TRUE(fleet_.put("key", "after"));
  ASSERT_TRUE(fleet_.settle("a"));
  EXPECT_EQ(backups(), before);
}

TEST_P(Backups, E14_StatusSaysHowOldTheNewestIsAndDriftWhenThatIsTooMuch) {
  fleet_.form({"a"}, told_at_once("every: 2s, warnAfter: 4s, pageAfter: 8s"));
  ASSERT_TRUE(fleet_.put("key", "one"));
  ASSERT_TRUE(Fleet::eventually([&] { return !backups().empty(); }));
  const auto said = [&](const Names& words) {
    Names all = words;
    all.insert(all.end(), {"-f", fleet_.file(), "--state-dir", fleet_.state_dir("a")});
    return fleet_.quorate(all).output;
  };
  ASSERT_TRUE(Fleet::eventually([&] { return said({"status"}).find(" ago, ") != std::string::npos; }))
      << said({"status"});
  lose_store();
  ASSERT_TRUE(fleet_.put("key", "two"));
  ASSERT_TRUE(Fleet::eventually([&] { return said({"drift"}).find("the newest backup is ") != std::string::npos; }))
      << said({"drift"});
  EXPECT_EQ(drift("a").exit_code, 2);
  find_store();
  ASSERT_TRUE(Fleet::eventually([&] { return drift("a").exit_code == 0; })) << said({"drift"});
}

// Etcdutl stands beside etcd where ci/setup has unpacked it, of 3.5 only.
TEST_P(Backups, E10_TheNewestIsRestoredAsideByTheScheduleOrItIsSaidWhyNot) {
  const bool has_tools = GetParam().compare(0, 3, "3.5") == 0;
  fleet_.form({"a"}, told_at_once("every: 1h, verify: {every: 1m, how: restore}"));
  ASSERT_TRUE(fleet_.put("key", "one"));
  ASSERT_TRUE(has_backups(1));
  if (!has_tools) {
    ASSERT_TRUE(Fleet::eventually([&] { return drift("a").output.find("test restores fail: ") != std::string::npos; }))
        << drift("a").output;
    EXPECT_FALSE(fs::exists(store() + "/" + backups().front() + "/quorate.verified.json"));
    return;
  }
  const std::string verified = store() + "/" + backups().front() + "/quorate.verified.json";
  ASSERT_TRUE(Fleet::eventually([&] { return fs::exists(verified); })) << fleet_.log("a");
  const Json result = Json::parse(integration::read_file(verified), nullptr, false);
  EXPECT_EQ(result["how"], "restore");
  EXPECT_EQ(result["fine"], true) << result.dump(1);
  ASSERT_TRUE(Fleet::eventually([&] { return status("a")["backup"]["verified_how"] == "restore"; }))
      << status("a").dump(1);
  EXPECT_THAT(fleet_.quorate({"backup", "list", "-f", fleet_.file()}).output, HasSubstr("restore ok"));
  for (const auto& each : fs::recursive_directory_iterator(fleet_.state_dir("a"))) {
    EXPECT_EQ(each.path().filename().string().find("trial"), std::string::npos) << each.path();
  }
}

// An etcd that never comes to serve on the copy would be waited for for half an hour.
TEST_P(Backups, E10_AnAgentThatEndsGivesUpWhatItTriesOut) {
  if (GetParam().compare(0, 3, "3.5") != 0) GTEST_SKIP() << "its etcdutl is none that we use";
  const std::string tools = fleet_.folder() + "/tools";
  const std::string real = integration::etcd_program(GetParam());
  fs::create_directories(tools);
  fs::create_symlink(fs::path(real).parent_path() / "etcdutl", tools + "/etcdutl");
  std::ofstream(tools + "/etcd") << "#!/bin/sh\nfor word; do\n  [ \"$word\" != --name=quorate-copy ] || { echo $$ >"
                                 << tools << "/pid; exec sleep 1000; }\ndone\nexec " << real << " \"$@\"\n";
  fs::permissions(tools + "/etcd", fs::perms::owner_all);
  Wording wording = told_at_once("every: 1h, verify: {every: 1m, how: restore}");
  wording.binary = tools + "/etcd";
  fleet_.form({"a"}, wording);
  int pid = 0;
  ASSERT_TRUE(Fleet::eventually([&] { return bool(std::ifstream(tools + "/pid") >> pid); })) << fleet_.log("a");
  fleet_.signal("a", SIGTERM);
  EXPECT_TRUE(fleet_.agent_ended("a", Seconds{10})) << fleet_.log("a");
  EXPECT_FALSE(fs::exists("/proc/" + std::to_string(pid)));
  for (const auto& each : fs::recursive_directory_iterator(fleet_.state_dir("a"))) {
    EXPECT_EQ(each.path().filename().string().find("trial"), std::string::npos) << each.path();
  }
}

// Whoever can read the store can plan, without a way in to the cluster.
TEST_P(Backups, AgentsPublishWhatTheySeeBesideThem) {
  fleet_.form({"a", "b", "c"}, wording("every: 3s"));
  int written = 0;
  const std::string published = store() + "/quorate/observed.json";
  ASSERT_TRUE(Fleet::eventually([&] {
    EXPECT_TRUE(fleet_.put("key", std::to_string(++written)));
    const auto planned = fleet_.quorate({"plan", "-f", fleet_.file(), "--observed", published});
    if (planned.exit_code != 0 || planned.output.find("No changes") == std::string::npos) return false;
    const Json seen = Json::parse(integration::read_file(published), nullptr, false);
    return seen["backups"]["known"].value("count", 0) >= 1;
  })) << fleet_.log(fleet_.leader());
}

// The next agent of the leader goes on where the one before stood.
TEST_P(Backups, E09_AnAgentThatIsKilledWhileItBacksUpLeavesNothingThatIsNone) {
  fleet_.form({"a", "b", "c"}, wording("every: 2s"));
  std::size_t seen = 0;
  for (int round = 0; round < 4; ++round) {
    ASSERT_TRUE(Fleet::eventually([&] {
      EXPECT_TRUE(fleet_.put("round", std::to_string(round)));
      return backups().size() > seen;
    }));
    const std::string leader = fleet_.leader();
    ASSERT_FALSE(leader.empty());
    fleet_.kill(leader);
    seen = backups().size();
    fleet_.start(leader);
  }
  for (const std::string& name : backups()) {
    const auto verified = fleet_.quorate({"backup", "verify", name, "-f", fleet_.file()});
    EXPECT_EQ(verified.exit_code, 0) << name << ": " << verified.output << verified.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(Etcd, Backups, testing::Values(std::string("3.5.16")), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(SlowEtcd, Backups, testing::Values(std::string("3.4.23")), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
