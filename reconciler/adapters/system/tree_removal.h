// Removes a folder with all that is in it, and nothing else.
#pragma once

#include <string>

#include "reconciler/base/result.h"

namespace quorate::adapters::system {

// Follows no link and crosses no mount point: a tree with one in it is refused before anything is removed. Ambiguous:
// a part of it is gone.
base::Result<void> remove_whole_tree(const std::string& path);  // as ports::Host::remove_tree

}  // namespace quorate::adapters::system
