// What a person should know of a world before any step: differences, dangers, and the reasons to plan nothing.
#pragma once

#include <optional>

#include "reconciler/plan/world.h"

namespace quorate::plan {

// Something is so wrong that nothing is planned. The notice says what; `code` how the command ends.
struct Stop {
  model::PlanStatus status = model::PlanStatus::NeedsHuman;
  model::ExitCode code = model::ExitCode::Refused;
};

std::vector<model::Notice> differences(const World& world);  // between the file and a cluster that answers
// Those that drift.ignore names, with its reason.
void mark_ignored(const model::Desired& desired, base::Time now, std::vector<model::Notice>& notices);
std::vector<model::Notice> dangers(const World& world);  // that are no difference

// Of a cluster that came back: clients are kept out, or its members were found to hold different data.
void tell_of_fence(const World& world, std::vector<model::Notice>& notices);
std::optional<Stop> stop_for_different_data(const World& world, std::vector<model::Notice>& notices);

// Before all other notices: why nothing is planned.
void explain(std::vector<model::Notice>& notices, std::string code, std::string text, std::string help);
// The file drops these, and keeps no voter whose agent would carry that out.
model::Notice nobody_acts(const std::vector<std::string>& dropped);

// With a member list in hand; adds the notice that explains it.
std::optional<Stop> stop_for(const World& world, std::vector<model::Notice>& notices);
// Nothing is left to do, and somebody who is to leave waits for one who will not come.
std::optional<Stop> stop_for_leaving(const World& world, std::vector<model::Notice>& notices);
// Without one: nothing unless all nodes say that they are empty and the file allows a new cluster.
std::optional<Stop> stop_before_bootstrap(const World& world, std::vector<model::Notice>& notices);

}  // namespace quorate::plan
