// A member that is bad where nobody comes near it, newcomers that never get well, nothing left at all, and agents that
// follow another file than the rest.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <signal.h>

#include "tests/e2e/agents/fleet.h"

namespace quorate::e2e {
namespace {

class Doubt : public AgentsTest {
 protected:
  bool lists_a_learner() {
    const auto list = fleet_.list();
    return list &&
           std::any_of(list->members.begin(), list->members.end(), [](const auto& each) { return each.learner; });
  }
};

// In the middle of a large entry, with whole ones after it: no end that was merely not written.
void damage_log(const std::string& data_dir) {
  for (const auto& each : std::filesystem::directory_iterator(data_dir + "/member/wal")) {
    if (each.path().filename().string().compare(0, 17, "0000000000000000-") != 0) continue;
    std::fstream file(each.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(20000);
    const std::string broken(64, '#');
    file.write(broken.data(), static_cast<std::streamsize>(broken.size()));
  }
}

TEST_P(Doubt, C10_AMemberWithDamagedDataIsRepairedByTheOthersAndItsOwnAgent) {
  fleet_.form({"a", "b", "c"});
  fleet_.lead("a");
  truth::Writer writer(fleet_.client_urls({"a", "b"}));
  ASSERT_TRUE(fleet_.put("large", std::string(60000, 'v')));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 5; }));
  const base::MemberId before = fleet_.id_of("c");
  const std::size_t formed = fleet_.journal("c").size();
  fleet_.pause("c");
  fleet_.kill_etcd("c");
  damage_log(fleet_.data_dir("c"));
  fleet_.resume("c");
  ASSERT_TRUE(Fleet::eventually([&] {
    return fleet_.steps_done("promote/c").size() == 1 && fleet_.are_voters({"a", "b", "c"});
  }));
  const auto journals = fleet_.journals();
  EXPECT_TRUE(std::any_of(journals.begin(), journals.end(), [](const model::JournalEntry& each) {
    return each.step.starts_with("remove/c") && each.text.find("its data are damaged") != std::string::npos;
  })) << "why is on record";
  EXPECT_NE(fleet_.id_of("c"), before);
  EXPECT_EQ(fleet_.set_aside("c").size(), 1U) << "nothing is deleted";
  EXPECT_EQ(fleet_.steps_begun("remove/").size(), 1U);
  const auto entries = fleet_.journal("c");
  for (std::size_t i = formed; i < entries.size(); ++i) {
    const std::string what = entries[i].step.substr(0, entries[i].step.find('/'));
    EXPECT_TRUE(what == "set-data-aside" || what == "write-manifest") << entries[i].step;
  }
  expect_nothing_lost(fleet_, writer);
}

TEST_P(Doubt, C11_AReplacementThatHangsIsWaitedForAndNotReplacedAgain) {
  fleet_.form({"a", "b", "c"});
  truth::Writer writer(fleet_.client_urls({"a", "b"}));
  const int before = fleet_.etcd_pid("c");
  fleet_.lose_disks({"c"});
  ASSERT_TRUE(Fleet::eventually([&] {
    const int now = fleet_.etcd_pid("c");
    return now != 0 && now != before && lists_a_learner();
  }));
  fleet_.signal_etcd("c", SIGSTOP);
  EXPECT_TRUE(stays([&] { return lists_a_learner() && fleet_.steps_begun("remove/").size() == 1; }));
  EXPECT_EQ(fleet_.steps_done("add-member/").size(), 1U);
  fleet_.signal_etcd("c", SIGCONT);
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.steps_done("add-member/").size(), 1U);
  EXPECT_EQ(fleet_.steps_done("remove/").size(), 1U);
  expect_nothing_lost(fleet_, writer);
}

TEST_P(Doubt, C11_ANewcomerThatCannotStartIsAddedOnceAndStartsWithTheNextFile) {
  fleet_.form({"a"});
  Wording bad;
  bad.etcd = "flags: {log-outputs: /no/such/folder/etcd.log}";
  fleet_.want({"a", "b"}, bad);
  fleet_.start("b");
  ASSERT_TRUE(fleet_.agent_said("b", "/no/such/folder"));
  EXPECT_TRUE(stays([&] { return fleet_.put("k", "v", kAtOnce) && fleet_.steps_begun("remove/").empty(); }));
  EXPECT_EQ(fleet_.steps_done("add-member/").size(), 1U);
  fleet_.want({"a", "b"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}));
  EXPECT_EQ(fleet_.steps_done("add-member/").size(), 1U);
  EXPECT_TRUE(fleet_.steps_begun("remove/").empty());
}

