// The walk of a document along the schema: shape, types, forms, unknown keys, with the words of a good compiler.
#pragma once

#include "reconciler/model/spec.h"
#include "reconciler/validate/findings.h"
#include "reconciler/validate/schema.h"

namespace quorate::validate {

void check_schema(const model::Spec& spec, const Schema& file, Findings& findings);

// Does a scalar have one of these types (TypeBit)?
bool has_type(const model::Node& node, unsigned types);

}  // namespace quorate::validate
