// What works instead of a step that may not run: computed from the same world and the same rules, never guessed.
#pragma once

#include <vector>

#include "reconciler/model/observed.h"
#include "reconciler/model/verdict.h"

namespace quorate::gate {

std::vector<model::Way> ways_instead(const model::Observed& world, const model::Step& step,
                                     const model::Verdict& verdict);

}  // namespace quorate::gate
