// Taking a place out of a source for a finding: its line, cut to a bounded length, without secrets.
#pragma once

#include <string>

#include "reconciler/model/finding.h"
#include "reconciler/model/source.h"

namespace quorate::model {

Excerpt excerpt(const Source& source, Span span, std::string note = {});

}  // namespace quorate::model
