// The parts of our JSON documents that speak of one node, and of what was carried out, for both directions.
#pragma once

#include "reconciler/model/json_facts.h"
#include "reconciler/model/observed.h"

namespace quorate::model {

base::Json node_json(const NodeFacts& node);
NodeFacts read_node(const JsonPlace& place);
base::Json formed_json(const Formed& formed);
Formed read_formed(const JsonPlace& place);
base::Json applied_json(const Applied& applied);
Applied read_applied(const JsonPlace& place);
base::Json announced_json(const Announced& announced);
Announced read_announced(const JsonPlace& place);

}  // namespace quorate::model
