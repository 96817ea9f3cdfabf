// A quorum that is lost for good: who has to promise what, in which order, and who is missing. All or nobody: a node
// that is not declared lost and does not answer may be alive behind a partition.
#include "reconciler/plan/recovery.h"

#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/model/succession.h"
#include "reconciler/plan/asked.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

using model::Decision;
using model::ExitCode;
using model::Notice;
using model::PlanStatus;
using model::StepClass;

constexpr int kMostTries = 3;

const model::Standing* standing_of(const World& world, const std::string& name) {
  const model::NodeFacts* node = model::node_of(world.observed, name);
  return node == nullptr || !node->standing ? nullptr : &*node->standing;
}

const model::Pledge* pledge_of(const World& world, const std::string& name) {
  const model::Standing* standing = standing_of(world, name);
  return standing == nullptr || !standing->pledge ? nullptr : &*standing->pledge;
}

// ---------------------------------------------------------------------------------------------- what would be decided
const model::DataDir& data_of(const World& world, const std::string& name) {
  return *model::node_of(world.observed, name)->data;
}

// The order of the log alone: a revision may be of entries that nobody ever acknowledged.
std::vector<std::string> survivors(const World& world, const std::vector<Answer>& answers) {
  std::vector<std::string> names;
  for (const Answer& each : answers) {
    if (each.says == Says::Whole || each.says == Says::Former) names.push_back(each.name);
  }
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    const model::DataDir& left = data_of(world, a);
    const model::DataDir& right = data_of(world, b);
    if (left.last_term != right.last_term) return left.last_term > right.last_term;
    return left.last_index > right.last_index;
  });
  return names;
}

struct Given {  // up
  std::int64_t generation = 1;
  bool ordered = false;
  std::vector<model::Abandoned> before;  // in this generation
};

Given generation_of(const World& world, const model::Voters& voters) {
  std::int64_t recorded = voters.generation;
  if (world.observed.formed) recorded = std::max(recorded, world.observed.formed->generation);
  Given given;
  given.ordered = !world.desired.recovery.survivor.empty() && world.desired.generation > recorded;
  std::vector<model::Abandoned> all;
  given.generation = given.ordered ? world.desired.generation : recorded + 1;
  for (const model::NodeFacts& node : world.observed.nodes) {
    if (!node.standing) continue;
    for (const model::Abandoned& each : node.standing->abandoned) {
      all.push_back(each);
      if (!given.ordered) given.generation = std::max(given.generation, each.generation);
    }
  }
  for (const model::Abandoned& each : all) {
    if (each.generation == given.generation) given.before.push_back(each);
  }
  return given;
}

std::int64_t highest_revision(const World& world) {
  std::int64_t highest = 0;
  for (const model::NodeFacts& node : world.observed.nodes) {
    if (node.standing) highest = std::max(highest, node.standing->revision);
    if (node.data) highest = std::max(highest, node.data->revision);
  }
  return highest;
}

std::vector<base::ClusterId> lineage(const World& world, const model::Voters& voters) {
  std::vector<base::ClusterId> after{voters.cluster};
  const auto& formed = world.observed.formed;
  if (formed && formed->cluster == voters.cluster)
    after.insert(after.end(), formed->after.begin(), formed->after.end());
  return after;
}

Decision recover_from(const World& world, const model::Voters& voters, const std::vector<Answer>& answers,
                      const Given& given, const std::string& survivor) {
  Decision decision;
  decision.kind = model::DecisionKind::Recover;
  decision.generation = given.generation;
  decision.attempt = static_cast<int>(given.before.size()) + 1;
  const model::DataDir& data = data_of(world, survivor);
  decision.source =
      base::to_string(data.member) + "@" + std::to_string(data.last_term) + "." + std::to_string(data.last_index);
  decision.seed = survivor;
  for (const Answer& each : answers) {
    if (each.says == Says::Lost) continue;
    const Seat* seat = seat_of(world, each.name);
    const model::NodeFacts* node = model::node_of(world.observed, each.name);
    decision.founders.push_back({each.name, seat->wish->peer_urls, node->incarnation ? *node->incarnation : ""});
  }
  decision.after = lineage(world, voters);
  decision.above = highest_revision(world);
  decision.id = model::digest_of(decision, world.desired.name, world.desired.etcd.token);
  return decision;
}

