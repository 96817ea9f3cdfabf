// Files that one command line would write over one another, or over what it reads.
#pragma once

#include <string>

#include "reconciler/cli/arguments.h"

namespace quorate::cli {

// A sentence about the first two that are the same file; empty: all differ. Devices and pipes take several results.
std::string clash_of_files(const Arguments& arguments);

}  // namespace quorate::cli
