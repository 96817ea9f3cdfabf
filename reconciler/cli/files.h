// Files of the command line: read whole and bounded, written whole or not at all.
#pragma once

#include <string>

#include "reconciler/base/result.h"
#include "reconciler/model/source.h"

namespace quorate::cli {

// "-" is stdin.
base::Result<model::Source> read_source(const std::string& path);

base::Result<std::string> read_file(const std::string& path);

// Into a new file beside it, then over it; a file that has this content and mode already is not touched.
base::Result<bool> write_file(const std::string& path, const std::string& content, int mode);

// Where somebody said --report: through a symlink, into a pipe or device, or over a file, whose mode stays.
base::Result<void> write_report(const std::string& path, const std::string& content);

}  // namespace quorate::cli
