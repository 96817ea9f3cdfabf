// What becomes of an order, out of the passes that follow it.
#include "reconciler/cli/course.h"

#include <gmock/gmock.h>

namespace quorate::cli {
namespace {

using model::ExitCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<std::string> kSteps = {"backup/prod", "remove/c@3", "add-member/c@http://c:2380"};

base::Duration seconds(int number) {
  return std::chrono::seconds{number};
}

class CourseTest : public testing::Test {
 protected:
  static Ordered order() {
    Ordered ordered;
    ordered.desired_digest = "file";
    ordered.steps = kSteps;
    ordered.told = seconds(100);
    return ordered;
  }
  // Begun after the order, and with these steps left.
  static SeenPass left(std::vector<std::string> steps) {
    SeenPass pass;
    pass.member = "a";
    pass.plan = "1a2b3c4d";
    pass.desired_digest = "file";
    pass.status = steps.empty() ? "Converged" : "Actionable";
    pass.exit_code = steps.empty() ? 0 : 2;
    pass.steps = std::move(steps);
    pass.began = seconds(101);
    return pass;
  }
  std::vector<std::string> told(const SeenPass& pass, int at = 0) {
    std::vector<std::string> words;
    for (const CourseNews& news : course_.take(pass, seconds(at))) {
      words.push_back((news.what == CourseNews::What::Began  ? "began "
                       : news.what == CourseNews::What::Done ? "done "
                                                             : "failed ") +
                      std::to_string(news.step));
    }
    return words;
  }
  std::optional<CourseEnd> end(int at = 0) const { return course_.end(seconds(at)); }

