// What a step does, and what must hold before and after it, as JSON and back.
#pragma once

#include "reconciler/base/yaml_text.h"
#include "reconciler/model/json_place.h"
#include "reconciler/model/step.h"

namespace quorate::model {

base::Json args_json(const Action& action);
Action read_action(const JsonPlace& name, const JsonPlace& args);

// Which claim it is shows in its keys: {"member": ID, "state": "down"}, {"voters_up": 2}.
base::Json claim_json(const Claim& claim);
Claim read_claim(const JsonPlace& place);

}  // namespace quorate::model
