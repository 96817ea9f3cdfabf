// Where an agent puts a backup that its node is to be restored from.
#pragma once

#include <memory>

#include "reconciler/ports/node.h"
#include "reconciler/ports/spool.h"

namespace quorate::cli {

// `node` says how much room there is, and must outlive it.
std::unique_ptr<ports::Spool> make_agent_spool(ports::Node& node);

}  // namespace quorate::cli
