// How far an etcd on loopback is, from the numbers that it shows everybody.
#pragma once

#include <cstdint>
#include <optional>

#include "reconciler/base/ids.h"
#include "reconciler/base/units.h"

namespace quorate::adapters::restorer {

// The last entry that this member has applied. Nothing: it has no leader, did not answer, or another one did. Later
// releases of 3.5 keep their Status from those who are no users, but not this.
std::optional<std::uint64_t> applied_of(std::uint16_t client_port, base::MemberId member, base::Duration within);

}  // namespace quorate::adapters::restorer