std::uint64_t highest_index(const World& world) {
  std::uint64_t highest = 0;
  for (const model::NodeFacts& node : world.observed.nodes) {
    if (node.standing) highest = std::max(highest, node.standing->index);
    if (node.data) highest = std::max(highest, node.data->last_index);
  }
  return highest;
}

void show_sources(const World& world, const std::vector<std::string>& names, const std::string& chosen,
                  std::vector<Notice>& notices) {
  const std::uint64_t highest = highest_index(world);
  for (const std::string& name : names) {
    const model::DataDir& data = data_of(world, name);
    const std::uint64_t missing = highest - data.last_index;
    std::string text = "the data of " + name + " reach entry " + std::to_string(data.last_index) + " of term " +
                       std::to_string(data.last_term);
    text += missing == 0 ? ", as far as anybody has seen: nothing is lost"
                         : "; entry " + std::to_string(highest) + " has been seen: up to " + std::to_string(missing) +
                               " entries would be lost";
    tell(notices, Notice::Level::Info, "RecoverySource", text + (name == chosen ? "; chosen" : ""), "");
  }
}

bool has_failed(const Given& given, const std::string& name) {
  return std::any_of(given.before.begin(), given.before.end(),
                     [&](const model::Abandoned& each) { return each.seed == name; });
}

void choose(const World& world, const model::Voters& voters, const std::vector<Answer>& answers, Recovery& recovery) {
  const std::vector<std::string> names = survivors(world, answers);
  const Given given = generation_of(world, voters);
  const std::string& named = world.desired.recovery.survivor;
  std::string chosen = names.front();
  if (given.ordered && !base::contains(names, named)) {
    tell(recovery.notices, Notice::Level::Critical, "NoQuorum",
         lost_words(answers) + ", and recovery.survivor names " + named + ", whose data cannot be gone on with",
         "those of " + base::joined(names, ", ") + " can");
    recovery.stop = Stop{};
    return;
  }
  if (given.ordered) chosen = named;
  if (has_failed(given, chosen)) {
    tell(recovery.notices, Notice::Level::Critical, "NoQuorum",
         lost_words(answers) + ", and going on with the data of " + chosen + " has failed: " + given.before.back().why,
         "everything is as it was before; see to the reason, then raise generation with recovery.survivor in the file");
    recovery.stop = Stop{};
    return;
  }
  recovery.decision = recover_from(world, voters, answers, given, chosen);
  recovery.ordered = given.ordered;
  tell(recovery.notices, Notice::Level::Critical, "NoQuorum", lost_words(answers),
       given.ordered ? ""
                     : "agree on each node, quorate approve PLAN, or write  generation: " +
                           std::to_string(given.generation) + "  and  recovery: {survivor: " + chosen + "}");
  show_sources(world, names, chosen, recovery.notices);
}

// ------------------------------------------------------------------------------------------------- what was decided
// The others put back what stood there as soon as the seed cannot go on any more; the seed says so first.
std::string why_others_go_back(const World& world, const Decision& decision) {
  const auto& formed = world.observed.formed;
  if (formed && formed->decision == decision.id) return {};  // it was carried out: there is no way back
  const model::Voters* voters = newest_voters(world);
  const auto& after = decision.after;
  if (voters != nullptr && voters->generation >= decision.generation &&
      std::find(after.begin(), after.end(), voters->cluster) != after.end()) {
    return "the cluster that it was to replace has had a quorum since";
  }
  const model::Standing* seed = standing_of(world, decision.seed);
  const bool bound = seed == nullptr || (seed->pledge && seed->pledge->decision.id == decision.id);
  if (!bound &&
      world.desired.generation > decision.generation) {  // and without a promise of its own it restores nothing
    return "the file has raised generation before its seed " + decision.seed + " has promised";
  }
  if (seed != nullptr && model::has_abandoned(*seed, decision.id)) return "its seed " + decision.seed + " gave it up";
  if (is_declared_lost(world, newest_voters(world), decision.seed)) return "its seed " + decision.seed + " is gone";
  return {};
}

