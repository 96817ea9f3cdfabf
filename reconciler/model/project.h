// What the world will look like after a step that went well: how plans are made ahead, and what a step is checked
// against.
#pragma once

#include "reconciler/model/action.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/step_class.h"

namespace quorate::model {

void project(Observed& observed, const Desired& desired, const Action& action, StepClass step_class);

// Revisions that a compaction leaves, so that watchers a little behind need not start over.
inline constexpr std::int64_t kCompactionMargin = 1000;

}  // namespace quorate::model
