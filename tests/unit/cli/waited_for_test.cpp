// What `quorate wait` takes for so, on passes that went over the socket.
#include "reconciler/cli/waited_for.h"

#include <gmock/gmock.h>

namespace quorate::cli {
namespace {

using testing::HasSubstr;

SeenPass well() {
  SeenPass pass;
  pass.member = "a";
  pass.plan = "1a2b3c4d";
  pass.desired_digest = "file";
  pass.status = "Converged";
  pass.health = "Healthy";
  pass.quorum = model::Quorum{3, 3};
  return pass;
}

// Golden plan C12-majority-lost-for-good: nothing can be done, and a person has to decide.
SeenPass dead() {
  SeenPass pass = well();
  pass.status = "NeedsHuman";
  pass.exit_code = 4;
  pass.health = "Unknown";
  pass.quorum.reset();
  pass.notice = "the quorum is lost for good";
  return pass;
}

bool is(const std::string& state, const SeenPass& pass) {
  return why_not({state, ""}, pass).empty();
}

}  // namespace

TEST(WaitedFor, AllIsSoOfAClusterThatIsAsItShouldBe) {
  for (const char* state : {"synced", "healthy", "approved"}) EXPECT_TRUE(is(state, well())) << state;
}

TEST(WaitedFor, C12_NothingIsSoOfAClusterWhoseQuorumIsLostForGood) {
  for (const char* state : {"synced", "healthy", "approved"}) EXPECT_FALSE(is(state, dead())) << state;
  EXPECT_EQ(why_not({"synced", ""}, dead()), "the quorum is lost for good");
}

TEST(WaitedFor, HealthyNeedsEveryVoterAndALeader) {
  SeenPass pass = well();
  pass.quorum = model::Quorum{3, 2};
  pass.health = "AtRisk";
  EXPECT_THAT(why_not({"healthy", ""}, pass), HasSubstr("3 voters, 2 up"));
  pass.quorum = model::Quorum{3, 3};
  pass.health = "NoQuorum";
  EXPECT_FALSE(is("healthy", pass));
  pass.quorum = model::Quorum{1, 1};
  pass.health = "AtRisk";
  EXPECT_TRUE(is("healthy", pass)) << "one voter cannot be healthier";
  pass.status = "Actionable";
  pass.steps = {"update-config/a@1"};
  EXPECT_TRUE(is("healthy", pass)) << "a difference from the file is none of its health";
}

TEST(WaitedFor, ApprovedNeedsAPlanThatIsKnownAndHoldsNoStepForAPerson) {
  SeenPass pass = well();
  pass.status = "Actionable";
  pass.exit_code = 2;
  pass.steps = {"remove/c@3"};
  EXPECT_TRUE(is("approved", pass));
  for (const int code : {4, 5, 6, 8}) {
    pass.exit_code = code;
    EXPECT_FALSE(is("approved", pass)) << code;
  }
  pass = well();
  pass.plan.clear();
  pass.did = true;
  EXPECT_FALSE(is("approved", pass)) << "nothing was planned in that pass";
}

TEST(WaitedFor, SyncedNeedsAPassThatFoundNothingToDoNorToWaitFor) {
  SeenPass pass = well();
  pass.did = true;
  EXPECT_FALSE(is("synced", pass));
  pass = well();
  pass.waits = "a majority of the agents to hold the same desired file";
  EXPECT_FALSE(is("synced", pass));
  pass = well();
  pass.plan.clear();
  EXPECT_FALSE(is("synced", pass));
}

TEST(WaitedFor, AnAgentWithAnotherFileSaysNothingOfOurs) {
  EXPECT_TRUE(why_not({"synced", "file"}, well()).empty());
  EXPECT_THAT(why_not({"synced", "newer"}, well()), HasSubstr("another desired file"));
  EXPECT_TRUE(why_not({"healthy", "newer"}, well()).empty());
}

TEST(SeenPass, IsReadAsItWasWritten) {
  loop::Pass pass;
  pass.plan.gated.plan.id = "1a2b3c4d";
  pass.plan.gated.plan.steps.resize(2);
  pass.plan.gated.plan.steps[0].id = "remove/c@3";
  pass.plan.gated.plan.steps[1].id = "promote/d@4";
  pass.plan.gated.verdicts.resize(2);
  pass.plan.gated.verdicts[1] = {model::Ruling::Hold,           "P3", "", "class destructive", {}, std::nullopt,
                                 model::ExitCode::NeedsApproval};
  pass.plan.gated.code = model::ExitCode::NeedsApproval;
  pass.desired_digest = "file";
  pass.denied = {"promote/d@4"};
  pass.began = base::Duration{1234};
  pass.failed = base::Error{base::ErrorKind::Conflict, "moved \x1b[2J", ""};
  pass.given_up = true;
  pass.records.lock_owner = "b";
  for (const char* decision : {"d1", "d2"}) {
    model::Pledge pledge;
    pledge.decision.id = decision;
    pledge.given = pledge.decision.id == "d2";
    pass.observed.nodes.emplace_back().standing.emplace().pledge = pledge;
  }
  pass.paused = model::Paused{"switch", *base::parse_time("2026-09-24T12:00:00Z"), {}};
  const auto seen = read_pass(pass_text("a", pass));
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->member, "a");
  EXPECT_EQ(seen->steps, (std::vector<std::string>{"remove/c@3", "promote/d@4"}));
  ASSERT_EQ(seen->held.size(), 1U);
  EXPECT_EQ(seen->held[0].step, "promote/d@4");
  EXPECT_EQ(seen->held[0].text, "P3, class destructive");
  EXPECT_FALSE(seen->held[0].passes);
  EXPECT_EQ(seen->denied, pass.denied);
  EXPECT_EQ(seen->began, pass.began);
  EXPECT_EQ(seen->failed, "moved \x1b[2J");
  EXPECT_TRUE(seen->given_up);
  EXPECT_EQ(seen->lock, "b");
  EXPECT_EQ(seen->given, std::vector<std::string>{"d2"});
  EXPECT_EQ(seen->paused, "paused until 2026-09-24T12:00:00Z: switch");
  EXPECT_FALSE(seen->quorum);
  EXPECT_FALSE(read_pass("{}"));
}

}  // namespace quorate::cli
