// Any text as an observation: read or refused with a reason, and whatever was read can be planned for and judged, twice
// the same. The desired clusters are fixed and between them reach every stage of the planner.
#include "tests/fuzz/observation.h"

#include <array>
#include <utility>

#include "reconciler/base/check.h"
#include "reconciler/gate/gate.h"
#include "reconciler/model/observed_json.h"
#include "reconciler/model/plan_json.h"
#include "reconciler/plan/planner.h"
#include "tests/support/desired_builder.h"

namespace quorate::fuzz {
namespace {

constexpr std::size_t kSlowReadersLimit = 64 * 1024;

model::Desired lively() {
  support::DesiredBuilder builder;
  builder.members(5).version("3.5.33");
  model::Desired desired = builder.build();
  for (model::Member& member : desired.members) member.name.insert(0, "etcd-");
  desired.name = "prod";
  desired.members[3].retire = true;
  desired.lost = {{0xdead}};
  desired.protect.max_removals = 2;
  desired.drift.ignore = {{"members.etcd-b", "known", {}}};
  desired.if_no_cluster = model::IfNoCluster::New;
  return desired;
}

model::Desired cautious() {
  support::DesiredBuilder builder;
  builder.members(3);
  model::Desired desired = builder.build();
  for (model::Member& member : desired.members) member.name.insert(0, "etcd-");
  desired.members[2].managed = false;
  desired.runtime = model::StaticPodRuntime{};
  desired.storage = model::StorageKind::Memory;
  desired.reconcile.self_heal = model::SelfHeal::Off;
  desired.adopt = model::Adopt{{0xcdf8}, {}, model::AdoptStage::Join};
  return desired;
}

plan::Wanted wanted_of(const model::Desired& desired, bool store) {
  plan::Wanted wanted{"digest", {}, store};
  for (const model::Member& member : desired.members) wanted.bundles[member.name] = "bundle-" + member.name;
  return wanted;
}

void check_plan(const model::Desired& desired, const plan::Wanted& wanted, const model::Observed& observed) {
  const model::Plan plan = plan::plan(desired, observed, wanted);
  QUORATE_CHECK(plan == plan::plan(desired, observed, wanted));
  for (const model::Step& step : plan.steps) QUORATE_CHECK(!step.reason.code.empty() && !step.owner.empty());
  const model::Gated gated = gate::judge(plan, desired, observed, {observed.at, std::chrono::hours{1}, false});
  QUORATE_CHECK(gated.verdicts.size() == gated.plan.steps.size());
  // Steps are shown up to the first that is denied, and never more of them than were planned.
  QUORATE_CHECK(gated.plan.steps.size() <= plan.steps.size());
  const auto again = model::read_plan(model::to_json(gated, {}), "plan.json");
  QUORATE_CHECK(again.has_value());
}

}  // namespace

void check_observation(std::string_view text) {
  const auto observed = model::read_observed(text, "observed.json");
  if (!observed) {
    QUORATE_CHECK(!observed.error().message.empty());
    return;
  }
  if (text.size() <= kSlowReadersLimit) {
    const auto again = model::read_observed(model::to_json(*observed), "observed.json");
    QUORATE_CHECK(again && *again == *observed);
  }
  static const model::Desired kLively = lively();
  static const model::Desired kCautious = cautious();
  check_plan(kLively, wanted_of(kLively, true), *observed);
  check_plan(kCautious, wanted_of(kCautious, false), *observed);
}

}  // namespace quorate::fuzz
