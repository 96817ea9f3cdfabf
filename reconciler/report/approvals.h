// What a person agrees to, as entries for `approvals:` of the desired file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/policy.h"

namespace quorate::report {

// Formats text (YAML to paste into the file) and json.
std::optional<std::string> render_approvals(std::string_view format, const std::vector<model::Approval>& approvals);

}  // namespace quorate::report
