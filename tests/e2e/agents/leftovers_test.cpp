// What a test leaves is found, and members that agents keep are told from everything else.
#include "tests/e2e/agents/leftovers.h"

#include <gmock/gmock.h>

#include "tests/e2e/agents/fleet.h"
#include "tests/e2e/agents/small_disk.h"
#include "tests/support/skip.h"

namespace quorate::e2e {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Stands still, under any command line that is asked for.
integration::Command waiting(const Names& arguments) {
  Names all{"sh", "-c", "kill -STOP $$; :", "sh"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return {all, {}};
}

TEST(Leftovers, AreProcessesThatNameTheFolderAndMembersAreKilled) {
  const integration::TempDir folder;
  integration::Process stray(waiting({"--data-dir", folder / "scratch"}));
  EXPECT_TRUE(Fleet::eventually([&] { return leftovers_of(folder.path()).size() == 1; }));
  EXPECT_FALSE(kill_members(folder.path()));
  EXPECT_THAT(leftovers_of(folder.path()), ElementsAre(HasSubstr("/scratch")));
  integration::Process member(waiting({"--config-file", folder / "state/a/fleet/a/etcd.yaml"}));
  EXPECT_TRUE(Fleet::eventually([&] { return kill_members(folder.path()); }));
  EXPECT_TRUE(member.wait_for_exit(Seconds{10}));
  EXPECT_FALSE(stray.wait_for_exit(Seconds{0}));
  stray.kill();
  EXPECT_THAT(leftovers_of(folder.path()), IsEmpty());
}

TEST(Leftovers, AreMountsBelowTheFolder) {
  const integration::TempDir folder;
  {
    const SmallDisk disk(folder / "disk", "64k");
    if (!disk.mounted()) return tests::skip_unless_ci_is_root("no tmpfs can be mounted here");
    EXPECT_THAT(leftovers_of(folder.path()), ElementsAre(HasSubstr("mount: ")));
  }
  EXPECT_THAT(leftovers_of(folder.path()), IsEmpty());
}

}  // namespace
}  // namespace quorate::e2e
