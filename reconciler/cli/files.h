// Files of the command line: read whole and bounded, written whole or not at all.
#pragma once

#include <optional>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/model/source.h"

namespace quorate::cli {

// "-" is stdin.
base::Result<model::Source> read_source(const std::string& path);

base::Result<std::string> read_file(const std::string& path);

// Into a new file beside it, then over it; a file that has this content and mode already is not touched.
base::Result<bool> write_file(const std::string& path, const std::string& content, int mode);

// Where somebody said --report or --out: through a symlink, into a pipe or device, or over a file. "-" is stdout, and
// so is every other name of it. `mode`: of a regular file; nothing: the one it has, for a new one what the umask
// leaves.
base::Result<void> write_result(const std::string& path, const std::string& content,
                                std::optional<int> mode = std::nullopt);

}  // namespace quorate::cli
