// From what should be and what is to the ordered steps between them. Nothing else goes in, and the same input always
// gives the same plan.
#pragma once

#include <map>
#include <string>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/plan.h"

namespace quorate::plan {

// What others have worked out from the desired file.
struct Wanted {
  std::string digest;                          // of the file
  std::map<std::string, std::string> bundles;  // digest of each managed member's bundle, by member
  bool store = false;                          // there is one to back up to
};

model::Plan plan(const model::Desired& desired, const model::Observed& observed, const Wanted& wanted);

}  // namespace quorate::plan
