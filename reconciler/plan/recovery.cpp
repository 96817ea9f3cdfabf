// A quorum that is lost for good: who has to promise what, in which order, and who is missing. All or nobody: a node
// that is not declared lost and does not answer may be alive behind a partition.
#include "reconciler/plan/recovery.h"

#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/model/fence.h"
#include "reconciler/model/succession.h"
#include "reconciler/plan/asked.h"
#include "reconciler/plan/recovery_choice.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

using model::Decision;
using model::ExitCode;
using model::Notice;
using model::PlanStatus;
using model::StepClass;
using model::takes_place_of;

constexpr int kMostTries = 3;

const model::Standing* standing_of(const World& world, const std::string& name) {
  const model::NodeFacts* node = model::node_of(world.observed, name);
  return node == nullptr || !node->standing ? nullptr : &*node->standing;
}

const model::Pledge* pledge_of(const World& world, const std::string& name) {
  const model::Standing* standing = standing_of(world, name);
  return standing == nullptr || !standing->pledge ? nullptr : &*standing->pledge;
}

// ------------------------------------------------------------------------------------------------- what was decided
// People say so; but who has lost what it held can still give its word, and keep it.
bool is_gone(const World& world, const Decision& decision, const std::string& name) {
  const model::Voters* voters = newest_voters(world);
  if (!is_declared_lost(world, voters, name)) return false;
  const model::NodeFacts* node = model::node_of(world.observed, name);
  const bool answers = node != nullptr && node->standing && node->data;
  if (!answers) return true;
  const auto& pledge = node->standing->pledge;
  const bool keeps = pledge && pledge->decision.id == decision.id;
  return !keeps && !is_spent(*node->data) && !holds_a_former_member(*node->data, voters, name);
}

bool is_ordered(const World& world, const Decision& decision) {
  const model::Recovery& asked = world.desired.recovery;
  if (world.desired.generation != decision.generation) return false;
  if (!decision.backup) return asked.survivor == decision.seed;
  return asked.restore == "latest" ||
         (!asked.restore.empty() && decision.backup->name.compare(0, asked.restore.size(), asked.restore) == 0);
}

// Of a cluster that still runs: what stops it is not done on an order that nobody gives any more.
std::string who_took_it_back(const World& world, const Decision& decision) {
  const auto& membership = world.observed.membership;
  const bool runs = decision.deliberate && membership && takes_place_of(decision, membership->cluster);
  return runs && !is_ordered(world, decision) ? "the order was taken back while the cluster still ran" : "";
}

// The others put back what stood there as soon as the seed cannot go on any more; the seed says so first.
std::string why_others_go_back(const World& world, const Decision& decision) {
  const auto& formed = world.observed.formed;
  if (formed && formed->decision == decision.id) return {};  // it was carried out: there is no way back
  const model::Voters* voters = newest_voters(world);
  if (voters != nullptr && voters->generation >= decision.generation && takes_place_of(decision, voters->cluster)) {
    return "the cluster that it was to replace has had a quorum since";
  }
  const model::Standing* seed = standing_of(world, decision.seed);
  const bool bound = seed == nullptr || (seed->pledge && seed->pledge->decision.id == decision.id);
  if (!bound) {  // and without a promise of its own it restores nothing
    if (world.desired.generation > decision.generation) {
      return "the file has raised generation before its seed " + decision.seed + " has promised";
    }
    if (std::string why = who_took_it_back(world, decision); !why.empty()) return why;
  }
  if (seed != nullptr && model::has_abandoned(*seed, decision.id)) return "its seed " + decision.seed + " gave it up";
  if (is_gone(world, decision, decision.seed)) return "its seed " + decision.seed + " is gone";
  return {};
}

// Data that nobody could ask when it was decided may reach further, where people no longer say that they are gone.
std::string who_is_back(const World& world, const Decision& decision) {
  for (const model::NodeFacts& node : world.observed.nodes) {
    if (!node.data || node.data->state != model::DataState::Valid) continue;
    if (!takes_place_of(decision, node.data->cluster) || model::is_founder_of(decision, node.member)) continue;
    if (!is_declared_lost(world, newest_voters(world), node.member)) return node.member + " is back with its data";
  }
  return {};
}

