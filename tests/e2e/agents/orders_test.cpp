// What people order and what they are told: apply, resume, Ctrl-C, deny, pause, wait, and what history says afterwards.
#include <csignal>
#include <sstream>

#include <gmock/gmock.h>

#include "tests/e2e/agents/fleet.h"

namespace quorate::e2e {
namespace {

using integration::Ended;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Orders : public AgentsTest {
 protected:
  static Wording manual(const std::string& rollout = "soak: 0s") {
    Wording wording;
    wording.reconcile = "apply: manual, every: 2s";
    wording.rollout = rollout;
    return wording;
  }
  // Every addition waits for a yes, which plan and deny see, too.
  static Wording protective() {
    Wording wording;
    wording.more = "protect: {approve: [change, destructive]}\n";
    return wording;
  }
  Names words(Names more) const {
    const Names usual = {"-f", fleet_.file(), "--agent", fleet_.socket("a")};
    more.insert(more.end(), usual.begin(), usual.end());
    return more;
  }
  Ended order(const Names& more) const { return fleet_.quorate(words(more)); }
  Ended wait_for(const std::string& state, const std::string& span) const {
    return fleet_.quorate({"wait", "--for", state, "--timeout", span, "--agent", fleet_.socket("a")});
  }
  // The plan as the agent sees it, when it has something to do.
  std::string plan_id() {
    std::string id;
    EXPECT_TRUE(Fleet::eventually([&] {
      const Json plan = fleet_.plan("a");
      if (!plan.is_object() || plan.value("steps", Json::array()).empty()) return false;
      id = plan.value("id", "");
      return plan.value("status", "") == "Actionable";
    }));
    return id;
  }
  bool eventually_begun(const std::string& step) {
    return Fleet::eventually([&] { return !fleet_.steps_begun(step).empty(); });
  }
  static Names types_of(const std::string& events) {
    Names types;
    std::istringstream lines(events);
    for (std::string line; std::getline(lines, line);) {
      const Json event = Json::parse(line, nullptr, false);
      types.push_back(event.is_object() ? event.value("type", "none") : "no JSON: " + line);
    }
    return types;
  }
};

TEST_P(Orders, J14_APlanIsCarriedOutByItsIdAndHistorySaysWhoAgreed) {
  fleet_.form({"a"});
  const auto at_once = order({"apply", "--yes", "--timeout", "60s"});
  EXPECT_EQ(at_once.exit_code, 0) << at_once.output << at_once.errors;
  EXPECT_THAT(at_once.output, HasSubstr("No changes"));
  fleet_.want({"a", "b"}, manual());
  fleet_.start("b");
  const std::string id = plan_id();
  const std::size_t before = fleet_.steps_begun("").size();
  const auto stale = order({"apply", "00000000", "--yes"});
  EXPECT_EQ(stale.exit_code, 7) << stale.output << stale.errors;
  EXPECT_THAT(stale.errors, HasSubstr("quorate plan"));
  const auto unknown = order({"apply", "--resume", "00000000", "--yes"});
  EXPECT_EQ(unknown.exit_code, 7) << unknown.output << unknown.errors;
  const auto unasked = order({"apply", id, "--no-input"});
  EXPECT_EQ(unasked.exit_code, 4) << unasked.output << unasked.errors;
  EXPECT_EQ(fleet_.steps_begun("").size(), before) << "nobody has agreed";
  const auto done = order({"apply", id, "--yes", "--timeout", "90s", "--by", "ann", "--reason", "more room"});
  EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  EXPECT_THAT(done.output, AllOf(HasSubstr("] add member b"), HasSubstr("done in"), HasSubstr("is as the file says")));
  EXPECT_TRUE(fleet_.are_voters({"a", "b"}));
  const auto again = order({"apply", id, "--yes"});
  EXPECT_EQ(again.exit_code, 7) << "a plan is carried out once";
  const auto history = fleet_.quorate({"history", "-o", "json", "--state-dir", fleet_.state_dir("a")});
  const Json steps = Json::parse(history.output).at("steps");
  const auto added = std::find_if(steps.begin(), steps.end(), [](const Json& step) {
    return step.value("step", "").compare(0, 13, "add-member/b@") == 0;
  });
  ASSERT_NE(added, steps.end()) << history.output;
  EXPECT_EQ((*added)["approved_by"], "ann");
  EXPECT_EQ((*added)["approved_why"], "more room");
}

TEST_P(Orders, J14_ProgramsAreToldEventsAndAgentsThatGoAheadByThemselvesAreFollowed) {
  fleet_.form({"a"});
  Wording formed;
  formed.create = false;
  fleet_.want({"a", "b"}, formed);
  fleet_.start("b");
  Ended done;
  ASSERT_TRUE(Fleet::eventually([&] {  // whoever is not up yet is no reason to wait for a person
    done = order({"apply", "--yes", "-o", "ndjson", "--timeout", "90s"});
    return done.exit_code == 0;
  })) << done.output
      << done.errors;
  const Names types = types_of(done.output);
  ASSERT_FALSE(types.empty());
  EXPECT_EQ(types.front(), "version");
  EXPECT_EQ(types.back(), "summary") << done.output;
  EXPECT_TRUE(fleet_.become_voters({"a", "b"}));
  const auto nothing = order({"apply", "--yes", "-o", "ndjson"});
  EXPECT_EQ(types_of(nothing.output), (Names{"version", "summary"})) << nothing.output;
}

TEST_P(Orders, J14_CtrlCTakesTheYesBackAndResumeGoesOnWithThatPlanAlone) {
  fleet_.form({"a"});
  fleet_.want({"a", "b", "c"}, manual("soak: 15s"));
  fleet_.start(Names{"b", "c"});
  const std::string id = plan_id();
  Names command = words({"apply", id, "--yes", "--timeout", "120s"});
  command.insert(command.begin(), QUORATE_BINARY);
  integration::Process apply({std::move(command), {}});
  ASSERT_TRUE(fleet_.become_voters({"a", "b"})) << apply.log();
  const auto says = [&](const std::string& piece) {
    return apply.wait_for_line([&](const std::string& line) { return line.find(piece) != std::string::npos; },
                               Seconds(20));
  };
  ASSERT_TRUE(says("[4/")) << "it waits for the soak: " << apply.log();
  apply.signal(SIGUSR1);
  EXPECT_TRUE(says("waiting for")) << apply.log();
  apply.signal(SIGINT);
  const auto ended = apply.wait_for_exit(Seconds(30));
  ASSERT_TRUE(ended) << apply.log();
  EXPECT_EQ(*ended, 130) << apply.log();
  EXPECT_THAT(apply.log(), AllOf(HasSubstr("Stopped at step 4 of"), HasSubstr("--resume " + id)));
  EXPECT_TRUE(stays([&] { return fleet_.steps_begun("add-member/c").empty(); }, Seconds(20)));
  fleet_.want({"a", "b", "c"}, manual("soak: 0s"));
  ASSERT_TRUE(fleet_.agent_said("a", "follows the new"));
  const auto other = order({"apply", "--resume", id, "--yes"});
  EXPECT_EQ(other.exit_code, 7) << "another file asks for it now: " << other.output << other.errors;
  fleet_.want({"a", "b", "c"}, manual("soak: 15s"));
  ASSERT_TRUE(Fleet::eventually([&] {
    const auto resumed = order({"apply", "--resume", id, "--yes", "--timeout", "90s"});
    return resumed.exit_code == 0;
  }));
  EXPECT_TRUE(fleet_.are_voters({"a", "b", "c"}));
}

TEST_P(Orders, I05_WhatIsDeniedEndsTheOrderAndNothingIsChanged) {
  fleet_.form({"a"});
  fleet_.want({"a"}, protective());
  const auto synced = order({"wait", "--for", "synced", "--timeout", "60s"});
  ASSERT_EQ(synced.exit_code, 0) << "what was carried out last protects: " << synced.errors;
  fleet_.want({"a", "b"}, protective());
  fleet_.start("b");
  const std::string id = plan_id();
  EXPECT_EQ(wait_for("approved", "3s").exit_code, 1);
  const auto denied = order({"deny", id, "-o", "json", "--by", "ann"});
  ASSERT_EQ(denied.exit_code, 0) << denied.errors;
  const Json answers = Json::parse(denied.output);
  EXPECT_EQ(answers["steps"][0]["denied"], true);
  EXPECT_EQ(answers["steps"][0]["kept"], "etcd");
  const auto ended = order({"apply", id, "--yes", "--timeout", "60s"});
  EXPECT_EQ(ended.exit_code, 5) << ended.output << ended.errors;
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("somebody said no"), HasSubstr("not started"), HasSubstr("1 voter, 1 up")));
  EXPECT_THAT(fleet_.steps_begun("add-member/"), IsEmpty());
}

