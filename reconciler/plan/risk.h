// What a step risks, by one fixed table (cli.md 2.6), and how it can be taken back.
#pragma once

#include "reconciler/model/step.h"

namespace quorate::plan {

// Looks at the action and at the quorum before and after, which must be set.
void assess(model::Step& step);

}  // namespace quorate::plan