std::string why_seed_gives_up(const World& world, const Decision& decision) {
  const model::Pledge* seed = pledge_of(world, decision.seed);
  if (seed == nullptr || seed->decision.id != decision.id || seed->started) return {};
  const Seat* seat = seat_of(world, decision.seed);
  const bool restored = seat != nullptr && has_data(*seat);
  if (seed->tries >= kMostTries && !restored) return seed->failed.empty() ? "it did not end" : seed->failed;
  if (world.desired.generation > decision.generation) return "the file has raised generation";
  for (const model::Founder& each : decision.founders) {
    if (each.member == decision.seed) continue;
    if (is_declared_lost(world, newest_voters(world), each.member)) return each.member + " is gone";
    const model::Pledge* pledge = pledge_of(world, each.member);
    const Seat* founder = seat_of(world, each.member);
    const bool keeps = pledge != nullptr && pledge->decision.id == decision.id && pledge->given;
    if (keeps && founder != nullptr && has_data(*founder)) {
      return "data have come back on " + each.member;
    }
  }
  return {};
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
    if (pledge == nullptr || pledge->started) continue;
    std::string why = why_others_go_back(world, pledge->decision);
    if (why.empty() && node.member == pledge->decision.seed) why = why_seed_gives_up(world, pledge->decision);
    if (!why.empty()) propose_abandon(world, node.member, pledge->decision, why, recovery);
  }
  return !recovery.steps.empty();
}

model::Reason because(const World& world, const Seat& seat, const Recovery& recovery) {
  const char* code = recovery.ordered            ? model::kRecoveryOrdered
                     : recovery.automatic(world) ? model::kRecoveryAutomatic
                                                 : "QuorumLost";
  model::Reason reason = reason_at(world, seat, code,
                                   "quorum is lost for good; the cluster goes on with the data of " +
                                       recovery.decision->seed + ", " + recovery.decision->source);
  const auto line = world.desired.lines.find("recovery.survivor");
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
  if (has_data(seed)) action = model::WriteManifest{seed.name(), seed.wish->bundle, model::BootMode::Keep, ""};
  model::Step step =
      make_step(std::move(action), StepClass::Restore, seed.wish->member->node, because(world, seed, recovery));
  step.needs = {model::KeepTo{decision.id, members_of(decision), true}};
  step.ensures = {model::DataIs{seed.name(), false}};
  return step;
}

void propose(const World& world, Recovery& recovery) {
  const Decision& decision = *recovery.decision;
  for (const model::Founder& each : decision.founders) {
    const model::Pledge* pledge = pledge_of(world, each.member);
    if (pledge != nullptr && pledge->decision.id == decision.id && pledge->given) continue;
    recovery.steps.push_back(promise(world, *seat_of(world, each.member), recovery));
  }
  if (!recovery.steps.empty()) return;  // nobody restores before everybody has promised
  const Seat& seed = *seat_of(world, decision.seed);
  const bool runs = seed.node != nullptr && seed.node->process && seed.node->process->running;
  if (!runs) recovery.steps.push_back(restore_or_start(world, seed, recovery));
}

