// The machine's tz database.
#pragma once

#include <optional>
#include <string>

#include "reconciler/base/result.h"

namespace quorate::adapters::system {

// What it holds under this name, in $TZDIR or where systems keep it. Nothing: the database is there, and has no such
// zone. An error: there is no database, or it cannot be read.
base::Result<std::optional<std::string>> zone_file(const std::string& name);

}  // namespace quorate::adapters::system
