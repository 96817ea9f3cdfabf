// How many voters make a quorum.
#include "reconciler/model/quorum.h"

#include <gtest/gtest.h>

namespace quorate::model {

TEST(Quorum, IsMoreThanHalf) {
  EXPECT_EQ(quorum(1), 1);
  EXPECT_EQ(quorum(2), 2);
  EXPECT_EQ(quorum(3), 2);
  EXPECT_EQ(quorum(4), 3);
  EXPECT_EQ(quorum(5), 3);
}

TEST(Quorum, AnEvenNumberOfVotersSurvivesNoMoreThanOneFewer) {
  for (int voters = 2; voters <= 8; voters += 2) EXPECT_EQ(can_lose(voters), can_lose(voters - 1));
}

}  // namespace quorate::model
