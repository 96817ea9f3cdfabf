// A quorum that is lost for good: what is to be done about it, or why nothing is.
#pragma once

#include <optional>
#include <vector>

#include "reconciler/model/standing.h"
#include "reconciler/plan/notices.h"
#include "reconciler/plan/world.h"

namespace quorate::plan {

struct Recovery {
  std::optional<Stop> stop;                 // and the first notice says why
  std::optional<model::Decision> decision;  // under way, or the one that all would have to promise
  bool ordered = false;                     // by the file
  bool stale = false;                       // the backup is too old to be taken unasked
  bool refused = false;                     // an order, of a cluster that goes on as it is
  std::vector<model::Step> steps;           // that the world is ready for; without quorum, risk and undo
  std::vector<model::Notice> notices;

  bool is_at_hand() const { return stop || decision || !steps.empty(); }
  bool automatic(const World& world) const;
  bool asks(const World& world) const;  // people, before its next step
};

// Nothing at hand: the quorum is not lost for good as far as anybody knows, and no decision is under way.
Recovery recovery_of(const World& world);
// Where nothing stands against forming a cluster: it is restored instead. Nothing at hand: a new one may be formed.
Recovery first_restore(const World& world);

}  // namespace quorate::plan
