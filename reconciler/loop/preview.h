// The dry run: what would be done, and what the gate says of it. The one place that knows the order plan, then gate.
#pragma once

#include <map>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/gate/gate.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/verdict.h"
#include "renderers/renderer.h"

namespace quorate::loop {

// What the renderers make of a desired file, for every member that is ours to keep.
using Bundles = std::map<std::string, renderers::Bundle>;
base::Result<Bundles> bundles_of(const model::Desired& desired, const std::string& state_dir);

model::Gated preview(const model::Desired& desired, const std::string& desired_digest, const Bundles& bundles,
                     const model::Observed& observed, const gate::Terms& terms);

}  // namespace quorate::loop
