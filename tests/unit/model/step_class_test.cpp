// The classes of steps and their names.
#include "reconciler/model/step_class.h"

#include <gtest/gtest.h>

namespace quorate::model {

TEST(StepClasses, AreFoundByTheNamesTheyHave) {
  for (const StepClass each :
       {StepClass::Heal, StepClass::Change, StepClass::Upgrade, StepClass::Destructive, StepClass::Restore}) {
    EXPECT_EQ(step_class_named(name_of(each)), each);
  }
  EXPECT_FALSE(step_class_named("Heal"));
  EXPECT_FALSE(step_class_named(""));
}

}  // namespace quorate::model
