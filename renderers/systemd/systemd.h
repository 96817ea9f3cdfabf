// A systemd unit for one member. Nothing in it changes with the boot mode.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "renderers/renderer.h"

namespace quorate::renderers {

inline constexpr std::string_view kSystemdName = "systemd";

// Invalid when the cluster's runtime is not systemd.
base::Result<std::vector<File>> render_systemd(const Input& input);

// One word of a unit's line: "%" doubled, quoted where systemd would split it or take it for an escape.
std::string unit_word(std::string_view text);

// The same for an argument of ExecStart=, where "$" stands for a variable; in the program's own path it does not.
std::string exec_word(std::string_view text);

}  // namespace quorate::renderers
