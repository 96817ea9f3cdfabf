// Safety first, then liveness: it must converge, stay so, and have lost nothing.
#include "tests/sim/run.h"

#include <algorithm>

#include "reconciler/model/quorum.h"
#include "reconciler/model/state_paths.h"
#include "tests/sim/agent_life.h"
#include "tests/sim/scenario.h"
#include "tests/sim/sim_etcd.h"
#include "tests/sim/twins_store.h"

namespace quorate::sim {
namespace {

constexpr Duration kPatience{std::chrono::minutes{15}};
constexpr Duration kStays{150000};
constexpr int kMoments = 50;
constexpr const char* kLooksAgain = " is about to look again";

const model::Plan& plan_of(const Machine& machine) {
  return machine.agents[0]->last.plan.gated.plan;
}

// Of a decision that was made without a quorum: it is carried out, or all is back where it was.
std::string left_over(World& world, const Machine& machine) {
  if (machine.etcd && machine.etcd->booted && world.etcd().is_replaced(machine.etcd->cluster)) {
    return machine.name + " runs a member of a cluster that was replaced";
  }
  for (const auto& [path, data] : machine.disk.data) {
    if (path.find(model::kYielded) != std::string::npos) return machine.name + " still has " + path;
  }
  return "";
}

// What is still not as it should be; empty: nothing.
std::string unfinished(World& world, const Scenario& scenario) {
  Cluster* cluster = world.etcd().formed();
  if (cluster == nullptr) return "there is no cluster";
  if (world.effects_to_come > 0) return "what an agent asked etcd for has yet to happen";
  for (const model::ListedMember& member : cluster->members()) {
    const bool wanted =
        std::find(scenario.wanted().begin(), scenario.wanted().end(), member.name) != scenario.wanted().end();
    if (world.etcd().machine_of(cluster->id, member.id) == nullptr) return member.name + " does not run";
    if (!wanted || member.learner) return member.name + (wanted ? " is a learner" : " is still a member");
  }
  if (cluster->members().size() != scenario.wanted().size()) return "a member is missing";
  for (const Machine& machine : world.machines) {
    if (!machine.listed) continue;
    if (std::string why = left_over(world, machine); !why.empty()) return why;
    if (!world.agent_runs(machine, 0) || !machine.agents[0]->has_passed) return machine.name + " has no agent";
    const AgentLife& agent = *machine.agents[0];
    const bool looked = agent.passed_with == machine.text && agent.passed_since >= scenario.calm_since();
    if (!looked) return machine.name + " has not looked since the last change";
    if (agent.last.did) return machine.name + kLooksAgain;
    const model::Plan& plan = plan_of(machine);
    if (plan.status != model::PlanStatus::Converged || !plan.steps.empty()) {
      return machine.name + " plans " + (plan.steps.empty() ? "nothing" : plan.steps.front().id) + ", " +
             std::string(model::name_of(plan.status)) + ", waits for " + machine.agents[0]->last.waits +
             (machine.agents[0]->last.failed ? ", failed: " + machine.agents[0]->last.failed->message : "");
    }
    const auto file = machine.disk.files.find(std::string(kStateDir) + "/sim/" + machine.name + "/etcd.yaml");
    const auto boot = file == machine.disk.files.end() ? std::nullopt : read_boot(file->second.content);
    const bool wanted =
        std::find(scenario.wanted().begin(), scenario.wanted().end(), machine.name) != scenario.wanted().end();
    if (wanted && (!boot || boot->state != "existing" || boot->initial.size() != 1)) {
      return machine.name + " would start from nothing";
    }
    // Where no file lists it any more only its memory says where its data are.
    const auto memory = memory_on(machine);
    const bool is_known = memory && !memory->data_dir.empty();
    const bool left = boot || machine.etcd || (is_known && machine.disk.data.count(place_of(machine)) != 0);
    if (!wanted && left) {
      return machine.name + " has left, and something of it is still there";
    }
  }
  return "";
}

std::string converge(World& world, const Scenario& scenario) {
  const Duration end = world.now() + kPatience * (scenario.has_people() ? 3 : 1);
  std::string why = "nobody has looked";
  while (world.now() < end && world.violation().empty()) {
    world.run_until(world.now() + Duration{1000});
    why = unfinished(world, scenario);
    if (why.empty()) break;
  }
  if (!world.violation().empty() || !why.empty()) return why;
  const Duration since = world.now();
  world.run_until(world.now() + kStays);
  for (int i = 0; i < kMoments; ++i) {  // a backup may just have been made
    why = unfinished(world, scenario);
    if (!why.ends_with(kLooksAgain)) break;
    world.run_until(world.now() + Duration{200});
  }
  if (!why.empty()) return "it did not stay converged: " + why;
  if (world.last_intent > since) return "a step was begun after it had converged";
  return "";
}

// More disks are gone than the cluster can lose: nothing is begun, and everybody says so.
std::string stops(World& world) {
  world.run_until(world.now() + Duration{60000});
  world.nothing_may_begin = true;
  world.run_until(world.now() + Duration{180000});
  for (const Machine& machine : world.machines) {
    if (!machine.listed || !world.agent_runs(machine, 0)) continue;
    const model::Plan& plan = plan_of(machine);
    if (plan.status == model::PlanStatus::Converged || plan.status == model::PlanStatus::Actionable) {
      return machine.name + " says " + std::string(model::name_of(plan.status)) + " though the quorum is lost for good";
    }
    if (plan.notices.empty()) return machine.name + " does not say why it stops";
  }
  return "";
}

// A formation is half done, and one of its founders spoke for a node whose other agent knows nothing of that: people
// decide whether it starts again.
std::string may_wait_for_people(World& world, const Scenario& scenario) {
  world.run_until(world.now() + Duration{180000});
  return world.etcd().formed() == nullptr ? "" : converge(world, scenario);
}

// For whoever reads the trace of a seed that failed.
void tell_state(World& world) {
  for (const Machine& machine : world.machines) {
    if (!machine.listed) continue;
    std::string text =
        "at the end " + machine.name + (machine.up ? "" : " is off") + (machine.etcd ? " runs etcd" : "");
    text += ", its process: " + std::string(model::name_of(machine.running[0].state.phase)) + " " +
            machine.running[0].state.text;
    if (!machine.disk.data.empty()) {
      text += ", its data: member " + base::to_string(machine.disk.data.begin()->second.member) + " up to " +
              std::to_string(machine.disk.data.begin()->second.last);
    }
    if (const auto memory = memory_on(machine); memory && memory->standing.voters) {
      const model::Voters& known = *memory->standing.voters;
      text += ", its agent remembers, of generation " + std::to_string(known.generation) + " and entry " +
              std::to_string(known.index) + ", the voters";
      for (const model::Voter& each : known.voters) text += " " + each.name + " " + base::to_string(each.id);
    }
    if (world.agent_runs(machine, 0)) {
      const loop::Pass& last = machine.agents[0]->last;
      const model::Plan& plan = last.plan.gated.plan;
      text += ", its plan: " + std::string(model::name_of(plan.status));
      for (const model::Step& step : plan.steps) text += " " + step.id;
      text += ", waits for " + last.waits + (last.failed ? ", failed: " + last.failed->message : "");
      for (const model::Notice& notice : plan.notices) text += "; " + notice.text;
    }
    world.trace(text);
  }
}

}  // namespace

Outcome run_seed(const Options& options) {
  World world(options);
  Scenario scenario(world);
  Outcome outcome;
  scenario.begin();
  world.run_until(world.now() + scenario.safety_phase());
  if (world.violation().empty()) {
    scenario.heal();
    Cluster* cluster = world.etcd().formed();
    bool recoverable = true;
    if (cluster != nullptr) {
      const auto [whole, voters] = world.etcd().whole_voters(*cluster);
      const bool left = world.etcd().has_data(*cluster) || !backups_in(world).empty();
      recoverable = whole >= model::quorum(voters) || (scenario.has_people() && left);
    }
    if (!recoverable && !scenario.wiped_anything()) world.violate("too few data are left, and no disk was wiped");
    outcome.lost_for_good = !recoverable;
    if (recoverable && cluster == nullptr && scenario.had_second_founder()) {
      outcome.problem = may_wait_for_people(world, scenario);
    } else {
      outcome.problem = recoverable ? converge(world, scenario) : stops(world);
    }
    if (!outcome.problem.empty()) world.trace("WRONG: " + outcome.problem);
  }
  if (!world.violation().empty()) outcome.problem = world.violation();
  if (!outcome.problem.empty()) tell_state(world);
  outcome.trace_hash = world.trace_hash();
  outcome.passes = world.passes;
  outcome.writes = world.writes_acknowledged;
  outcome.lines = world.lines();
  return outcome;
}

}  // namespace quorate::sim
