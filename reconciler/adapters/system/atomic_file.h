// A file that is either the old one or the new one, whole, whenever the power fails.
#pragma once

#include "reconciler/base/result.h"
#include "reconciler/ports/host.h"

namespace quorate::adapters::system {

base::Result<bool> write_atomically(const ports::FileToWrite& file);  // as ports::Host::write_file

}  // namespace quorate::adapters::system
