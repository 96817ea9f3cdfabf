// Names of a plan's parts, and the identity of the whole.
#include "reconciler/model/plan.h"

#include "reconciler/base/digest.h"

namespace quorate::model {

std::string_view name_of(PlanStatus status) {
  switch (status) {
    case PlanStatus::Converged:
      return "Converged";
    case PlanStatus::Actionable:
      return "Actionable";
    case PlanStatus::NeedsObservation:
      return "NeedsObservation";
    case PlanStatus::NeedsHuman:
      return "NeedsHuman";
  }
  return "";
}

std::string_view name_of(Notice::Level level) {
  switch (level) {
    case Notice::Level::Info:
      return "info";
    case Notice::Level::Warning:
      return "warning";
    case Notice::Level::Critical:
      return "critical";
  }
  return "";
}

std::string plan_id(const Plan& plan) {
  std::string text = plan.desired_digest + "\n" + base::to_string(plan.cluster_id) + "\n";
  for (const Step& step : plan.steps) text += step.id + "\n";
  return base::sha256_hex(text).substr(0, 8);
}

}  // namespace quorate::model
