// Which process is the etcd of a member, as /proc tells it.
#pragma once

#include <string>

#include "reconciler/base/result.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"

namespace quorate::adapters::system {

// An etcd belongs to the member when its data directory is the member's; where it does not say one, when its name is.
// An error when a process that we may not look at could be it: not seen is not absent. `proc`: "/proc", but in tests.
base::Result<model::Process> find_process(const std::string& proc, const model::Member& member);

}  // namespace quorate::adapters::system
