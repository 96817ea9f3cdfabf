// The classes of steps, by what a person would want to say about them: who must agree, and when they may run.
#pragma once

#include <optional>
#include <string_view>

namespace quorate::model {

enum class StepClass { Heal, Change, Upgrade, Destructive, Restore };

std::string_view name_of(StepClass step_class);  // "destructive"
std::optional<StepClass> step_class_named(std::string_view name);

}  // namespace quorate::model
