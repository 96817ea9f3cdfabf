// Worlds in which a cluster has lost more than it can lose.
#pragma once

#include <string>

#include "tests/support/judged.h"

namespace quorate::support {

inline base::MemberId id(std::size_t slot) {
  return WorldBuilder::id(slot);
}
inline model::NodeFacts& node(ClusterWorld& world, std::size_t slot) {
  return world.observed.nodes[slot];
}
inline void hold(ClusterWorld& world, std::size_t slot, model::DataState state, std::uint64_t term = 4,
                 std::uint64_t index = 1000) {
  model::DataDir data;
  data.path = world.desired.members[slot].data_dir;
  data.state = state;
  if (state == model::DataState::Valid) {
    data.cluster = WorldBuilder::cluster();
    data.member = id(slot);
    data.last_term = term;
    data.last_index = index;
  }
  node(world, slot).data = model::Fact<model::DataDir>::known(data, world.observed.at);
}
inline void silence(ClusterWorld& world, std::size_t slot) {
  const std::string name = node(world, slot).member;
  node(world, slot) = model::NodeFacts{};
  node(world, slot).member = name;
  node(world, slot).data = model::Fact<model::DataDir>::unknown("its agent does not answer: refused");
}

// Three voters of which b and c have lost what they held; all agents answer, no etcd does.
inline ClusterWorld lost_two() {
  ClusterWorld world = WorldBuilder{{up(), up(), up()}}.build();
  world.observed.membership = model::Fact<model::Membership>::unknown("1 of 3 voters answered", world.observed.at);
  world.observed.alarms = {};
  model::Voters voters{WorldBuilder::cluster(), 1, 4, 900, {{"a", id(0)}, {"b", id(1)}, {"c", id(2)}}};
  for (std::size_t slot = 0; slot < 3; ++slot) {
    model::Standing standing;
    standing.voters = voters;
    standing.index = 1000;
    standing.revision = 500;
    node(world, slot).standing = standing;
    node(world, slot).process = model::Fact<model::Process>::known({}, world.observed.at);
    node(world, slot).incarnation = model::Fact<std::string>::known("life" + std::to_string(slot), world.observed.at);
    hold(world, slot, slot == 0 ? model::DataState::Valid : model::DataState::Empty);
  }
  world.observed.formed =
      model::Fact<model::Formed>::known({WorldBuilder::cluster(), "d1", 1, {"a", "b", "c"}, {}}, world.observed.at);
  return world;
}
inline void order(ClusterWorld& world, std::int64_t generation, const std::string& survivor) {
  world.desired.generation = generation;
  world.desired.recovery.survivor = survivor;
}
inline model::Decision decision_of(const model::Plan& plan) {
  for (const model::Step& step : plan.steps) {
    const auto* promise = std::get_if<model::Promise>(&step.action);
    if (promise != nullptr && promise->gives_way) return *promise->gives_way;
  }
  return {};
}
inline void promise(ClusterWorld& world, std::size_t slot, const model::Decision& decision) {
  node(world, slot).standing->pledge = model::Pledge{decision, true, false, 0, ""};
  hold(world, slot, model::DataState::Empty);
}
// To go on with the data of a, and all have given way for that.
inline model::Decision order_and_promise(ClusterWorld& world) {
  order(world, 2, "a");
  const model::Decision decision = decision_of(plan_of(world));
  for (std::size_t slot = 0; slot < 3; ++slot) promise(world, slot, decision);
  return decision;
}
inline std::string first_notice(const ClusterWorld& world) {
  const auto plan = plan_of(world);
  return plan.notices.empty() ? "" : plan.notices.front().text + "; " + plan.notices.front().help;
}

}  // namespace quorate::support
