// Bytes to a Spec: is it YAML that cannot be misread, and where does everything stand.
#pragma once

#include <optional>
#include <vector>

#include "reconciler/model/finding.h"
#include "reconciler/model/source.h"
#include "reconciler/model/spec.h"

namespace quorate::load {

struct LoadResult {
  std::optional<model::Spec> spec;  // absent when the text has no usable tree
  std::vector<model::Finding> findings;
};

LoadResult load(model::Source source);

}  // namespace quorate::load