TEST_P(Orders, I05_APauseStopsEverythingUntilItEnds) {
  fleet_.form({"a", "b"});
  const auto paused = order({"pause", "--reason", "new switch", "--for", "1h"});
  EXPECT_EQ(paused.exit_code, 0) << paused.errors;
  EXPECT_THAT(paused.output, AllOf(HasSubstr("kept in         etcd"), HasSubstr("acknowledged    a\n")));
  const std::size_t before = fleet_.steps_begun("").size();
  fleet_.want({"a", "b", "c"});
  fleet_.start("c");
  (void)plan_id();
  const auto ended = order({"apply", "--yes", "--timeout", "60s"});
  EXPECT_EQ(ended.exit_code, 8) << ended.output << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("new switch"));
  EXPECT_EQ(wait_for("approved", "2s").exit_code, 1) << "behind a pause nobody knows";
  EXPECT_TRUE(stays([&] { return fleet_.steps_begun("").size() == before; }));
  const auto resumed = order({"resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_TRUE(fleet_.become_voters({"a", "b", "c"}));
}

TEST_P(Orders, C12_NothingIsWaitedForInVainNorTakenForWellWhenTheQuorumIsGone) {
  fleet_.form({"a", "b", "c"});
  for (const char* state : {"synced", "healthy", "approved"}) {
    const auto so = wait_for(state, "60s");
    EXPECT_EQ(so.exit_code, 0) << state << ": " << so.errors;
  }
  fleet_.lose_disks({"b", "c"});
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "quorum is lost for good"));
  for (const char* state : {"synced", "healthy", "approved"}) {
    EXPECT_EQ(wait_for(state, "3s").exit_code, 1) << state;
  }
  const auto paused = order({"pause", "--reason", "looking", "--for", "1h"});
  EXPECT_EQ(paused.exit_code, 0) << paused.errors;
  EXPECT_THAT(paused.output, AllOf(HasSubstr("kept in         this node"), HasSubstr("do not know of it")));
  EXPECT_EQ(order({"resume"}).exit_code, 0);
}

