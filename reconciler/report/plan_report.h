// A plan with what the gate said of it, in the formats that people, scripts and CI systems read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/plan_json.h"
#include "reconciler/model/verdict.h"
#include "reconciler/report/style.h"

namespace quorate::report {

// `style` and `quiet` are for the formats text and wide; the others are complete and bare.
struct PlanOptions {
  Style style;
  bool quiet = false;             // without remarks and notices of level info
  std::optional<base::Time> now;  // for ages; nothing: no ages are shown
  std::string tool_version;
};

const std::vector<std::string_view>& plan_formats();

// Nothing when there is no such format.
std::optional<std::string> render_plan(std::string_view format, const model::Gated& gated,
                                       const model::PlanContext& context, const PlanOptions& options);

std::string plan_text(const model::Gated& gated, const model::PlanContext& context, const PlanOptions& options);
std::string plan_wide(const model::Gated& gated, const model::PlanContext& context, const PlanOptions& options);
std::string plan_yaml(const model::Gated& gated, const model::PlanContext& context, const PlanOptions& options);
std::string plan_markdown(const model::Gated& gated, const model::PlanContext& context, const PlanOptions& options);
std::string plan_github(const model::Gated& gated, const model::PlanContext& context, const PlanOptions& options);
std::string plan_sarif(const model::Gated& gated, const model::PlanContext& context, const PlanOptions& options);
std::string plan_junit(const model::Gated& gated, const model::PlanContext& context, const PlanOptions& options);

}  // namespace quorate::report