  Course course_{order()};
};

TEST_F(CourseTest, APlanThatWasCarriedOutWhileItWasReadIsDoneWithTheFirstPassAfterTheOrder) {
  EXPECT_THAT(told(left({})), ElementsAre("done 0", "done 1", "done 2"));
  ASSERT_TRUE(end());
  EXPECT_EQ(end()->code, ExitCode::Ok);
}

TEST_F(CourseTest, APassThatBeganBeforeTheOrderSaysNothing) {
  SeenPass pass = left({});
  pass.began = seconds(99);
  EXPECT_THAT(told(pass), IsEmpty());
  EXPECT_FALSE(end());
}

TEST_F(CourseTest, APassOfAnotherFileSaysNothingAndIsAnEndWhenItLasts) {
  SeenPass pass = left({});
  pass.desired_digest = "another";
  EXPECT_THAT(told(pass, 0), IsEmpty());
  EXPECT_FALSE(end(9));
  ASSERT_TRUE(end(10));
  EXPECT_EQ(end(10)->code, ExitCode::Stale);
  told(left(kSteps), 10);
  EXPECT_FALSE(end(30));
}

TEST_F(CourseTest, StepsBeginAndEndOneAfterTheOther) {
  EXPECT_THAT(told(left(kSteps), 1), ElementsAre("began 0"));
  EXPECT_THAT(told(left(kSteps), 2), IsEmpty());
  EXPECT_THAT(told(left({kSteps[1], kSteps[2]}), 3), ElementsAre("done 0", "began 1"));
  EXPECT_EQ(course_.running_for(seconds(5)), seconds(2));
  const auto news = course_.take(left({kSteps[2]}), seconds(7));
  ASSERT_THAT(news, SizeIs(2));
  EXPECT_EQ(news[0].took, seconds(4));
  EXPECT_FALSE(end(7));
  EXPECT_THAT(told(left({}), 8), ElementsAre("done 2"));
  EXPECT_EQ(end(8)->code, ExitCode::Ok);
}

TEST_F(CourseTest, NothingIsDoneBecauseTooLittleIsSeen) {
  SeenPass pass = left({});
  pass.status = "NeedsObservation";
  EXPECT_THAT(told(pass), IsEmpty());
  pass = left({});
  pass.plan.clear();
  EXPECT_THAT(told(pass), IsEmpty());
  EXPECT_FALSE(end(1000));
}

TEST_F(CourseTest, WhatStandsBehindAStepThatIsRefusedIsNotDoneBecauseItIsNotShown) {
  SeenPass pass = left({kSteps[1]});
  pass.ends_early = true;
  EXPECT_THAT(told(pass), ElementsAre("done 0", "began 1"));
  pass = left({"compact/prod"});
  pass.ends_early = true;
  EXPECT_THAT(told(pass), IsEmpty());
  EXPECT_EQ(course_.done(), 1U);
}

TEST_F(CourseTest, ALearnerThatHasItsIdByNowIsStillTheSameStep) {
  Ordered ordered = order();
  ordered.steps = {"add-member/c@http://c:2380", "promote/c@http://c:2380"};
  Course course(ordered);
  course.take(left({"promote/c@fd42"}), seconds(1));
  EXPECT_EQ(course.done(), 1U);
  EXPECT_EQ(course.running(), 1U);
}

TEST_F(CourseTest, ANoEndsItAtOnce) {
  SeenPass pass = left(kSteps);
  pass.denied = {kSteps[1]};
  told(pass);
  ASSERT_TRUE(end());
  EXPECT_EQ(end()->code, ExitCode::NeedsApproval);
  EXPECT_THAT(end()->why, HasSubstr("no to remove/c@3"));
}

TEST_F(CourseTest, AFailureIsToldOnceAndEndsItOnlyWhenItIsTriedNoMore) {
  SeenPass pass = left(kSteps);
  pass.step = kSteps[0];
  pass.failed = "the store is full";
  EXPECT_THAT(told(pass), ElementsAre("began 0", "failed 0"));
  EXPECT_THAT(told(pass), IsEmpty());
  EXPECT_FALSE(end(600));
  pass.given_up = true;
  told(pass);
  ASSERT_TRUE(end());
  EXPECT_EQ(end()->code, ExitCode::Failed);
  EXPECT_THAT(end()->why, HasSubstr("the store is full"));
}

TEST_F(CourseTest, APauseOrAMissingYesIsAnEndWhenItLasts) {
  for (const ExitCode code : {ExitCode::Busy, ExitCode::NeedsApproval}) {
    course_ = Course{order()};
    SeenPass pass = left(kSteps);
    pass.held = {{code == ExitCode::Busy ? "" : kSteps[0], static_cast<int>(code), "P4, paused", false}};
    told(pass, 1);
    told(pass, 5);
    EXPECT_FALSE(end(10));
    ASSERT_TRUE(end(11));
    EXPECT_EQ(end(11)->code, code);
    told(left(kSteps), 12);
    EXPECT_FALSE(end(100)) << "it is over";
  }
}

TEST_F(CourseTest, WhatPassesByItselfOrHoldsUpALaterStepIsNoEnd) {
  SeenPass pass = left(kSteps);
  pass.held = {{kSteps[0], 2, "Q9, the learner lags", true}, {kSteps[2], 5, "P3, class destructive", false}};
  told(pass);
  EXPECT_FALSE(end(1000));
}

TEST_F(CourseTest, AMemberThatStartsAgainMayHoldUpTheNextStepForAWhile) {
  SeenPass pass = left(kSteps);
  pass.held = {{kSteps[0], 4, "Q1, 2 voters, 1 up, needs 2", false}};
  told(pass, 0);
  EXPECT_FALSE(end(59));
  ASSERT_TRUE(end(60));
  EXPECT_EQ(end(60)->code, ExitCode::Refused);
}

TEST_F(CourseTest, APersonWhoHasToDecideIsAnEnd) {
  SeenPass pass = left({});
  pass.status = "NeedsHuman";
  pass.exit_code = 4;
  pass.notice = "the quorum is lost for good";
  told(pass, 0);
  ASSERT_TRUE(end(60));
  EXPECT_EQ(end(60)->code, ExitCode::Refused);
  EXPECT_EQ(end(60)->why, "the quorum is lost for good");
}

TEST_F(CourseTest, F16_WhatIsNoLongerShownBecauseAPersonHasToDecideIsNotDone) {
  SeenPass pass = left({});
  pass.status = "NeedsHuman";
  pass.exit_code = 12;
  pass.notice = "the backup cannot be restored";
  told(pass, 0);
  EXPECT_EQ(course_.done(), 0u);
  ASSERT_TRUE(end(10)) << "a backup does not mend itself";
  EXPECT_EQ(end(10)->code, ExitCode::BadBackup);
}

TEST_F(CourseTest, ARestoreIsNotDoneBeforeItHasBegun) {
  Ordered ordered = order();
  ordered.restores = true;
  Course course(ordered);
  course.take(left({}), seconds(1));
  EXPECT_FALSE(course.end(seconds(1)));
  course.take(left(kSteps), seconds(2));
  course.take(left({}), seconds(3));
  EXPECT_TRUE(course.end(seconds(3)));
}

TEST_F(CourseTest, WithoutAYesAgentsGoOnToTheEndOnlyWhereNothingIsHeld) {
  SeenPass pass = left(kSteps);
  told(pass);
  EXPECT_TRUE(course_.goes_on_by_itself());
  EXPECT_FALSE(course_.is_held_up());
  pass.held = {{kSteps[1], 5, "P7, class change", false}};
  told(pass);
  EXPECT_FALSE(course_.goes_on_by_itself()) << "what heals goes on, and stops there";
  EXPECT_FALSE(course_.is_held_up());
  pass.held = {{kSteps[0], 5, "P7, class change", false}};
  told(pass);
  EXPECT_TRUE(course_.is_held_up());
}

TEST(Course, ARemovalOfAnotherMemberIsNeverTheSameStep) {
  EXPECT_TRUE(is_same_step("remove/c@3", "remove/c@3"));
  EXPECT_FALSE(is_same_step("remove/c@3", "remove/c@4"));
  EXPECT_TRUE(is_same_step("promote/c@http://c:2380", "promote/c@4"));
  EXPECT_FALSE(is_same_step("promote/c@4", "promote/d@4"));
}

}  // namespace
}  // namespace quorate::cli
