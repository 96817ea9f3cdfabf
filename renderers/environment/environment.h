// ETCD_* variables, for people who start etcd themselves: etcd ignores them beside --config-file, and so do our
// members.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "renderers/renderer.h"

namespace quorate::renderers {

inline constexpr std::string_view kEnvironmentName = "environment";

base::Result<std::vector<File>> render_environment(const Input& input);

// As `sh` and systemd's EnvironmentFile= both read it back.
std::string quote_for_environment(std::string_view value);

}  // namespace quorate::renderers
