// A verdict by a rule, in the rule's own words.
#pragma once

#include <string>
#include <string_view>

#include "reconciler/model/verdict.h"

namespace quorate::gate {

model::Verdict ruled(model::Ruling ruling, model::ExitCode code, std::string_view rule, std::string arithmetic);

}  // namespace quorate::gate
