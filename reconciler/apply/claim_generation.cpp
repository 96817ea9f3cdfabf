// One object for each generation, put where there is none: of two that begin at the same time the store lets one
// through.
#include <algorithm>

#include "reconciler/apply/own_node.h"
#include "reconciler/apply/steps.h"
#include "reconciler/model/standing_json.h"

namespace quorate::apply {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 10;

std::string claim_name(const model::Decision& decision) {
  return "quorate/generation-" + std::to_string(decision.generation) + ".json";
}

const model::Founder* founder_of(const model::Decision& decision, const std::string& member) {
  const auto found = std::find_if(decision.founders.begin(), decision.founders.end(),
                                  [&](const model::Founder& each) { return each.member == member; });
  return found == decision.founders.end() ? nullptr : &*found;
}

// The same seed may begin again: what it began before is over when it says so. Another founder of the one that was
// begun may carry on with the next attempt, once its seed has given it up: all of them have promised that. It is the
// same with the same disk alone: elsewhere nodes may be called alike.
bool goes_on_with(const model::Decision& before, const model::Decision& now) {
  const model::Founder* seed = founder_of(now, now.seed);
  const model::Founder* was = founder_of(before, now.seed);
  if (seed == nullptr || was == nullptr || seed->incarnation != was->incarnation) return false;
  return now.seed == before.seed || now.attempt > before.attempt;
}

base::Result<void> look_at_claim(ports::ObjectStore& store, const model::Decision& decision) {
  const std::string name = claim_name(decision);
  const auto text = store.get(name, kMostBytes);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return moved("the claim " + name + " in the store has just gone");
  const auto before = model::read_decision_file(**text, name);
  if (!before) return tl::unexpected(before.error());
  if (before->id == decision.id) return {};
  if (!goes_on_with(*before, decision)) {
    return refused("generation " + std::to_string(decision.generation) + " was begun from this store by decision " +
                       before->id + " with the seed " + before->seed,
                   "if that cluster runs there must be no second one; else raise generation");
  }
  return store.put(name, model::to_json(decision), ports::Overwrite::Allowed);
}

}  // namespace

base::Result<void> claim_generation(const Ports& ports, const Scene& scene, const model::Decision& decision) {
  if (!decision.backup) return {};
  // Nothing is written to another cluster's store.
  if (!scene.desired.backup && !scene.desired.recovery.from.empty()) return {};
  if (ports.stores == nullptr || !scene.desired.backup) return refused("no store is named in the file");
  const auto opened = ports.stores->open(*scene.desired.backup);
  if (!opened) return tl::unexpected(opened.error());
  const auto put = opened->objects->put(claim_name(decision), model::to_json(decision), ports::Overwrite::Never);
  if (put || put.error().kind != base::ErrorKind::Conflict) return put;
  return look_at_claim(*opened->objects, decision);
}

}  // namespace quorate::apply
