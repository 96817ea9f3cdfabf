// Restores that are refused or fail: the cluster that runs is as it was, and what was fetched before is still there.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <signal.h>

#include "reconciler/model/state_paths.h"
#include "tests/e2e/agents/held.h"
#include "tests/e2e/agents/small_disk.h"
#include "tests/e2e/agents/stored.h"
#include "tests/support/skip.h"

namespace quorate::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class RefusedRestores : public StoredTest {
 protected:
  void flip_byte(const std::string& backup) const {
    const std::string path = store() + "/" + backup + "/etcd.backup.gz";
    const auto middle = static_cast<std::streamoff>(fs::file_size(path) / 2);
    std::fstream object(path, std::ios::in | std::ios::out | std::ios::binary);
    object.seekg(middle);
    const int before = object.get();
    object.seekp(middle);
    object.put(static_cast<char>(before ^ 1));
  }
  // Nobody has been stopped, no data have given way.
  void expect_untouched(const Names& members, const Names& steps, base::ClusterId cluster) {
    EXPECT_TRUE(fleet_.are_voters(members));
    EXPECT_EQ(fleet_.steps_done("promise/"), steps) << "those of its formation";
    EXPECT_THAT(fleet_.steps_begun("restore/"), IsEmpty());
    for (const std::string& member : members) {
      EXPECT_EQ(fleet_.cluster_of(member), cluster);
      EXPECT_THAT(fleet_.set_aside(member), IsEmpty());
    }
  }
};

// Interrupted by Ctrl-C when the seed, whose agent was started with that moment, stands still.
class InterruptedRestores : public RefusedRestores {
 protected:
  void form_with_two_lives() {
    form_with_store({"a", "b", "c"});
    ASSERT_TRUE(fleet_.put("key", "old"));
    backup_ = back_up();
    ASSERT_TRUE(fleet_.put("key", "new"));
  }
  // What it said.
  std::string interrupt_at(const std::string& moment) {
    fleet_.kill("a");
    start_held(fleet_, "a", moment);
    EXPECT_TRUE(fleet_.settle("a"));
    integration::Process restore({{QUORATE_BINARY, "restore", backup_, "--yes", "--timeout", "150s", "-f",
                                   fleet_.file(), "--agent", fleet_.socket("b")},
                                  {}});
    EXPECT_TRUE(is_held(fleet_, "a")) << restore.log();
    restore.signal(SIGINT);
    EXPECT_EQ(restore.wait_for_exit(kPatience), 130) << restore.log();
    fleet_.resume("a");
    return restore.log();
  }
  std::string backup_;
};

TEST_P(InterruptedRestores, F14_CtrlCBeforeAnythingStopsTakesTheYesBackAndTheClusterRunsOn) {
  ASSERT_NO_FATAL_FAILURE(form_with_two_lives());
  const base::ClusterId cluster = fleet_.cluster_of("a");
  const Names steps = fleet_.steps_done("promise/");
  EXPECT_THAT(interrupt_at("HOLD_AT=fetch/a"), HasSubstr("the yes is taken back"));
  for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  EXPECT_TRUE(stays([&] { return fleet_.get("key", kAtOnce) == "new"; }));
  expect_untouched({"a", "b", "c"}, steps, cluster);
}

// Halfway there is no safe place: the quorum is gone, and nobody is there to repeat the order.
TEST_P(InterruptedRestores, F14_CtrlCAfterAllHavePromisedLeavesTheRestoreToTheAgents) {
  ASSERT_NO_FATAL_FAILURE(form_with_two_lives());
  EXPECT_THAT(interrupt_at("HOLD_AT=restore/a"),
              AllOf(HasSubstr("brought to its end by the agents"), Not(HasSubstr("taken back"))));
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.get("key"), "old");
  expect_one_content(fleet_, {"a", "b", "c"});
}

INSTANTIATE_TEST_SUITE_P(Etcd, InterruptedRestores, testing::Values("3.5.16"), integration::name_of_release);

