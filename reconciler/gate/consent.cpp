// A no counts until it ends, whoever has said yes.
#include "reconciler/gate/consent.h"

#include <algorithm>

#include "reconciler/model/step.h"

namespace quorate::gate {
namespace {

// As it was shown in a plan that adds the learner first: nobody knows its ID then.
std::string id_before_it_is_added(const model::Step& step) {
  const auto* promote = std::get_if<model::Promote>(&step.action);
  if (promote == nullptr) return step.id;
  model::Promote before = *promote;
  before.id = {};
  return model::step_id(before);
}

}  // namespace

std::optional<Consent> consent_to(const model::Desired& desired, const model::Observed& observed,
                                  const model::Step& step, const Terms& terms) {
  const base::ClusterId cluster = observed.membership ? observed.membership->cluster : base::ClusterId{};
  const std::string earlier = id_before_it_is_added(step);
  const auto is_it = [&](const std::string& id) { return id == step.id || id == earlier; };
  std::optional<Consent> consent;
  for (const model::Allowed& each : terms.allowed) {
    const bool meant = is_it(each.what) || std::any_of(each.steps.begin(), each.steps.end(), is_it);
    if (!meant || each.until <= terms.now || each.desired_digest != terms.digest || each.cluster != cluster) continue;
    consent = Consent{each.denied, each.by, each.reason};
    if (each.denied) return consent;
  }
  for (const model::Approval& each : desired.approvals) {
    const bool here = observed.membership && observed.membership->cluster == each.cluster;
    if (here && is_it(each.step) && each.until > terms.now) consent = Consent{false, each.by, ""};
  }
  return consent;
}

}  // namespace quorate::gate