std::string why_seed_gives_up(const World& world, const Decision& decision) {
  const model::Pledge* seed = pledge_of(world, decision.seed);
  if (seed == nullptr || seed->decision.id != decision.id) return {};
  const Seat* seat = seat_of(world, decision.seed);
  // What was acknowledged meanwhile is gone with it: people have to say that they know.
  if (is_restored_and_lost(world, decision) && is_declared_lost(world, newest_voters(world), decision.seed)) {
    return "what it had restored is gone with its disk";
  }
  if (seed->started) return {};
  // Whoever does not hear it at this moment goes back on that word.
  if (counts_as_survivor(decision) && is_declared_lost(world, newest_voters(world), decision.seed)) {
    return "the file calls its seed " + decision.seed + " lost";
  }
  const bool restored = seat != nullptr && is_whole(*seat);
  // A disk that was away when it gave way is back: what stands in the place is not what it was to restore.
  if (seed->given && restored && takes_place_of(decision, seat->node->data->cluster)) {
    return "data have come back on " + decision.seed;
  }
  if (seed->tries >= kMostTries && !restored) return seed->failed.empty() ? "it did not end" : seed->failed;
  if (world.desired.generation > decision.generation) return "the file has raised generation";
  if (std::string why = who_took_it_back(world, decision); !why.empty()) return why;
  for (const model::Founder& each : decision.founders) {
    if (each.member == decision.seed) continue;
    if (is_gone(world, decision, each.member)) return each.member + " is gone";
    const model::Pledge* pledge = pledge_of(world, each.member);
    const Seat* founder = seat_of(world, each.member);
    const bool keeps = pledge != nullptr && pledge->decision.id == decision.id && pledge->given;
    if (keeps && founder != nullptr && has_data(*founder)) {
      return "data have come back on " + each.member;
    }
  }
  return who_is_back(world, decision);
}

void propose_abandon(const World& world, const std::string& name, const Decision& decision, const std::string& why,
                     Recovery& recovery) {
  const Seat* seat = seat_of(world, name);
  if (seat == nullptr || seat->wish == nullptr) return;
  recovery.steps.push_back(make_step(model::Abandon{name, decision.id, why}, StepClass::Heal, seat->wish->member->node,
                                     reason_at(world, *seat, "DecisionAbandoned", why)));
}

// True: decisions are taken back before anything else.
bool go_back(const World& world, Recovery& recovery) {
  for (const model::NodeFacts& node : world.observed.nodes) {
    const model::Pledge* pledge = pledge_of(world, node.member);
    if (pledge == nullptr) continue;
    std::string why = pledge->started ? "" : why_others_go_back(world, pledge->decision);
    if (why.empty() && node.member == pledge->decision.seed) why = why_seed_gives_up(world, pledge->decision);
    if (!why.empty()) propose_abandon(world, node.member, pledge->decision, why, recovery);
  }
  return !recovery.steps.empty();
}

model::Reason because(const World& world, const Seat& seat, const Recovery& recovery) {
  const model::Pledge* pledge = pledge_of(world, seat.name());
  const bool agreed = pledge != nullptr && pledge->decision.id == recovery.decision->id && pledge->agreed;
  const char* code = recovery.ordered || agreed  ? model::kRecoveryOrdered
                     : recovery.automatic(world) ? model::kRecoveryAutomatic
                                                 : "QuorumLost";
  const Decision& decision = *recovery.decision;
  model::Reason reason = reason_at(world, seat, code,
                                   decision.backup ? "the cluster is restored from " + decision.backup->name +
                                                         ", revision " + std::to_string(decision.backup->revision)
                                                   : "quorum is lost for good; the cluster goes on with the data of " +
                                                         decision.seed + ", " + decision.source);
  const auto line = world.desired.lines.find(decision.backup ? "recovery.restore" : "recovery.survivor");
  if (recovery.ordered && line != world.desired.lines.end()) reason.line = line->second;
  return reason;
}

std::vector<std::string> members_of(const Decision& decision) {
  std::vector<std::string> names;
  for (const model::Founder& each : decision.founders) names.push_back(each.member);
  return names;
}

model::Step promise(const World& world, const Seat& seat, const Recovery& recovery) {
  const Decision& decision = *recovery.decision;
  model::Step step = make_step(model::Promise{seat.name(), decision.id, decision}, StepClass::Restore,
                               seat.wish->member->node, because(world, seat, recovery));
  step.needs = {model::KeepTo{decision.id, members_of(decision), false}};
  step.ensures = {model::DataIs{seat.name(), true}};
  return step;
}

model::Step restore_or_start(const World& world, const Seat& seed, const Recovery& recovery) {
  const Decision& decision = *recovery.decision;
  model::Action action = model::Restore{seed.name(), decision.id};
  if (is_whole(seed)) {
    action = model::WriteManifest{seed.name(), seed.wish->bundle, model::BootMode::Keep, "",
                                  model::keeps_clients_out(world.observed, world.desired)};
  }
  model::Step step =
      make_step(std::move(action), StepClass::Restore, seed.wish->member->node, because(world, seed, recovery));
  step.needs = {model::KeepTo{decision.id, members_of(decision), true}};
  step.ensures = {model::DataIs{seed.name(), false}};
  return step;
}

