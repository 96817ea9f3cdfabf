// The pages of the rules and their lists, for terminals, programs and the documentation.
#pragma once

#include <string>

#include "reconciler/model/codes.h"
#include "reconciler/report/style.h"

namespace quorate::report {

std::string explain_code_text(const model::CodeInfo& rule, const Style& style);
std::string explain_code_json(const model::CodeInfo& rule);

std::string codes_text(const Style& style);  // one line for each
std::string codes_markdown();                // a table of all, then their pages

}  // namespace quorate::report
