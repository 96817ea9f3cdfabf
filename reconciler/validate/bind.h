// From the document to the Desired that it means: defaults filled in, short forms expanded, derived values worked out.
#pragma once

#include <string>
#include <vector>

#include "reconciler/model/desired.h"
#include "reconciler/model/spec.h"

namespace quorate::validate {

// Where a member stands in the document, beside the member of the same index in Desired.
struct MemberPlace {
  const model::Node* name = nullptr;  // for a member that `size` made: the size
  const model::Node* value = nullptr;
  const model::Node* address = nullptr;  // null when the file gives none
};

struct Draft {
  model::Desired desired;  // right where the document is right; anything else has its default
  std::vector<MemberPlace> places;
  std::string bad_zone;  // what is wrong with backup.timeZone
};

Draft bind(const model::Spec& spec);

}  // namespace quorate::validate
