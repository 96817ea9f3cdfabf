// Forming a cluster where there is none: only when every node says that it is empty and the file allows it.
#include <algorithm>

#include "reconciler/base/digest.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {

std::string decision_of(const World& world) {
  std::string text = world.desired.name + "\n" + world.desired.etcd.token + "\n" +
                     std::to_string(world.desired.generation) + "\nnew\n1\n";
  for (const Seat& seat : world.seats) {
    if (!seat.is_founder()) continue;
    text += seat.name();
    for (const std::string& url : seat.wish->peer_urls) text += " " + url;
    if (seat.node != nullptr && seat.node->incarnation) text += " " + *seat.node->incarnation;
    text += "\n";
  }
  return base::sha256_hex(text).substr(0, 16);
}

bool has_promised(const Seat& seat, const std::string& decision) {
  return seat.node != nullptr && seat.node->promised && *seat.node->promised == decision;
}

namespace {

using model::StepClass;

model::Reason because(const World& world, const Seat& seat) {
  if (world.observed.membership) {
    return reason_at(world, seat, "FounderMissing", "it is a founder of this cluster and has not started yet");
  }
  return reason_at(world, seat, "ClusterMissing",
                   "no node holds data of this cluster, and bootstrap.ifNoCluster allows a new one");
}

model::Step start_founder(const World& world, const Seat& seat) {
  const std::string& bundle = seat.wish->bundle;
  model::Step step = make_step(model::WriteManifest{seat.name(), bundle, model::BootMode::New, ""}, StepClass::Change,
                               seat.wish->member->node, because(world, seat));
  step.needs = {model::DataIs{seat.name(), true}};
  step.ensures = {model::DataIs{seat.name(), false}, model::ManifestIs{seat.name(), bundle}};
  return step;
}

}  // namespace

void propose_bootstrap(const World& world, Proposals& proposals) {
  const std::string decision = decision_of(world);
  for (const Seat& seat : world.seats) {
    if (!seat.is_founder() || !lacks_data(seat) || has_promised(seat, decision)) continue;
    model::Step step = make_step(model::Promise{seat.name(), decision}, StepClass::Change, seat.wish->member->node,
                                 because(world, seat));
    step.needs = {model::DataIs{seat.name(), true}};
    proposals.push_back(std::move(step));
  }
  if (!proposals.empty()) return;  // nobody starts before everybody has promised
  for (const Seat& seat : world.seats) {
    // One that runs has begun, and will have data in a moment.
    if (seat.is_founder() && lacks_data(seat) && !has_lost_log(seat) && !is_running(seat)) {
      proposals.push_back(start_founder(world, seat));
    }
  }
}

namespace {

// A second agent of one node makes another decision of the same file; the cluster is the one that the others promised.
bool is_contradicted(const World& world, const std::string& decision) {
  const auto& formed = world.observed.formed;
  if (formed && !formed->decision.empty() && formed->decision != decision) return true;
  return std::any_of(world.seats.begin(), world.seats.end(), [&](const Seat& seat) {
    const bool said = seat.is_founder() && seat.node != nullptr && seat.node->promised && !seat.node->promised->empty();
    return said && *seat.node->promised != decision;
  });
}

}  // namespace

void propose_late_founder(const World& world, Proposals& proposals) {
  if (world.observed.applied) return;  // a cluster that has run: who is missing joins it
  const std::string decision = decision_of(world);
  if (is_contradicted(world, decision)) return;
  for (const Seat& seat : world.seats) {
    // A founder by name that has told nobody its client URLs, has no directory and runs nothing: it has never run, so
    // there is nothing it could forget.
    if (!seat.is_voter() || seat.up || seat.listed->listed.name != seat.name()) continue;
    const bool unheard_of = seat.listed->listed.client_urls.empty() && never_ran(seat) &&
                            seat.node->data->problem.empty() && !is_running(seat);
    if (unheard_of && seat.wanted() && has_promised(seat, decision)) proposals.push_back(start_founder(world, seat));
  }
}

}  // namespace quorate::plan
