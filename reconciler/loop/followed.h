// The desired file as an agent follows it: its meaning, its name, and what each member's node should hold because of
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/time_zone.h"
#include "reconciler/loop/preview.h"
#include "reconciler/model/agent_settings.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/finding.h"
#include "reconciler/model/source.h"

namespace quorate::loop {

struct Followed {
  model::Desired desired;
  std::string digest;  // SHA-256 of the text
  Bundles bundles;
};

struct Read {
  std::optional<Followed> followed;  // nothing: the findings say what is wrong with the text
  std::vector<model::Finding> findings;
};

Read read_desired(model::Source source, const std::string& state_dir, const base::ZoneFiles& zones = {});

// Puts in force what the file of this node says instead. The digest stays that of the desired file, and each bundle
// keeps the name that the other agents know it by: for them nothing is different here.
base::Result<std::vector<model::Override>> localize(const model::AgentSettings& settings, const std::string& node,
                                                    const std::string& state_dir, model::Desired& desired,
                                                    Bundles& bundles);

}  // namespace quorate::loop