model::Step fetch(const World& world, const Seat& seed, const Recovery& recovery) {
  const Decision& decision = *recovery.decision;
  return make_step(model::Fetch{seed.name(), decision.id, decision}, StepClass::Restore, seed.wish->member->node,
                   because(world, seed, recovery));
}

// Before anything is stopped.
bool has_to_fetch(const World& world, const Decision& decision) {
  const model::Standing* seed = standing_of(world, decision.seed);
  const bool given = seed != nullptr && seed->pledge && seed->pledge->given;
  return decision.backup && !given && (seed == nullptr || seed->fetched != decision.source);
}

void propose(const World& world, Recovery& recovery) {
  const Decision& decision = *recovery.decision;
  if (has_to_fetch(world, decision)) {
    recovery.steps.push_back(fetch(world, *seat_of(world, decision.seed), recovery));
    return;
  }
  for (const model::Founder& each : decision.founders) {
    const model::Pledge* pledge = pledge_of(world, each.member);
    if (pledge != nullptr && pledge->decision.id == decision.id && pledge->given) continue;
    recovery.steps.push_back(promise(world, *seat_of(world, each.member), recovery));
  }
  if (!recovery.steps.empty())
    return tell_of_unready(world, decision, recovery.notices);  // nobody restores before everybody has promised
  const Seat& seed = *seat_of(world, decision.seed);
  if (!is_running(seed)) recovery.steps.push_back(restore_or_start(world, seed, recovery));
}

// What a quorum has confirmed since, or a cluster that has taken the place already.
bool is_settled(const World& world, const Decision& decision) {
  const model::Voters* voters = newest_voters(world);
  if (voters != nullptr && voters->generation >= decision.generation) return true;
  return world.observed.membership && !takes_place_of(decision, world.observed.membership->cluster);
}

// A decision that somebody keeps to and that is not carried out yet.
bool go_on(const World& world, Recovery& recovery) {
  for (const model::NodeFacts& node : world.observed.nodes) {
    const model::Pledge* pledge = pledge_of(world, node.member);
    if (pledge == nullptr) continue;
    const Decision& decision = pledge->decision;
    if (is_settled(world, decision)) continue;
    const model::Pledge* seed = pledge_of(world, decision.seed);
    const bool formed = world.observed.formed && world.observed.formed->decision == decision.id;
    if (formed || (seed != nullptr && seed->decision.id == decision.id && seed->started)) {
      tell_of_silent_seed(world, decision, recovery.notices);
      recovery.stop = Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
      return true;
    }
    if (recovery.decision && recovery.decision->id != decision.id) {
      tell(recovery.notices, Notice::Level::Critical, "NoQuorum",
           "two decisions are under way: " + recovery.decision->id + " and " + decision.id,
           "keep every directory as it is, and ask for help: this must not happen");
      recovery.stop = Stop{};
      return true;
    }
    recovery.decision = decision;
  }
  if (!recovery.decision) return false;
  // What stops a cluster that runs begins with an order alone, and once it is stopped nobody is there to repeat it.
  recovery.ordered = recovery.decision->deliberate || is_ordered(world, *recovery.decision);
  recovery.stop = wait_for_founders(world, *recovery.decision, recovery.notices);
  if (!recovery.stop) recovery.stop = wait_for_outsiders(world, *recovery.decision, recovery.ordered, recovery.notices);
  if (!recovery.stop) {
    tell(recovery.notices, Notice::Level::Warning, "NoQuorum",
         "the cluster is brought back from " + (recovery.decision->backup ? "backup " + recovery.decision->backup->name
                                                                          : "the data of " + recovery.decision->seed),
         "");
  }
  return true;
}

bool is_all_ours(const World& world) {
  const bool foreign = world.desired.adopt && world.desired.adopt->stage != model::AdoptStage::Done;
  return !foreign && std::all_of(world.seats.begin(), world.seats.end(),
                                 [](const Seat& seat) { return seat.wish != nullptr && seat.managed(); });
}

}  // namespace

bool Recovery::automatic(const World& world) const {
  if (!decision || decision->attempt != 1 || decision->deliberate || stale) return false;
  if (world.desired.recovery.quorum_loss == model::QuorumLoss::Auto) return true;
  const model::IfNoCluster wanted = world.desired.if_no_cluster;
  const bool may_restore = wanted == model::IfNoCluster::Restore || wanted == model::IfNoCluster::RestoreOrNew;
  const bool some_left =
      std::any_of(world.observed.nodes.begin(), world.observed.nodes.end(), [](const model::NodeFacts& node) {
        const bool seeded = node.standing && node.standing->pledge && node.standing->pledge->given;
        return node.data && !model::holds_nothing(*node.data) && !seeded;
      });
  return decision->backup && may_restore && !some_left;
}

