// The agents themselves: killed at the worst moment, started twice, given wrong files, and with nothing to do.
#include <algorithm>
#include <filesystem>

#include <sys/stat.h>

#include "tests/e2e/agents/fleet.h"

namespace quorate::e2e {
namespace {

class Control : public AgentsTest {
 protected:
  // What a second look must not have touched.
  std::string traces(const Names& members) const {
    std::string text;
    for (const std::string& member : members) {
      struct stat about {};
      for (const std::string& path : {fleet_.config(member), fleet_.data_dir(member) + "/quorate.json"}) {
        if (::stat(path.c_str(), &about) != 0) text += path + " is not there\n";
        text += path + " " + std::to_string(about.st_ino) + " " + std::to_string(about.st_mtim.tv_sec) + "." +
                std::to_string(about.st_mtim.tv_nsec) + "\n";
      }
      text += std::to_string(fleet_.journal_size(member)) + "\n";
    }
    return text;
  }
};

Names without_ids(const Names& steps) {
  Names names;
  for (const std::string& step : steps) names.push_back(step.substr(0, step.find('@')));
  return names;
}

TEST_P(Control, J01_J04_ARunThatFindsNothingToDoWritesNothing) {
  fleet_.form({"a", "b", "c"});
  for (const char* member : {"b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  const std::string before = traces({"a", "b", "c"});
  fleet_.replace_file(fleet_.text({"a", "b", "c"}) + "# the same\n");
  ASSERT_TRUE(fleet_.agent_said("a", "follows the new"));
  ASSERT_TRUE(fleet_.settle("a"));
  fleet_.kill({"a", "b", "c"});
  fleet_.start(Names{"a", "b", "c"});
  for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  EXPECT_EQ(traces({"a", "b", "c"}), before);
}

TEST_P(Control, J07_AWrongFileChangesNothingAndIsToldOf) {
  fleet_.form({"a"});
  const std::string before = traces({"a"});
  fleet_.overwrite_file("members: {a: [\n");
  ASSERT_TRUE(fleet_.agent_said("a", "the last valid file stays in force"));
  EXPECT_EQ(traces({"a"}), before);
  fleet_.kill_etcd("a");  // it is still kept as the last valid file says
  ASSERT_TRUE(fleet_.become_voters({"a"}));
  fleet_.overwrite_file(fleet_.text({"a", "b"}));
  fleet_.start("b");
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}));
}

TEST_P(Control, J02_ASecondAgentForAStateDirectoryIsRefused) {
  fleet_.form({"a"});
  const auto second = fleet_.quorate({"agent", "--member", "a", "--state-dir", fleet_.state_dir("a"), "--agent",
                                      fleet_.folder() + "/second.sock", "-f", fleet_.file()});
  EXPECT_EQ(second.exit_code, 8) << second.errors;
  EXPECT_TRUE(fleet_.are_voters({"a"}));
}

// The port of the agents is taken on that address, so the second one cannot even begin to be believed.
TEST_P(Control, J02_ASecondAgentForAMemberElsewhereOnItsMachineDoesNotRun) {
  fleet_.form({"a", "b", "c"});
  integration::Process second({{QUORATE_BINARY, "agent", "--member", "c", "--state-dir", fleet_.state_dir("second"),
                                "--agent", fleet_.folder() + "/second.sock", "-f", fleet_.file()},
                               {}});
  const auto ended = second.wait_for_exit(Seconds(20));
  ASSERT_TRUE(ended) << second.log();
  EXPECT_NE(*ended, 0) << second.log();
  EXPECT_TRUE(fleet_.settle("a"));
  EXPECT_TRUE(fleet_.are_voters({"a", "b", "c"}));
}

TEST_P(Control, J14_TheStepsThatAreDoneAreThoseThatWereShown) {
  Wording wording;
  wording.reconcile = "apply: manual";
  fleet_.form({"a"});
  const auto formed = fleet_.steps_done().size();
  fleet_.want({"a", "b"}, wording);
  fleet_.start("b");
  Names shown;
  ASSERT_TRUE(Fleet::eventually([&] {
    const Json plan = fleet_.plan("a");
    shown.clear();
    if (!plan.is_object()) return false;
    for (const Json& step : plan.value("steps", Json::array())) shown.push_back(step.value("id", ""));
    return shown.size() == 3;
  })) << fleet_.plan("a").dump(1);
  EXPECT_EQ(fleet_.steps_done().size(), formed) << "nobody has agreed yet";
  const auto applied = fleet_.quorate(
      {"apply", "--yes", "--timeout", "60s", "-f", fleet_.file(), "--agent", fleet_.socket("a"), "--by", "a test"});
  EXPECT_EQ(applied.exit_code, 0) << applied.output << applied.errors;
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}));
  Names done = fleet_.steps_done();
  done.erase(done.begin(), done.begin() + static_cast<std::ptrdiff_t>(formed));
  EXPECT_EQ(without_ids(done), without_ids(shown));
}

INSTANTIATE_TEST_SUITE_P(Etcd, Control, testing::Values(std::string("3.5.16")), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(SlowEtcd, Control, testing::Values(std::string("3.4.23")), integration::name_of_release);

class SlowEveryRecord : public AgentsTest {};

TEST_P(SlowEveryRecord, J01_AgentsThatAreKilledAllTheTimeStillFinish) {
  fleet_.form({"a"});
  truth::Writer writer(fleet_.client_urls({"a"}));
  fleet_.want({"a", "b", "c"});
  fleet_.start(Names{"b", "c"});
  std::size_t seen = fleet_.journals().size();
  for (int kills = 0; kills < 8; ++kills) {
    if (!Fleet::eventually([&] { return fleet_.journals().size() > seen || fleet_.are_voters({"a", "b", "c"}); }))
      break;
    seen = fleet_.journals().size();
    fleet_.kill({"a", "b", "c"});
    fleet_.start(Names{"a", "b", "c"});
  }
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_TRUE(fleet_.settle("a"));
  EXPECT_TRUE(fleet_.steps_done("remove/").empty());
  expect_nothing_lost(fleet_, writer);
}

INSTANTIATE_TEST_SUITE_P(Etcd, SlowEveryRecord, testing::Values(std::string("3.5.16")), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