// The predecessor copied old keys into the cluster that ran.
TEST_P(RefusedRestores, F09_AFileWithFewerMembersOrASilentNodeLeavesTheClusterAsItIs) {
  form_with_store({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("key", "old"));
  const std::string backup = back_up();
  ASSERT_TRUE(fleet_.put("key", "new"));
  const base::ClusterId cluster = fleet_.cluster_of("a");
  const Names steps = fleet_.steps_done("promise/");

  fleet_.want({"a", "b"}, ordered(2, backup));
  ASSERT_TRUE(fleet_.plans("a", "Actionable", "remove/c@")) << "which waits for a yes, and the restore for that";
  EXPECT_TRUE(fleet_.plans("a", "Actionable", "nothing is restored beside c"));
  EXPECT_TRUE(stays([&] { return fleet_.get("key", kAtOnce) == "new" && fleet_.steps_begun("fetch/").empty(); }));
  expect_untouched({"a", "b", "c"}, steps, cluster);

  fleet_.pause("c");
  fleet_.want({"a", "b", "c"}, ordered(2, backup));
  ASSERT_TRUE(fleet_.plans("a", "NeedsObservation", "it waits for c: "));
  EXPECT_TRUE(stays([&] { return fleet_.get("key", kAtOnce) == "new" && fleet_.steps_begun("fetch/").empty(); }));
  expect_untouched({"a", "b", "c"}, steps, cluster);
  fleet_.want({"a", "b", "c"}, stored());  // people think better of it
  fleet_.resume("c");
  ASSERT_TRUE(fleet_.settle("a"));
  EXPECT_EQ(fleet_.get("key"), "new");
  expect_untouched({"a", "b", "c"}, steps, cluster);
}

// Only what people say yes to is done, so that the test can look in between.
TEST_P(RefusedRestores, F10_WhatWasFetchedSurvivesAFetchThatFailsAndIsRestored) {
  form_with_store({"a"});
  ASSERT_TRUE(fleet_.put("key", "wanted"));
  const std::string wanted = back_up();
  ASSERT_TRUE(fleet_.put("key", "cut"));
  const std::string cut = back_up();
  fs::rename(store() + "/" + cut, store() + ".away");
  ASSERT_TRUE(fleet_.settle("a"));
  fleet_.lose_disks({"a"});
  const auto agree_to_fetch = [&](const std::string& backup) {
    return Fleet::eventually([&] {
      const Json plan = fleet_.plan("a");
      if (plan.dump().find("restored from " + backup) == std::string::npos) return false;
      const std::string step = plan["steps"][0].value("id", "");
      return step.compare(0, 6, "fetch/") == 0 && fleet_.approve("a", step);
    });
  };
  ASSERT_TRUE(agree_to_fetch(wanted));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("fetch/").size() == 1; }));
  const std::string local = model::fetched_path(fleet_.data_dir("a"));
  const std::string fetched = integration::read_file(local);

  fs::rename(store() + ".away", store() + "/" + cut);
  const std::string object = store() + "/" + cut + "/etcd.backup.gz";
  std::string bytes = integration::read_file(object);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  integration::write_file(object, bytes);  // of the same size: the listing shows nothing
  fleet_.kill("a");                        // the next one looks into the store at once
  fleet_.start("a");
  ASSERT_TRUE(agree_to_fetch(cut));
  ASSERT_TRUE(fleet_.agent_said("a", "could not fetch " + cut));
  EXPECT_EQ(integration::read_file(local), fetched);
  EXPECT_THAT(fleet_.steps_begun("restore/"), IsEmpty());

  fleet_.want({"a"}, ordered(2, wanted));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.get("key") == "wanted"; }, kRecovered));
  EXPECT_THAT(fleet_.steps_done("fetch/"), SizeIs(1)) << "from the copy that was there";
}

