// A plan in numbers, worked out in one place for every report.
#pragma once

#include "reconciler/model/verdict.h"

namespace quorate::model {

struct Summary {
  int add = 0;             // members that come: added as learners, or founding the cluster
  int change = 0;          // manifests and peer URLs of members that stay
  int remove = 0;          // members that go
  int replace = 0;         // steps that take something away and put it back
  int actions = 0;         // everything else
  int blocked = 0;         // steps that may not run now
  int approvals = 0;       // of these, the ones that wait for a person
  Risk risk = Risk::None;  // the highest of all steps
  Quorum worst;            // the one that can lose least, before or after any step
  Quorum after;            // when the last step is done
  friend bool operator==(const Summary&, const Summary&) = default;
};

Summary summarise(const Gated& gated);

// Whether carrying it out brings the world to where the file wants it, as far as this plan can tell.
bool is_complete(const Gated& gated);

}  // namespace quorate::model
