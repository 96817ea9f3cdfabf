// Renders, plans and judges; changes nothing.
#include "reconciler/loop/preview.h"

#include "reconciler/model/records.h"
#include "reconciler/plan/planner.h"
#include "renderers/registry.h"

namespace quorate::loop {

base::Result<Bundles> bundles_of(const model::Desired& desired, const std::string& state_dir) {
  Bundles bundles;
  const renderers::Boot boot = renderers::BootKeep{};  // does not change what a bundle is called
  for (const model::Member& member : desired.members) {
    if (!member.managed) continue;
    auto bundle = renderers::render_member({desired, member, boot, renderers::config_path(state_dir, desired, member)});
    if (!bundle) return tl::unexpected(bundle.error());
    bundles.emplace(member.name, *std::move(bundle));
  }
  return bundles;
}

model::Gated preview(const model::Desired& file, const std::string& desired_digest, const Bundles& bundles,
                     const model::Observed& observed, const gate::Terms& terms) {
  model::Desired desired = file;
  if (observed.ordered) model::obey(*observed.ordered, desired);
  plan::Wanted wanted;
  wanted.digest = desired_digest;
  wanted.store = desired.backup && desired.backup->before_changes;
  for (const auto& [member, bundle] : bundles) wanted.bundles.emplace(member, bundle.digest);
  gate::Terms complete = terms;
  complete.digest = desired_digest;
  return gate::judge(plan::plan(desired, observed, wanted), desired, observed, complete);
}

}  // namespace quorate::loop