bool Recovery::asks(const World& world) const {
  const bool agreed = !steps.empty() && steps.front().reason.code == model::kRecoveryOrdered;
  return decision && !stop && !ordered && !agreed && !automatic(world);
}

namespace {

bool is_under_way(const World& world) {
  return std::any_of(world.observed.nodes.begin(), world.observed.nodes.end(), [&](const model::NodeFacts& node) {
    const model::Pledge* pledge = pledge_of(world, node.member);
    return pledge != nullptr && pledge->decision.deliberate && !is_settled(world, pledge->decision);
  });
}

// The cluster that answers is the one that was restored, and nobody has told yet.
bool is_carried_out(const World& world) {
  return std::any_of(world.observed.nodes.begin(), world.observed.nodes.end(), [&](const model::NodeFacts& node) {
    const model::Pledge* pledge = pledge_of(world, node.member);
    return pledge != nullptr && pledge->decision.generation >= world.desired.generation &&
           is_settled(world, pledge->decision);
  });
}

// The cluster would go on with members that nobody has asked.
void tell_that_it_waits(const World& world, Recovery& recovery) {
  std::vector<std::string> others;
  for (const Seat& seat : world.seats) {
    if (seat.wish == nullptr || !seat.managed()) others.push_back(seat.name());
  }
  if (others.empty()) return;  // it is still to be adopted
  tell(recovery.notices, Notice::Level::Warning, "RestoreOrdered",
       "a restore from " + world.desired.recovery.restore + " is ordered, and nothing is restored beside " +
           base::joined(others, ", ") + ", which the file does not list as ours",
       "list all members of the cluster, or wait until those have left it");
}

void choose(const World& world, const model::Voters& voters, Recovery& recovery) {
  const std::vector<Answer> answers = ask_all(world, voters);
  const bool moved = have_all_moved(world, voters, answers);
  if (!moved && !is_lost_for_good(answers)) {
    recovery.stop = hopeless(answers, recovery.notices);
    return;
  }
  const std::string what = moved ? moved_words(voters) : lost_words(answers);
  recovery.stop = blocked(answers, what, recovery.notices);
  if (!recovery.stop) choose_after_loss(world, voters, answers, what, recovery);
}

}  // namespace

Recovery recovery_of(const World& world) {
  Recovery recovery;
  const model::Voters* voters = newest_voters(world);
  const bool ordered = is_restore_ordered(world, voters);
  if (!is_all_ours(world)) {
    if (ordered && world.observed.membership) tell_that_it_waits(world, recovery);
    return recovery;
  }
  const bool runs = world.observed.membership.is_known();
  if (runs && !is_under_way(world) && (!ordered || is_carried_out(world))) return recovery;
  if (go_back(world, recovery)) return recovery;
  if (!go_on(world, recovery)) {
    if (ordered) {
      choose_ordered_restore(world, voters, ask_all(world, voters == nullptr ? model::Voters{} : *voters), recovery);
      recovery.refused = runs && recovery.stop;
    } else if (voters != nullptr) {
      choose(world, *voters, recovery);
    }
  }
  if (!recovery.stop && recovery.decision) propose(world, recovery);
  return recovery;
}

Recovery first_restore(const World& world) {
  Recovery recovery;
  // No node remembers a cluster, and the store may know of one.
  if (const model::Voters* voters = newest_voters(world)) {
    recovery.stop =
        blocked(ask_all(world, *voters), "the store knows of a cluster that nobody here remembers", recovery.notices);
  }
  if (!recovery.stop) choose_first_restore(world, recovery);
  if (!recovery.stop && recovery.decision) propose(world, recovery);
  return recovery;
}

void propose_going_back(const World& world, Proposals& proposals) {
  const base::ClusterId cluster = world.observed.membership->cluster;
  Recovery recovery;
  for (const model::NodeFacts& node : world.observed.nodes) {
    const model::Pledge* pledge = pledge_of(world, node.member);
    if (pledge == nullptr || pledge->started) continue;
    const auto& formed = world.observed.formed;
    if (!pledge->decision.deliberate && takes_place_of(pledge->decision, cluster)) {
      propose_abandon(world, node.member, pledge->decision, "the cluster that it was to replace has a quorum",
                      recovery);
    } else if (formed && formed->cluster == cluster && model::is_superseded(pledge->decision, *formed)) {
      propose_abandon(world, node.member, pledge->decision, "another decision was carried out in its place", recovery);
    }
  }
  for (model::Step& step : recovery.steps) proposals.push_back(std::move(step));
}

}  // namespace quorate::plan
