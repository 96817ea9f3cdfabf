// What is believed of an agent's answer, and how two agents for one member are told from one that was started again.
#include "reconciler/model/answer_check.h"

#include <chrono>

#include <gtest/gtest.h>

namespace quorate::model {
namespace {

using base::Duration;
using base::ErrorKind;

constexpr Duration kSecond{1000};

class OfAnswers : public testing::Test {
 protected:
  static AgentReport report(const std::string& boot) {
    AgentReport answer;
    answer.cluster = "prod";
    answer.member = "etcd-a";
    answer.nonce = "n1";
    answer.boot = boot;
    return answer;
  }
  bool believed(const std::string& boot) {
    now_ += kSecond;
    const auto problem = check_.problem(question_, report(boot), now_);
    if (!problem) return true;
    EXPECT_EQ(problem->message, "two agents answer for etcd-a");
    EXPECT_EQ(problem->kind, ErrorKind::Conflict);
    return false;
  }

  Question question_{"prod", "etcd-a", "n1"};
  AnswerCheck check_;
  Duration now_{};
};

TEST_F(OfAnswers, OnlyOneToOurQuestionIsBelieved) {
  AgentReport answer = report("x");
  EXPECT_FALSE(check_.problem(question_, answer, now_));
  answer.nonce = "n0";
  EXPECT_EQ(check_.problem(question_, answer, now_)->kind, ErrorKind::Refused);
  answer = report("x");
  answer.cluster = "test";
  EXPECT_EQ(check_.problem(question_, answer, now_)->kind, ErrorKind::Invalid);
  answer = report("x");
  answer.member = "etcd-b";
  EXPECT_EQ(check_.problem(question_, answer, now_)->kind, ErrorKind::Invalid);
}

TEST_F(OfAnswers, AnAgentMayBeStartedAgainAsOftenAsItLikes) {
  for (int life = 0; life < 50; ++life) EXPECT_TRUE(believed("boot-" + std::to_string(life)));
}

TEST_F(OfAnswers, TwoThatAnswerInTurnAreBothNotBelieved) {
  EXPECT_TRUE(believed("x"));
  EXPECT_TRUE(believed("y"));  // as far as anybody can tell, a restart
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(believed("x"));
    EXPECT_FALSE(believed("y"));
  }
}

TEST_F(OfAnswers, TheOneThatIsLeftIsBelievedAfterAWhile) {
  EXPECT_TRUE(believed("x"));
  EXPECT_TRUE(believed("y"));
  EXPECT_FALSE(believed("x"));
  for (int i = 0; i < 29; ++i) EXPECT_FALSE(believed("x"));
  EXPECT_TRUE(believed("x"));
  EXPECT_TRUE(believed("z"));
  EXPECT_FALSE(believed("y"));
}

TEST_F(OfAnswers, AThirdLifeIsNoWayOut) {
  EXPECT_TRUE(believed("x"));
  EXPECT_TRUE(believed("y"));
  EXPECT_FALSE(believed("x"));
  EXPECT_FALSE(believed("z"));
  EXPECT_FALSE(believed("z"));
}

TEST_F(OfAnswers, MembersAndClustersAreKeptApart) {
  EXPECT_TRUE(believed("x"));
  EXPECT_TRUE(believed("y"));
  question_.cluster = "test";
  AgentReport other = report("x");
  other.cluster = "test";
  EXPECT_FALSE(check_.problem(question_, other, now_));
}

}  // namespace
}  // namespace quorate::model