// Everybody whom a decision under way still needs; a name that the file no longer lists has no agent to ask.
std::optional<Stop> wait_for_founders(const World& world, Recovery& recovery) {
  const Decision& decision = *recovery.decision;
  for (const model::Founder& each : decision.founders) {
    const Seat* seat = seat_of(world, each.member);
    const model::NodeFacts* node = model::node_of(world.observed, each.member);
    if (seat != nullptr && seat->wish != nullptr && node != nullptr && node->standing && node->data) continue;
    tell(recovery.notices, Notice::Level::Critical, "NoQuorum",
         "decision " + decision.id + " is under way and waits for " + each.member + ", whose agent does not answer",
         "start its agent; if the node is gone for good, declare it lost: then all put back what stood there before");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  return std::nullopt;
}

// A decision that somebody keeps to and that is not carried out yet.
bool go_on(const World& world, Recovery& recovery) {
  const model::Voters* voters = newest_voters(world);
  for (const model::NodeFacts& node : world.observed.nodes) {
    const model::Pledge* pledge = pledge_of(world, node.member);
    if (pledge == nullptr) continue;
    const Decision& decision = pledge->decision;
    const bool settled = voters != nullptr && voters->generation >= decision.generation;
    if (settled) continue;
    const model::Pledge* seed = pledge_of(world, decision.seed);
    const bool formed = world.observed.formed && world.observed.formed->decision == decision.id;
    if (formed || (seed != nullptr && seed->decision.id == decision.id && seed->started)) {
      tell(recovery.notices, Notice::Level::Critical, "NoQuorum",
           "the cluster was brought back on " + decision.seed + " and does not answer",
           "see why etcd does not run there; the directories from before are kept on every node");
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
  recovery.ordered = world.desired.recovery.survivor == recovery.decision->seed &&
                     world.desired.generation == recovery.decision->generation;
  recovery.stop = wait_for_founders(world, recovery);
  if (!recovery.stop) {
    tell(recovery.notices, Notice::Level::Warning, "NoQuorum",
         "the cluster is brought back from the data of " + recovery.decision->seed, "");
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
  return world.desired.recovery.quorum_loss == model::QuorumLoss::Auto && decision && decision->attempt == 1;
}

Recovery recovery_of(const World& world) {
  Recovery recovery;
  if (world.observed.membership || !is_all_ours(world)) return recovery;
  if (go_back(world, recovery)) return recovery;
  if (go_on(world, recovery)) {
    if (!recovery.stop) propose(world, recovery);
    return recovery;
  }
  const model::Voters* voters = newest_voters(world);
  if (voters == nullptr) return recovery;
  const std::vector<Answer> answers = ask_all(world, *voters);
  if (!is_lost_for_good(answers)) {
    recovery.stop = hopeless(answers, recovery.notices);
    return recovery;
  }
  recovery.stop = blocked(answers, recovery.notices);
  if (recovery.stop) return recovery;
  if (survivors(world, answers).empty()) return recovery;
  choose(world, *voters, answers, recovery);
  if (!recovery.stop) propose(world, recovery);
  return recovery;
}

void propose_going_back(const World& world, Proposals& proposals) {
  const base::ClusterId cluster = world.observed.membership->cluster;
  Recovery recovery;
  for (const model::NodeFacts& node : world.observed.nodes) {
    const model::Pledge* pledge = pledge_of(world, node.member);
    if (pledge == nullptr || pledge->started) continue;
    const auto& after = pledge->decision.after;
    const auto& formed = world.observed.formed;
    if (std::find(after.begin(), after.end(), cluster) != after.end()) {
      propose_abandon(world, node.member, pledge->decision, "the cluster that it was to replace has a quorum",
                      recovery);
    } else if (formed && formed->cluster == cluster && model::is_superseded(pledge->decision, *formed)) {
      propose_abandon(world, node.member, pledge->decision, "another decision was carried out in its place", recovery);
    }
  }
  for (model::Step& step : recovery.steps) proposals.push_back(std::move(step));
}

}  // namespace quorate::plan
