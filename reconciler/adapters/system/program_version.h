// Which release a binary of etcd is: it is asked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reconciler/base/result.h"
#include "reconciler/model/observed.h"

namespace quorate::adapters::system {

// "etcd Version: 3.5.16", "etcdutl version: 3.5.16": the version that stands there.
std::optional<std::string> version_in(std::string_view output);

// A path, or a name that is looked up in PATH. Refused: somebody other than root and us owns it or a folder above it,
// or may write there, and asking it means running it.
base::Result<model::Binary> look_at_binary(const std::string& path);

// Of the program that runs as the process of this folder of /proc. Empty where it cannot be told: also when the program
// could be anybody's, because asking it means running it.
std::string version_of_process(const std::string& folder);

}  // namespace quorate::adapters::system
