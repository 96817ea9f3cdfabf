// Restores that are refused or fail: the cluster that runs is as it was, and what was fetched before is still there.
#include <filesystem>

#include <gmock/gmock.h>
#include <sys/mount.h>
#include <unistd.h>

#include "reconciler/model/state_paths.h"
#include "tests/e2e/agents/stored.h"

namespace quorate::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RefusedRestores : public StoredTest {
 protected:
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
  fs::resize_file(object, fs::file_size(object) / 2);
  fleet_.kill("a");  // the next one looks into the store at once
  fleet_.start("a");
  ASSERT_TRUE(agree_to_fetch(cut));
  ASSERT_TRUE(fleet_.agent_said("a", "could not fetch " + cut));
  EXPECT_EQ(integration::read_file(local), fetched);
  EXPECT_THAT(fleet_.steps_begun("restore/"), IsEmpty());

  fleet_.want({"a"}, ordered(2, wanted));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.get("key") == "wanted"; }, kRecovered));
  EXPECT_THAT(fleet_.steps_done("fetch/"), SizeIs(1)) << "from the copy that was there";
}

TEST_P(RefusedRestores, F13_WithoutRoomItIsRefusedBeforeAnythingStops) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root mounts a small disk";
  const std::string disk = fleet_.folder() + "/small";
  fs::create_directories(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=220m") != 0) GTEST_SKIP() << "no tmpfs can be mounted here";
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
  ASSERT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=600m"), 0);
  fleet_.want({"a"}, with_disk(ordered(2, backup, "# there is room now\n")));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.get("key") == "old"; }, kRecovered));
}

INSTANTIATE_TEST_SUITE_P(Etcd, RefusedRestores, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