TEST_P(Orders, UpThatIsToFormAClusterNeedsNoOtherYesAndEverythingLaterDoes) {
  Wording wording = manual();
  wording.create = false;
  fleet_.want({"a", "b"}, wording);
  const std::string state = fleet_.state_dir("up");
  integration::Process up({{QUORATE_BINARY, "up", "--create", "-f", fleet_.file(), "--state-dir", state}, {}});
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}, kFormed)) << up.log();
  const auto status = [&] {
    return fleet_.quorate({"wait", "--for", "synced", "--timeout", "5s", "--agent", state + "/agent.sock"}).exit_code;
  };
  ASSERT_TRUE(Fleet::eventually([&] { return status() == 0; })) << up.log();
  wording.etcd = "quota: 64Mi";
  fleet_.want({"a", "b"}, wording);
  ASSERT_TRUE(Fleet::eventually([&] { return status() != 0; })) << up.log();
  EXPECT_NE(status(), 0) << "nobody has agreed to another quota";
}

TEST_P(Orders, UpSaysWhereItIsAndStopsAtOnceWhenItIsToldTwice) {
  fleet_.want({"a"});
  integration::Process up(
      {{QUORATE_BINARY, "up", "--create", "-f", fleet_.file(), "--state-dir", fleet_.state_dir("a")}, {}});
  const auto says = [&](const std::string& piece) {
    return up.wait_for_line([&](const std::string& line) { return line.find(piece) != std::string::npos; }, kFormed);
  };
  ASSERT_TRUE(fleet_.become_voters({"a"}, kFormed)) << up.log();
  ASSERT_TRUE(fleet_.settle("a"));
  up.signal(SIGUSR1);
  EXPECT_TRUE(says("a: Converged")) << up.log();
  fleet_.signal_etcd("a", SIGSTOP);  // so that it does not end when it is asked to
  up.signal(SIGINT);
  ASSERT_TRUE(says("stopping the members")) << up.log();
  up.signal(SIGINT);
  EXPECT_EQ(up.wait_for_exit(Seconds(20)), 130) << up.log();
  EXPECT_TRUE(says("stopped at once")) << up.log();
}

INSTANTIATE_TEST_SUITE_P(Etcd, Orders, testing::Values(std::string("3.5.16")), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