TEST_P(RefusedRestores, F16_AFlippedByteEndsTheOrderAndTheClusterIsWhatItWas) {
  form_with_store({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("key", "old"));
  const std::string backup = back_up();
  ASSERT_TRUE(fleet_.put("key", "new"));
  const base::ClusterId cluster = fleet_.cluster_of("a");
  const base::MemberId id = fleet_.id_of("b");
  const Names steps = fleet_.steps_done("promise/");
  flip_byte(backup);
  const auto done = fleet_.quorate(
      {"restore", backup, "--yes", "--timeout", "60s", "-f", fleet_.file(), "--agent", fleet_.socket("a")});
  EXPECT_EQ(done.exit_code, 12) << done.output << done.errors;
  EXPECT_THAT(done.output, Not(HasSubstr("Done")));
  EXPECT_THAT(done.output + done.errors, Not(HasSubstr("promise on a: done"))) << "it tells the truth";
  for (const char* member : {"a", "b", "c"}) {
    EXPECT_TRUE(fleet_.plans(member, "NeedsHuman", "backup " + backup + " cannot be restored")) << "order or not";
  }
  EXPECT_EQ(fleet_.get("key"), "new");
  EXPECT_EQ(fleet_.id_of("b"), id);
  expect_untouched({"a", "b", "c"}, steps, cluster);
}

TEST_P(RefusedRestores, F16_F14_AToolThatFailsIsTriedABoundedNumberOfTimesAndThenAllIsAsItWas) {
  const std::string tools = fleet_.folder() + "/tools";
  fs::create_directories(tools);
  fs::create_symlink(integration::etcd_program(GetParam()), tools + "/etcd");
  const std::string whole = fs::path(integration::etcd_program(GetParam())).parent_path().string() + "/etcdutl";
  const auto put_tool = [&](const std::string& before) {
    integration::write_file(tools + "/etcdutl.new", "#!/bin/sh\n" + before + "exec " + whole + " \"$@\"\n");
    fs::permissions(tools + "/etcdutl.new", fs::perms::owner_all);
    fs::rename(tools + "/etcdutl.new", tools + "/etcdutl");
  };
  const auto with_tools = [&](Wording wording) {
    wording.binary = tools + "/etcd";
    return wording;
  };
  put_tool("[ \"$1 $2\" != \"snapshot restore\" ] || { echo 'Error: the tool is broken' >&2; exit 1; }\n");
  fleet_.form({"a", "b", "c"}, with_tools(stored()));
  ASSERT_TRUE(Fleet::eventually([&] { return !backups().empty(); })) << "the first one by the schedule";
  ASSERT_TRUE(fleet_.put("key", "old"));
  const std::string backup = back_up();
  ASSERT_TRUE(fleet_.put("key", "new"));
  const base::ClusterId cluster = fleet_.cluster_of("a");
  const base::MemberId id = fleet_.id_of("b");

  fleet_.want({"a", "b", "c"}, with_tools(ordered(2, backup)));
  for (const char* member : {"a", "b", "c"}) {
    ASSERT_TRUE(fleet_.plans(member, "NeedsHuman", "everything is as it was before", 2 * kRecovered));
    EXPECT_THAT(fleet_.plan(member).dump(), HasSubstr("the tool is broken"));
  }
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.steps_begun("restore/").size(), 9U) << "three seeds, each of them three times";
  EXPECT_EQ(fleet_.get("key"), "new");
  EXPECT_EQ(fleet_.cluster_of("a"), cluster);
  EXPECT_EQ(fleet_.id_of("b"), id);
  for (const auto& each : fs::directory_iterator(fleet_.folder() + "/data")) {
    const std::string name = each.path().filename().string();
    for (const char* left : {".yielded-", ".restoring-", ".seeding"}) EXPECT_THAT(name, Not(HasSubstr(left)));
  }
  const auto status =
      fleet_.quorate({"status", "-f", fleet_.file(), "--state-dir", fleet_.state_dir("c"), "--color", "never"});
  EXPECT_THAT(status.output, HasSubstr("the tool is broken"));

  put_tool("");
  fleet_.want({"a", "b", "c"}, with_tools(ordered(3, backup)));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.get("key", kAtOnce) == "old"; }, kRecovered));
}

// A commit that orders a restore and asks for another release at the same time.
TEST_P(RefusedRestores, F08_AnEtcdThatIsNotInstalledStopsNobody) {
  form_with_store({"a"});
  ASSERT_TRUE(fleet_.put("key", "old"));
  const std::string backup = back_up();
  ASSERT_TRUE(fleet_.put("key", "new"));
  const base::ClusterId cluster = fleet_.cluster_of("a");
  const Names steps = fleet_.steps_done("promise/");
  std::string text = fleet_.text({"a"}, ordered(2, backup));
  const std::string release = "version: \"" + GetParam() + "\"";
  text.replace(text.find(release), release.size(), "version: \"3.5.99\"");
  fleet_.replace_file(text);
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "is etcd " + GetParam() + ", and not 3.5.99"));
  EXPECT_TRUE(stays([&] { return fleet_.get("key", kAtOnce) == "new"; }));
  expect_untouched({"a"}, steps, cluster);
  fleet_.want({"a"}, ordered(2, backup));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.get("key", kAtOnce) == "old"; }, kRecovered));
}

TEST_P(RefusedRestores, F13_WithoutRoomItIsRefusedBeforeAnythingStops) {
  const std::string disk = fleet_.folder() + "/small";
  const SmallDisk small(disk, "220m");
  if (!small.mounted()) return tests::skip_unless_ci_is_root("no tmpfs can be mounted here");
  const auto with_disk = [&](Wording wording) {
    wording.member["a"] = "storage: {dir: " + disk + "/a}";
    return wording;
  };
  fleet_.form({"a"}, with_disk(stored()));
  ASSERT_TRUE(Fleet::eventually([&] { return !backups().empty(); })) << "the first one by the schedule";
  ASSERT_TRUE(fleet_.put("key", "old"));
  const std::string backup = back_up();
  ASSERT_TRUE(fleet_.put("key", "new"));
  const base::ClusterId cluster = fleet_.cluster_of("a");
  const Names steps = fleet_.steps_done("promise/");

  fleet_.want({"a"}, with_disk(ordered(2, backup)));
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "disk full: " + disk));
  EXPECT_TRUE(stays([&] { return fleet_.get("key", kAtOnce) == "new"; }));
  expect_untouched({"a"}, steps, cluster);
  // With room, and the order given again.
  ASSERT_TRUE(small.grow("600m"));
  fleet_.want({"a"}, with_disk(ordered(2, backup, "# there is room now\n")));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.get("key") == "old"; }, kRecovered));
}

INSTANTIATE_TEST_SUITE_P(Etcd, RefusedRestores, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