TEST_P(Doubt, C14_WhenEveryDiskIsLostNothingIsFormedUntilPeopleRaiseTheGeneration) {
  fleet_.form({"a", "b", "c"});
  const auto steps = fleet_.steps_done();
  const base::ClusterId before = fleet_.cluster_of("a");
  fleet_.lose_disks({"a", "b", "c"});
  for (const char* member : {"a", "b", "c"}) {
    EXPECT_TRUE(fleet_.plans(member, "NeedsHuman", "DataLost"));
    EXPECT_NE(fleet_.plan(member).dump().find("restore a backup"), std::string::npos);
  }
  EXPECT_TRUE(
      stays([&] { return fleet_.etcd_pid("a") == 0 && fleet_.etcd_pid("b") == 0 && fleet_.etcd_pid("c") == 0; }));
  EXPECT_EQ(fleet_.steps_done(), steps);
  Wording anew;
  anew.more = "generation: 2\n";
  fleet_.want({"a", "b", "c"}, anew);
  EXPECT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_NE(fleet_.cluster_of("a"), before);
  EXPECT_TRUE(fleet_.settle("a"));
}

// Two of three follow a newer file. What is done by their own agents is done; what takes the third waits for it, and is
// told.
class StaleFile : public Doubt {
 protected:
  void form_with_an_own_file_for_c(const std::string& leader) {
    fleet_.form({"a", "b", "c"});
    fleet_.lead(leader);
    std::filesystem::copy_file(fleet_.file(), own_);
    fleet_.kill("c");
    fleet_.give("c", own_);
    fleet_.start("c");
    ASSERT_TRUE(fleet_.settle("c"));
    Wording newer;
    newer.etcd = "quota: 64Mi";
    fleet_.want({"a", "b", "c"}, newer);
  }
  bool has_newer(const std::string& member) const {
    return integration::read_file(fleet_.config(member)).find("67108864") != std::string::npos;
  }
  bool waits_for(const std::string& member, const std::string& what) const {
    return Fleet::eventually([&] {
      last_ = fleet_.quorate({"wait", "--for", "synced", "--timeout", "1s", "--agent", fleet_.socket(member)});
      return last_.exit_code != 0 && (last_.output + last_.errors).find(what) != std::string::npos;
    });
  }
  std::string said() const { return last_.output + last_.errors; }
  void update_and_see_it_carried_out(truth::Writer& writer) {
    integration::write_file(own_, integration::read_file(fleet_.file()));
    ASSERT_TRUE(Fleet::eventually([&] {
      return has_newer("a") && has_newer("b") && has_newer("c") && fleet_.are_voters({"a", "b", "c"});
    }));
    EXPECT_TRUE(fleet_.settle("c"));
    for (const char* member : {"a", "b", "c"}) {
      EXPECT_EQ(fleet_.steps_done(std::string("write-manifest/") + member).size(), 2U) << "formed, and once more";
    }
    expect_nothing_lost(fleet_, writer);
  }

  std::string own_ = fleet_.folder() + "/own.yaml";
  mutable integration::Ended last_;
};

TEST_P(StaleFile, AFollowerWithAnOldFileIsWaitedForAndUndoesNothing) {
  form_with_an_own_file_for_c("a");
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  ASSERT_TRUE(Fleet::eventually([&] { return has_newer("b"); }));
  EXPECT_TRUE(waits_for("a", "the agent of c: write-manifest/c")) << said();
  EXPECT_TRUE(waits_for("c", "hold the same desired file")) << said();
  EXPECT_TRUE(stays([&] { return !has_newer("a") && has_newer("b") && !has_newer("c"); })) << "no flapping";
  update_and_see_it_carried_out(writer);
}

// What the majority holds is in force, whatever the agent of the leader has read.
TEST_P(StaleFile, ALeaderWithAnOldFileHoldsUpNobodyElse) {
  form_with_an_own_file_for_c("c");
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  ASSERT_TRUE(Fleet::eventually([&] { return has_newer("a") && has_newer("b"); }));
  EXPECT_TRUE(waits_for("a", "the agent of c: write-manifest/c")) << said();
  EXPECT_TRUE(waits_for("c", "hold the same desired file")) << said();
  EXPECT_TRUE(stays([&] { return has_newer("a") && has_newer("b") && !has_newer("c"); })) << "no flapping";
  update_and_see_it_carried_out(writer);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Doubt, testing::Values(std::string("3.5.16")), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(SlowEtcd, Doubt, testing::Values(std::string("3.4.23")), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(Etcd, StaleFile, testing::Values(std::string("3.5.16")), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
