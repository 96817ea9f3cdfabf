// Finding the etcd of a member among processes, in a folder made like /proc.
#include "reconciler/adapters/system/process_table.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace quorate::adapters::system {
namespace {

class Processes : public testing::Test {
 protected:
  Processes() {
    member_.name = "a";
    member_.data_dir = folder_ / "data/a";
    process(1, {"/sbin/init"});
  }

  void process(int number, const std::vector<std::string>& words, const std::vector<std::string>& environment = {},
               char state = 'S') {
    const std::string at = folder_ / "proc/" + std::to_string(number);
    std::filesystem::create_directories(at);
    std::ofstream(at + "/stat") << number << " (etcd (x)) " << state << " 1 1 1";
    std::ofstream cmdline(at + "/cmdline", std::ios::binary);
    for (const std::string& word : words) cmdline << word << '\0';
    std::ofstream environ(at + "/environ", std::ios::binary);
    for (const std::string& line : environment) environ << line << '\0';
  }
  base::Result<model::Process> find() { return table_.find(member_); }
  std::int64_t found() {
    const auto process = find();
    EXPECT_TRUE(process) << process.error().message;
    EXPECT_EQ(process && process->running, process && process->pid != 0);
    return process ? process->pid : -1;
  }

  tests::TempFolder folder_;
  model::Member member_;
  ProcessTable table_{folder_ / "proc"};
};

}  // namespace

TEST_F(Processes, FindsNothingWhereNoEtcdRuns) {
  process(20, {"/usr/bin/vim", "/var/lib/quorate/c/a/etcd.yaml"});
  process(21, {"etcdctl", "--data-dir", member_.data_dir});
  EXPECT_EQ(found(), 0);
}

TEST_F(Processes, GoesByTheDataDirectoryOfTheArguments) {
  process(20, {"/usr/bin/etcd", "--name=a", "--data-dir=" + (folder_ / "data/other")});
  EXPECT_EQ(found(), 0);
  process(21, {"etcd", "-data-dir", member_.data_dir + "/"});
  EXPECT_EQ(found(), 21);
}

TEST_F(Processes, GoesByTheEnvironmentAndTheName) {
  process(20, {"etcd"}, {"ETCD_DATA_DIR=" + (folder_ / "data/other"), "ETCD_NAME=a"});
  EXPECT_EQ(found(), 0);
  process(21, {"etcd"}, {"ETCD_NAME=a"});
  EXPECT_EQ(found(), 21);
  std::filesystem::remove_all(folder_ / "proc/21");
  process(15, {"/opt/etcd-3.5"}, {"ETCD_DATA_DIR=" + member_.data_dir, "ETCD_NAME=b"});
  EXPECT_EQ(found(), 15);
}

TEST_F(Processes, GoesByTheConfigurationFile) {
  const std::string config = folder_ / "state/c/a/etcd.yaml";
  std::filesystem::create_directories(folder_ / "state/c/a");
  process(20, {"/opt/server", "--config-file=" + config});
  EXPECT_EQ(found(), 20) << "the place of the file is the member's";
  std::ofstream(config) << "name: \"a\"\ndata-dir: \"" << (folder_ / "data/of-another-cluster") << "\"\n";
  EXPECT_EQ(found(), 0) << "what stands in the file counts more";
  std::ofstream(config) << "name: \"a\"\ndata-dir: \"" << member_.data_dir << "\"\n";
  EXPECT_EQ(found(), 20);
}

TEST_F(Processes, TakesAZombieForDead) {
  process(20, {"etcd", "--data-dir=" + member_.data_dir}, {}, 'Z');
  EXPECT_EQ(found(), 0);
}

TEST_F(Processes, DoesNotTakeWhatItCannotSeeForAbsent) {
  process(20, {"etcd", "--config-file=/somewhere/else.yaml"});
  auto process = find();
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().message, "process 20 may be the etcd of member a, but it cannot be looked at");
  EXPECT_EQ(process.error().kind, base::ErrorKind::Refused);

  std::filesystem::remove_all(folder_ / "proc/20");
  std::filesystem::create_directories(folder_ / "proc/30");
  EXPECT_FALSE(find()) << "a process without anything to read";
  std::filesystem::remove_all(folder_ / "proc/30");
  EXPECT_TRUE(find());
  std::filesystem::remove_all(folder_ / "proc/1");
  EXPECT_FALSE(find()) << "hidepid=2 shows only our own";
}

TEST_F(Processes, WhereItWasLastIsLookedAtFirstAndBelievedNoMoreThanOthers) {
  process(30, {"etcd", "--data-dir=" + member_.data_dir});
  EXPECT_EQ(found(), 30);
  std::filesystem::create_directories(folder_ / "proc/40");
  EXPECT_EQ(found(), 30) << "whoever else is there";
  std::filesystem::remove_all(folder_ / "proc/40");
  process(30, {"/usr/bin/vim"});
  EXPECT_EQ(found(), 0) << "the number is another program's now";
  process(20, {"etcd", "--data-dir=" + member_.data_dir});
  EXPECT_EQ(found(), 20);
  process(20, {"etcd", "--data-dir=" + member_.data_dir}, {}, 'Z');
  process(50, {"etcd", "--data-dir=" + member_.data_dir});
  EXPECT_EQ(found(), 50);
}

TEST_F(Processes, FindsTheMemberAlthoughOthersCannotBeSeen) {
  std::filesystem::create_directories(folder_ / "proc/20");
  process(30, {"etcd", "--data-dir=" + member_.data_dir});
  EXPECT_EQ(found(), 30);
}

}  // namespace quorate::adapters::system
