// One step of a plan as it stands in format text.
#pragma once

#include <cstddef>
#include <string>

#include "reconciler/model/verdict.h"
#include "reconciler/report/style.h"

namespace quorate::report {

inline constexpr std::size_t kPlanWidth = 100;  // in characters, on every terminal: plans are compared and pasted

// "        why     its agent reports an empty data directory": a name, then text that is wrapped beneath itself.
std::string labelled(std::string_view name, std::string_view text, std::size_t indent, std::size_t column);

// With the lines beneath it. `wide`: owner, class, evidence and claims, too.
std::string step_text(const model::Gated& gated, std::size_t index, bool wide, const Style& style);

}  // namespace quorate::report
