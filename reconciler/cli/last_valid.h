// The desired file that was followed last, kept in the state directory: what an agent starts with where the file is
// wrong, or not there, by then.
#pragma once

#include <optional>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/model/source.h"
#include "reconciler/ports/host.h"

namespace quorate::cli {

base::Result<void> keep_last_valid(ports::Host& host, const std::string& state_dir, const model::Source& source);

// Nothing: none was kept, or it is what another file said.
base::Result<std::optional<model::Source>> last_valid_of(ports::Host& host, const std::string& state_dir,
                                                         const std::string& file);

}  // namespace quorate::cli
