// What people have said of one step: yes or no, who, and why.
#pragma once

#include <optional>
#include <string>

#include "reconciler/gate/gate.h"

namespace quorate::gate {

struct Consent {
  bool denied = false;
  std::string by;
  std::string why;  // may be empty
};

// Nothing: nobody has said anything that counts now, of this step of this file, in this cluster.
std::optional<Consent> consent_to(const model::Desired& desired, const model::Observed& observed,
                                  const model::Step& step, const Terms& terms);

}  // namespace quorate::gate
