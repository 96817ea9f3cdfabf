// Reading values out of a document leniently: what has the wrong form is as good as absent, the schema check reports
// it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/units.h"
#include "reconciler/model/spec.h"

namespace quorate::validate {

// The node under these keys, or null.
const model::Node* at(const model::Node& from, std::initializer_list<std::string_view> keys);
const model::Node* at_dotted(const model::Node& from, std::string_view dotted_path);

std::optional<std::int64_t> integer(const model::Node& node);
std::optional<std::string> text(const model::Node& node);  // a scalar that is not nothing, as written

// Strings of a list; scalars of other kinds as written, everything else left out, and what goes beyond `most`.
std::vector<std::string> texts(const model::Node& node, std::size_t most = static_cast<std::size_t>(-1));

}  // namespace quorate::validate
