// How long planning takes: without any reading, from recorded observations, and by the number of members.
#include <benchmark/benchmark.h>

#include "reconciler/gate/gate.h"
#include "reconciler/model/observed_json.h"
#include "reconciler/plan/planner.h"
#include "tests/support/cluster_world.h"

namespace quorate {
namespace {

using support::ClusterWorld;
using support::Health;
using support::Slot;

// Five members, one of them emptied: remove, add, start, promote.
ClusterWorld repair() {
  std::vector<Slot> slots(5);
  slots[3].health = Health::Emptied;
  return support::WorldBuilder{slots}.build();
}

// One member more for a cluster of so many: the same three steps whatever the size.
ClusterWorld growth(std::size_t members) {
  std::vector<Slot> slots(members + 1);
  slots.back().role = support::Role::Absent;
  return support::WorldBuilder{slots}.build();
}

void PlanRepairOfFive(benchmark::State& state) {
  const ClusterWorld world = repair();
  for (auto _ : state) benchmark::DoNotOptimize(plan::plan(world.desired, world.observed, world.wanted));
}
BENCHMARK(PlanRepairOfFive);

void PlanGrowth(benchmark::State& state) {
  const ClusterWorld world = growth(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(plan::plan(world.desired, world.observed, world.wanted));
}
BENCHMARK(PlanGrowth)->Arg(1)->Arg(3)->Arg(5)->Arg(7)->Arg(9);

// From the text of an observation to the judged plan, as `quorate plan --observed` has it to do for each cluster.
void JudgeRecorded(benchmark::State& state) {
  const ClusterWorld world = repair();
  const std::string text = model::to_json(world.observed);
  for (auto _ : state) {
    const auto observed = model::read_observed(text, "observed.json");
    if (!observed) return state.SkipWithError(observed.error().message.c_str());
    benchmark::DoNotOptimize(gate::judge(plan::plan(world.desired, *observed, world.wanted), world.desired, *observed,
                                         {support::world_time(), {}, false}));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(JudgeRecorded);

}  // namespace
}  // namespace quorate

BENCHMARK_MAIN();
