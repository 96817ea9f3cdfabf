// Growing and shrinking: grow first, shrink after, one at a time, the leader last; then clean up after who has left.
#include <algorithm>

#include "reconciler/plan/notices.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

using model::MemberState;
using model::StepClass;

bool is_gone(const Seat& seat) {
  return seat.wish != nullptr && seat.wish->member->lost && (seat.node == nullptr || !seat.node->data);
}

// Who is said to be gone joins when its agent is there again: until then a place for it would only be in the way.
bool joins_later(const Seat& seat) {
  return seat.wanted() && seat.managed() && seat.listed == nullptr && !is_gone(seat);
}

bool is_to_vote(const Seat& seat) {
  return seat.wanted() && seat.managed() && !seat.is_voter();
}

std::string wanted_version(const World& world) {
  return world.desired.etcd.version ? base::to_string(*world.desired.etcd.version) : "";
}

model::Step addition(const World& world, const Seat& seat) {
  const Wish& wish = *seat.wish;
  model::Step step = make_step(
      model::AddMember{wish.member->name, wish.peer_urls, wanted_version(world)}, joining_class(world, seat), kCluster,
      reason_at(world, seat, "MemberNew", "members." + wish.member->name + " is not in the cluster"));
  step.needs = {model::NoLearner{}, model::UrlsAre{wish.peer_urls, wish.member->name, MemberState::Absent},
                model::VotersUp{world.quorum.needs()}};
  step.ensures = {model::UrlsAre{wish.peer_urls, wish.member->name, MemberState::Learner}};
  if (step.step_class != StepClass::Heal) need_soak(world, step);
  return step;
}

model::Step removal(const World& world, const Seat& seat) {
  const base::MemberId id = seat.listed->listed.id;
  model::Reason reason = seat.dropped ? reason_at(world, seat, "MemberDropped", "the file no longer lists it")
                                      : reason_at(world, seat, "MemberRetired", "members." + seat.name() + ".retire");
  model::Step step =
      make_step(model::Remove{seat.listed->listed.name, id}, StepClass::Destructive, kCluster, std::move(reason));
  step.needs = {model::VotersUp{model::Quorum{world.quorum.voters - 1, 0}.needs()},
                model::LeaderIsNot{id, seat.name()}};
  step.ensures = {model::MemberIs{id, seat.name(), MemberState::Absent}};
  need_soak(world, step);
  return step;
}

model::Reason left_behind(std::string text) {
  model::Reason reason;
  reason.code = "LeftBehind";
  reason.text = std::move(text);
  return reason;
}

// Files and data of a member that is out of the cluster and not wanted back. Where nobody has looked, or where the data
// are somebody else's, whatever runs there is not ours to stop.
void clean_up(const World& world, const model::NodeFacts& node, const std::string& owner, Proposals& proposals) {
  if (!node.data) return;
  const bool nothing = model::holds_nothing(*node.data);
  const bool left = !nothing && is_left_data(world, *node.data);
  if ((nothing || left) && node.manifest && !node.manifest->digest.empty()) {
    model::Step step = make_step(model::RemoveManifest{node.member}, StepClass::Change, owner,
                                 left_behind("it has left the cluster, and its files are still on its node"));
    step.ensures = {model::ManifestIs{node.member, ""}};
    proposals.push_back(std::move(step));
  } else if (left && node.data->state != model::DataState::Damaged) {
    model::Step step = make_step(model::SetDataAside{node.member}, StepClass::Change, owner,
                                 left_behind("it has left the cluster, and its data are still in their place"));
    step.ensures = {model::DataIs{node.member, true}};
    proposals.push_back(std::move(step));
  }
}

}  // namespace

void propose_cleanup(const World& world, Proposals& proposals) {
  for (const model::NodeFacts& node : world.observed.nodes) {
    const auto seat = std::find_if(world.seats.begin(), world.seats.end(),
                                   [&](const Seat& each) { return each.name() == node.member; });
    if (seat == world.seats.end()) {
      // Only what was ours is ours to clean, and a node that its own agent speaks for: the file may have moved on
      // before that agent had its turn.
      if (was_ours(world.observed, node.member) || node.run.is_known()) clean_up(world, node, node.member, proposals);
      continue;
    }
    if (seat->wish == nullptr || seat->wanted() || !seat->managed() || seat->listed != nullptr) continue;
    clean_up(world, node, seat->wish->member->node, proposals);
  }
}

void propose_addition(const World& world, Proposals& proposals) {
  if (learner_on_its_way(world)) return;
  for (const Seat& seat : world.seats) {
    if (!joins_later(seat)) continue;
    if (has_left_data(world, seat)) {
      model::Step step =
          make_step(model::SetDataAside{seat.name()}, StepClass::Heal, seat.wish->member->node,
                    reason_at(world, seat, "DataLeftBehind", "its data are those of a removed member ID"));
      step.ensures = {model::DataIs{seat.name(), true}};
      proposals.push_back(std::move(step));
    } else {
      proposals.push_back(addition(world, seat));
    }
  }
}

void propose_removal(const World& world, Proposals& proposals) {
  if (std::any_of(world.seats.begin(), world.seats.end(), is_to_vote)) return;
  const Seat* leader = nullptr;
  for (const Seat& seat : world.seats) {
    if (!seat.leaves() || !seat.is_voter() || !seat.up) continue;
    if (seat.listed->listed.id == world.leader) {
      leader = &seat;
    } else {
      proposals.push_back(removal(world, seat));
    }
  }
  if (leader != nullptr && proposals.empty())
    proposals.push_back(leader_first(world, *leader, removal(world, *leader)));
}

std::optional<Stop> stop_for_leaving(const World& world, std::vector<model::Notice>& notices) {
  const auto& seats = world.seats;
  const auto leaves = std::find_if(seats.begin(), seats.end(),
                                   [](const Seat& seat) { return seat.leaves() && seat.is_voter() && seat.up; });
  const auto awaited = std::find_if(seats.begin(), seats.end(), [](const Seat& seat) {
    return is_to_vote(seat) && seat.listed == nullptr && is_gone(seat);
  });
  if (leaves == seats.end() || awaited == seats.end()) return std::nullopt;
  explain(notices, "MemberStays",
          "member " + leaves->name() + " leaves when " + awaited->name() + " has joined, and the file says that " +
              awaited->name() + " is gone for good",
          "start the agent of " + awaited->name() + ", and take that word back when it has joined; or drop " +
              awaited->name() + " from the file, too");
  return Stop{};
}

}  // namespace quorate::plan
