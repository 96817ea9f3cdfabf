// Binding what the file says about changing the cluster: healing, rollout, protection, pauses, adoption, drift.
#pragma once

#include "reconciler/model/desired.h"
#include "reconciler/validate/fields.h"

namespace quorate::validate {

void bind_policy(const Fields& fields, model::Desired& desired);

// managed, retire and lost of one member; `value` is its entry, an address alone included.
void bind_member_policy(const model::Node& value, model::Member& member);

}  // namespace quorate::validate
