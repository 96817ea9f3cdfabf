// The whole reference of the desired file as one Markdown page: its fields, then the rules that it can break.
#pragma once

#include <string>
#include <vector>

#include "reconciler/report/fields.h"

namespace quorate::report {

std::string reference_markdown(const std::vector<Field>& fields, const std::vector<Field>& node_fields);

}  // namespace quorate::report
