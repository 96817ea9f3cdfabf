// An observation as a file: one canonical text for each observation, and back. schema/observation.schema.json has the
// form.
#pragma once

#include <string>
#include <string_view>

#include "reconciler/base/result.h"
#include "reconciler/model/observed.h"

namespace quorate::model {

// The same observation is the same text: keys in a fixed order, two spaces deep, a line break at the end.
std::string to_json(const Observed& observed);

// `name` stands in messages. Keys that are not known are of a newer minor release and are passed over.
base::Result<Observed> read_observed(std::string_view text, std::string_view name);

}  // namespace quorate::model
