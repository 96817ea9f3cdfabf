// Text, tree, meaning, bundles.
#include "reconciler/loop/followed.h"

#include "reconciler/base/digest.h"
#include "reconciler/load/load.h"
#include "reconciler/validate/validate.h"

namespace quorate::loop {

Read read_desired(model::Source source, const std::string& state_dir, const base::ZoneFiles& zones) {
  Read read;
  Followed followed;
  followed.digest = base::sha256_hex(source.text());
  auto loaded = load::load(std::move(source));
  read.findings = std::move(loaded.findings);
  if (!loaded.spec) return read;
  auto validated = validate::validate(*loaded.spec, zones);
  for (auto& finding : validated.findings) read.findings.push_back(std::move(finding));
  model::sort_by_place(read.findings);
  if (model::has_errors(read.findings) || !validated.desired) return read;
  followed.desired = *std::move(validated.desired);
  auto bundles = bundles_of(followed.desired, state_dir);
  if (!bundles) {
    model::Finding finding;
    finding.file = followed.desired.file;
    finding.message = bundles.error().message;
    finding.help = {bundles.error().help};
    read.findings.push_back(std::move(finding));
    return read;
  }
  followed.bundles = *std::move(bundles);
  read.followed = std::move(followed);
  return read;
}

base::Result<std::vector<model::Override>> localize(const model::AgentSettings& settings, const std::string& node,
                                                    const std::string& state_dir, model::Desired& desired,
                                                    Bundles& bundles) {
  auto overrides = model::apply_overrides(settings, node, desired);
  if (overrides.empty()) return overrides;
  auto own = bundles_of(desired, state_dir);
  if (!own) return tl::unexpected(own.error());
  for (auto& [member, bundle] : *own) {
    const auto known = bundles.find(member);
    if (known != bundles.end()) bundle.digest = known->second.digest;
  }
  bundles = *std::move(own);
  return overrides;
}

}  // namespace quorate::loop
