// What a person should know of a world before any step: differences, dangers, and the reasons to plan nothing.
#pragma once

#include "reconciler/plan/world.h"

namespace quorate::plan {

// Something is so wrong that nothing is planned. The notice says what; `code` how the command ends.
struct Stop {
  model::PlanStatus status = model::PlanStatus::NeedsHuman;
  model::ExitCode code = model::ExitCode::Refused;
};

std::vector<model::Notice> differences(const World& world);  // between the file and a cluster that answers
std::vector<model::Notice> dangers(const World& world);      // that are no difference

// With a member list in hand; adds the notice that explains it.
std::optional<Stop> stop_for(const World& world, std::vector<model::Notice>& notices);
// Without one: nothing unless all nodes say that they are empty and the file allows a new cluster.
std::optional<Stop> stop_before_bootstrap(const World& world, std::vector<model::Notice>& notices);

}  // namespace quorate::plan
