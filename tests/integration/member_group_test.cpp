// The cgroup of a member, in a real hierarchy: below a group that the test makes, and that says that it is ours.
#include "reconciler/adapters/runtimes/process/member_group.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/integration/etcd_process.h"

namespace quorate::integration {
namespace {

using adapters::process::enter_group;
using adapters::process::GroupPlace;
using adapters::process::remove_group;

// Waits for nothing but its end.
class Sleeper {
 public:
  Sleeper() : pid_(::fork()) {
    if (pid_ != 0) return;
    while (true) ::pause();
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  int pid() const { return pid_; }
  std::string group() const { return read_file("/proc/" + std::to_string(pid_) + "/cgroup"); }

 private:
  int pid_;
};

class MemberGroup : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* const mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
      const std::string folder = std::string(mount) + "/" + name_;
      if (!std::filesystem::exists(std::string(mount) + "/cgroup.procs")) continue;
      if (::mkdir(folder.c_str(), 0755) == 0) group_ = folder;
    }
    if (group_.empty()) GTEST_SKIP() << "no cgroup can be made here";
    std::ofstream(folder_ / "own") << "1:cpu:/elsewhere\n0::/" << name_ << "\n";
    place_.own = folder_ / "own";
  }
  void TearDown() override {
    if (group_.empty()) return;
    EXPECT_EQ(::rmdir(group_.c_str()), 0) << group_ << " is left behind";
  }
  bool delegate() { return ::setxattr(group_.c_str(), "user.delegate", "1", 1, 0) == 0; }

  const std::string name_ = "quorate-test-" + std::to_string(::getpid());
  std::string group_;
  TempDir folder_;
  GroupPlace place_;
};

TEST_F(MemberGroup, IsMadeBelowAGroupThatIsOursToDivideAndGoesWithTheMember) {
  if (!delegate()) GTEST_SKIP() << "this kernel keeps no attributes of cgroups";
  {
    const Sleeper member;
    enter_group("a", member.pid(), place_);
    EXPECT_NE(member.group().find("0::/" + name_ + "/etcd-a\n"), std::string::npos) << member.group();
    remove_group("a", place_);  // in use
    EXPECT_TRUE(std::filesystem::exists(group_ + "/etcd-a"));
  }
  remove_group("a", place_);
  EXPECT_FALSE(std::filesystem::exists(group_ + "/etcd-a"));
}

TEST_F(MemberGroup, IsNotMadeWhereTheGroupIsSomebodyElses) {
  const Sleeper member;
  const std::string before = member.group();
  enter_group("a", member.pid(), place_);
  EXPECT_EQ(member.group(), before);
  EXPECT_FALSE(std::filesystem::exists(group_ + "/etcd-a"));
}

TEST_F(MemberGroup, IsNotMadeWhereNobodySaysWhichGroupWeAreIn) {
  place_.own = folder_ / "nowhere";
  const Sleeper member;
  enter_group("a", member.pid(), place_);
  EXPECT_FALSE(std::filesystem::exists(group_ + "/etcd-a"));
}

}  // namespace
}  // namespace quorate::integration
