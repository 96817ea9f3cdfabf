// Taking a Kubernetes object apart: metadata.name becomes name, spec.* the top level, and every place stays.
#pragma once

#include <vector>

#include "reconciler/model/finding.h"
#include "reconciler/model/spec.h"

namespace quorate::load {

// Leaves a document alone that has not both `metadata` and `spec`.
void unwrap_envelope(model::Spec& spec, std::vector<model::Finding>& findings);

}  // namespace quorate::load
