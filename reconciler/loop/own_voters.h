// Who votes by the word of our own member alone: what the others need to know where no quorum is left to say it.
#pragma once

#include <optional>

#include "reconciler/base/units.h"
#include "reconciler/model/memory.h"
#include "reconciler/model/observed.h"
#include "reconciler/ports/etcd_admin.h"

namespace quorate::loop {

// Later than what is remembered of the cluster; nothing: our member says no more than that, or it cannot be told.
std::optional<model::Voters> own_voters(ports::EtcdAdmin& etcd, const model::Observed& observed,
                                        const model::Memory& memory, base::Duration within);

}  // namespace quorate::loop
