// Source lines with marks under what is meant.
#pragma once

#include <string>

#include "reconciler/model/finding.h"
#include "reconciler/report/style.h"

namespace quorate::report {

// The line of the finding and of each related place, in the order of the file, with `^` under the finding itself and
// `-` under the others. Places whose line is not known are left out.
std::string excerpt_text(const model::Finding& finding, const Style& style);

}  // namespace quorate::report
