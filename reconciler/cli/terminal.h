// What the terminal behind stdout is like: colours, width.
#pragma once

#include <string_view>

#include "reconciler/report/style.h"

namespace quorate::cli {

// `when` is auto, always or never; NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and TERM speak for auto.
report::Style style_of_stdout(std::string_view when);

}  // namespace quorate::cli
