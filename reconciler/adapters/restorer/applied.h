// How far an etcd on loopback is, from the numbers that it shows everybody.
#pragma once

#include <cstdint>
#include <optional>

#include "reconciler/base/units.h"

namespace quorate::adapters::restorer {

// The last entry that it has applied. Nothing: it has no leader, or did not answer. Later releases of 3.5 keep their
// Status from those who are no users, but not this.
std::optional<std::uint64_t> applied_of(std::uint16_t client_port, base::Duration within);

}  // namespace quorate::adapters::restorer
