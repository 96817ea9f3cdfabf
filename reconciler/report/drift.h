// The answer of a check for drift: what differs from the file, what is too young to count, what was told to be ignored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/plan_json.h"
#include "reconciler/model/policy.h"
#include "reconciler/report/plan_report.h"

namespace quorate::report {

struct DriftView {
  const model::Gated& gated;
  const model::PlanContext& context;
  const model::Drift& policy;
};

// What the command ends with: a difference is one even where no step can settle it.
model::ExitCode drift_code(const DriftView& view);

const std::vector<std::string_view>& drift_formats();
std::optional<std::string> render_drift(std::string_view format, const DriftView& view, const PlanOptions& options);

// "none; 2 ignored (1 until 2026-10-01)", "1 difference; 1 younger than drift.for (2m)"
std::string drift_words(const DriftView& view);

}  // namespace quorate::report
