// Ways out, each checked against the rules before it is named.
#include "reconciler/gate/instead.h"

#include <algorithm>

#include "reconciler/model/assume.h"
#include "reconciler/model/rules.h"

namespace quorate::gate {
namespace {

using model::ObservedMember;
using model::Way;

std::vector<const ObservedMember*> voters_down(const model::Observed& world) {
  std::vector<const ObservedMember*> down;
  if (!world.membership) return down;
  for (const ObservedMember& member : world.membership->members) {
    if (!member.listed.learner && !model::is_up(member)) down.push_back(&member);
  }
  return down;
}

std::string names_of(const std::vector<const ObservedMember*>& members) {
  std::string text;
  for (const ObservedMember* member : members) text += (text.empty() ? "" : ", ") + member->listed.name;
  return text;
}

std::string said(const model::Quorum& quorum) {
  return std::to_string(quorum.voters) + " voters, " + std::to_string(quorum.up) + " up, needs " +
         std::to_string(quorum.needs());
}

// The planner moves a leader out of the way by itself.
bool can_be_done(const model::Observed& world, const model::Action& action) {
  const auto broken = model::broken_rule(world, action);
  return !broken || broken->id == "Q5";
}

void bring_back(const model::Observed& world, const model::Step& step, std::vector<Way>& ways) {
  for (const ObservedMember* member : voters_down(world)) {
    if (model::object_of(step.action) == member->listed.name) continue;
    model::Observed better = world;
    model::assume_up(better, member->listed.id);
    if (!can_be_done(better, step.action)) continue;
    ways.push_back({"bring " + member->listed.name + " back, then " +
                        (std::holds_alternative<model::Remove>(step.action) ? "remove " + model::object_of(step.action)
                                                                            : "plan again"),
                    "quorate plan --assume-up " + member->listed.name});
  }
}

// A voter that is down already can go, where one that is up cannot.
void remove_other(const model::Observed& world, const model::Step& step, std::vector<Way>& ways) {
  if (!std::holds_alternative<model::Remove>(step.action)) return;
  for (const ObservedMember* member : voters_down(world)) {
    const model::Remove other{member->listed.name, member->listed.id};
    if (model::object_of(step.action) == member->listed.name || model::broken_rule(world, other)) continue;
    const model::Quorum now = model::quorum_of(world);
    ways.push_back(
        {"remove " + member->listed.name + " instead, it is down already: " + said({now.voters - 1, now.up}), ""});
    model::Observed replaced = world;
    model::assume_up(replaced, member->listed.id);
    if (!can_be_done(replaced, step.action)) continue;
    ways.push_back({"replace " + member->listed.name + " first, then shrink: two commits", ""});
  }
}

// Where no single one is enough.
void bring_all_back(const model::Observed& world, const model::Step& step, std::vector<Way>& ways) {
  const std::vector<const ObservedMember*> down = voters_down(world);
  model::Observed better = world;
  for (const ObservedMember* member : down) model::assume_up(better, member->listed.id);
  if (!down.empty() && can_be_done(better, step.action)) ways.push_back({"bring back " + names_of(down), ""});
}

}  // namespace

std::vector<Way> ways_instead(const model::Observed& world, const model::Step& step, const model::Verdict& verdict) {
  if (!verdict.instead.empty()) return verdict.instead;
  std::vector<Way> ways;
  const std::string object = model::object_of(step.action);
  if (verdict.rule.front() == 'Q' || verdict.rule == "U1" || verdict.rule == "A3") {
    bring_back(world, step, ways);
    remove_other(world, step, ways);
    if (ways.empty()) bring_all_back(world, step, ways);
  } else if (verdict.rule == "F2") {
    const auto* remove = std::get_if<model::Remove>(&step.action);
    ways.push_back({"start " + object + "; its data may be whole", "quorate plan --assume-up " + object});
    if (remove != nullptr) {
      ways.push_back({"say that it is gone for good, when its node is powered off:  members." + object + ".lost: \"" +
                          base::to_string(remove->id) + "\"",
                      ""});
    }
  } else if (verdict.rule == "F3") {
    ways.push_back({"look at them, and move them away by hand if nobody needs them", ""});
  } else if (verdict.rule == "F4") {
    ways.push_back({"stop the member and move its data by hand, or retire it and let a new member take the place", ""});
  } else if (verdict.rule == "U2") {
    ways.push_back(
        {"go through each minor version on the way, one commit each; the way back is a backup of the old one", ""});
  } else if (verdict.rule == "U3" || verdict.rule == "U4") {
    ways.push_back({"ask for a later patch release first", ""});
  } else if (verdict.rule == "P2") {
    ways.push_back({"lower protect.minVoters in a commit of its own", ""});
  } else if (verdict.rule == "P5") {
    ways.push_back({"set reconcile.selfHeal: safe", ""});
  } else if (verdict.rule == "A2") {
    ways.push_back({"raise adopt.stage when you agree to what the plan shows", ""});
  }
  return ways;
}

}  // namespace quorate::gate
