// Agents that die at exactly one moment: after a record of their journal, or between a new file and its name.
#include <filesystem>
#include <fstream>

#include "tests/e2e/agents/fleet.h"
#include "tests/e2e/agents/held.h"

namespace quorate::e2e {
namespace {

namespace fs = std::filesystem;

// In every round a disk is lost, and the agent that writes a certain record of the repair dies with it on its lips. An
// agent that dies with the lock of the cluster leaves it until its lease ends.
class EveryRecord : public AgentsTest {
 protected:
  void SetUp() override {
    fleet_.want(all_);
    for (const std::string& member : all_) start_counted(member);
    ASSERT_TRUE(fleet_.become_voters(all_, kFormed));
    for (const std::string& member : all_) ASSERT_TRUE(fleet_.settle(member));
    writer_ = std::make_unique<truth::Writer>(fleet_.client_urls(all_));
  }
  void start_counted(const std::string& member) { start_held(fleet_, member, "HOLD_COUNTED=" + counter_); }

  // Whose agent died; empty: the repair has fewer records.
  std::string lose_a_disk_and_the_agent_at(int record) {
    const base::MemberId lost = fleet_.id_of("c");
    const std::size_t removed = fleet_.steps_done("remove/").size();
    const std::size_t promoted = fleet_.steps_done("promote/").size();
    std::ofstream(counter_) << record;
    fleet_.lose_disks({"c"});
    std::string victim;
    EXPECT_TRUE(Fleet::eventually([&] {
      // Who stops at the very last record does so after it is written, and before anybody has looked at the cluster.
      const bool repaired = fleet_.steps_done("promote/").size() > promoted && is_repaired(lost);
      for (const std::string& member : all_) {
        if (fleet_.is_stopped(member)) victim = member;
      }
      return !victim.empty() || repaired;
    })) << "record "
        << record;
    fs::remove(counter_);
    const std::string told = "record " + std::to_string(record) + ", agent of " + victim;
    if (!victim.empty()) {
      fleet_.kill(victim);
      start_counted(victim);
    }
    EXPECT_TRUE(Fleet::eventually([&] { return is_repaired(lost); })) << told;
    // What was done by the one who died and not written down any more is done all the same.
    EXPECT_LE(fleet_.steps_done("remove/").size(), removed + 1) << told;
    for (const std::string& member : all_) EXPECT_TRUE(fleet_.settle(member)) << told;
    return victim;
  }
  bool is_repaired(base::MemberId lost) {
    const base::MemberId now = fleet_.id_of("c");
    const auto list = fleet_.list();
    return now.value != 0 && now != lost && list && list->members.size() == 3 && fleet_.are_voters(all_);
  }

  const Names all_{"a", "b", "c"};
  const std::string counter_ = fleet_.folder() + "/records";
  std::unique_ptr<truth::Writer> writer_;
};

TEST_P(EveryRecord, AReplacementIsFinishedWhereverItsAgentDies) {
  int record = 1;
  while (!lose_a_disk_and_the_agent_at(record).empty() && !HasFailure()) ++record;
  RecordProperty("records", record - 1);
  EXPECT_GT(record, 8) << "remove, add, write, promote: each is meant and done";
  expect_nothing_lost(fleet_, *writer_);
  expect_one_content(fleet_, all_);
}

INSTANTIATE_TEST_SUITE_P(SlowEtcd, EveryRecord, testing::ValuesIn(integration::kEtcdReleases),
                         integration::name_of_release);

class SomeRecords : public EveryRecord {};

// The removal is meant, and the promotion: what etcd is asked for and cannot take back.
TEST_P(SomeRecords, AReplacementIsFinishedWhereItsAgentDies) {
  for (const int record : {1, 7}) ASSERT_FALSE(lose_a_disk_and_the_agent_at(record).empty()) << record;
  expect_nothing_lost(fleet_, *writer_);
  expect_one_content(fleet_, all_);
}

INSTANTIATE_TEST_SUITE_P(Etcd, SomeRecords, testing::Values("3.5.16"), integration::name_of_release);

class Manifests : public AgentsTest {};

// The second time is when the member holds data: from then on it may start on those only.
TEST_P(Manifests, J07_AnAgentThatDiesInTheMiddleOfAWriteLeavesTheWholeOldFile) {
  fleet_.want({"a"});
  start_held(fleet_, "a", "HOLD_RENAMING=etcd.yaml");
  ASSERT_TRUE(is_held(fleet_, "a"));
  const std::string before = integration::read_file(fleet_.config("a"));
  EXPECT_NE(before.find("initial-cluster-state: new"), std::string::npos) << before;
  EXPECT_NE(before.find("listen-client-urls: "), std::string::npos) << before;
  fleet_.kill("a");
  EXPECT_EQ(integration::read_file(fleet_.config("a")), before);
  fleet_.start("a");
  ASSERT_TRUE(fleet_.become_voters({"a"}));
  ASSERT_TRUE(fleet_.settle("a"));
  EXPECT_NE(integration::read_file(fleet_.config("a")).find("initial-cluster-state: existing"), std::string::npos);
  for (const auto& each : fs::directory_iterator(fs::path(fleet_.config("a")).parent_path())) {
    EXPECT_EQ(each.path().filename().string().find(".etcd.yaml"), std::string::npos) << each.path() << " is left";
  }
}

// Before there is a member ID its step is named after the peer URLs.
TEST_P(Manifests, J14_AReplacementDoesWhatWasShownUnderTheSameIds) {
  Wording wording;
  wording.reconcile = "apply: manual, selfHeal: \"off\", deadAfter: 3s, every: 1s";
  fleet_.form({"a", "b", "c"});
  fleet_.want({"a", "b", "c"}, wording);
  for (const char* member : {"a", "b", "c"}) {
    ASSERT_TRUE(fleet_.agent_said(member, "follows the new"));
    ASSERT_TRUE(fleet_.settle(member));
  }
  const Names before = fleet_.steps_done();
  fleet_.lose_disks({"c"});
  Names shown;
  ASSERT_TRUE(Fleet::eventually([&] {
    const Json plan = fleet_.plan("a");
    shown.clear();
    if (!plan.is_object()) return false;
    for (const Json& step : plan.value("steps", Json::array())) shown.push_back(step.value("id", ""));
    return shown.size() >= 4;
  })) << fleet_.plan("a").dump(1);
  EXPECT_EQ(fleet_.steps_begun("").size(), before.size()) << "nobody has agreed yet";
  const auto applied = fleet_.quorate(
      {"apply", "--yes", "--timeout", "60s", "-f", fleet_.file(), "--agent", fleet_.socket("a"), "--by", "a test"});
  EXPECT_EQ(applied.exit_code, 0) << applied.output << applied.errors;
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  Names done = fleet_.steps_done();
  done.erase(done.begin(), done.begin() + static_cast<std::ptrdiff_t>(before.size()));
  ASSERT_EQ(done.size(), shown.size());
  EXPECT_EQ(shown.back(), "promote/c@" + fleet_.peer_url("c"));
  shown.back() = "promote/c@" + base::to_string(fleet_.id_of("c"));
  EXPECT_EQ(done, shown);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Manifests, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
