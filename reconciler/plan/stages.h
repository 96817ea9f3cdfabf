// The stages of a plan in their order: each proposes steps that the world is ready for, most urgent first. The planner
// takes the first that no rule forbids, so a stage never weighs quorum itself.
#pragma once

#include <vector>

#include "reconciler/plan/world.h"

namespace quorate::plan {

using Proposals = std::vector<model::Step>;  // without quorum, risk and undo, which the planner fills in

// heal
void propose_condemned(const World& world, Proposals& proposals);         // removals that were announced: final
void propose_alarms(const World& world, Proposals& proposals);            // compact, defragment, disarm
void propose_start_of_learner(const World& world, Proposals& proposals);  // what was added but never started
void propose_removal_of_down(const World& world, Proposals& proposals);   // dead, emptied, dropped; the down ones first
void propose_late_founder(const World& world, Proposals& proposals);      // a quorum formed before the last had started
void propose_promotion(const World& world, Proposals& proposals);

// what those who left have left behind
void propose_cleanup(const World& world, Proposals& proposals);

// change, only while no learner of ours is on its way
void propose_rollout(const World& world, Proposals& proposals);  // peer URLs, configuration, version; the leader last
void propose_addition(const World& world, Proposals& proposals);
void propose_removal(const World& world, Proposals& proposals);  // of voters that are up, the leader last

// Voters that count as dead if they stay silent a little longer: what would be done then can be planned.
void propose_coming_removal(const World& world, Proposals& proposals);
// Voters that may be alive: somebody has to look first. Shown, and held.
void propose_held_removal(const World& world, Proposals& proposals);

// A cluster that came back: clients are let in, and the data of all members are compared once.
void propose_opening(const World& world, Proposals& proposals);
void propose_data_check(const World& world, Proposals& proposals);

// A quorum has appeared on the very data that were to give way: what was promised is taken back.
void propose_going_back(const World& world, Proposals& proposals);

// No member answers: form the cluster, if all nodes are empty and the file allows it.
void propose_bootstrap(const World& world, Proposals& proposals);

// What all founders promise: nobody outside this decision can take part by accident (safety.md section 3).
std::string decision_of(const World& world);
bool has_promised(const Seat& seat, const std::string& decision);

// ---------------------------------------------------------------------------------------- what several stages need
model::Step make_step(model::Action action, model::StepClass step_class, std::string owner, model::Reason reason);
model::Reason reason_at(const World& world, const Seat& seat, std::string code, std::string text);  // with its line
// The step itself, or, when nothing but the lead of its member is in its way, the move of the leader before it.
model::Step leader_first(const World& world, const Seat& seat, model::Step step);
// Of a step that brings a member in: heal, when it has been one of ours before, else change.
model::StepClass joining_class(const World& world, const Seat& seat);
bool learner_on_its_way(const World& world);  // one that the file wants
void need_soak(const World& world, model::Step& step);

inline constexpr const char* kCluster = "cluster";  // owner of what the leader's node does

}  // namespace quorate::plan
