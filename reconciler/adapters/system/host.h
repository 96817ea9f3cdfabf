// The files of this machine, changed so that every change is on disk when the call returns.
#pragma once

#include <memory>

#include "reconciler/ports/host.h"

namespace quorate::adapters::system {

// Calls for different paths may come from different threads. Refused: no right to it, or something of another kind (a
// link, a folder, a mount point) is in the way. Transient: nothing was changed. Ambiguous: it was, but perhaps not for
// good, or not all of it.
std::unique_ptr<ports::Host> make_host();

}  // namespace quorate::adapters::system
