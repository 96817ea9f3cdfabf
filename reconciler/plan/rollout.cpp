// Configuration, versions and peer URLs of members that stay: one at a time, broken ones first, the leader last.
#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/model/fence.h"
#include "reconciler/model/rules.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

using model::MemberState;
using model::StepClass;

bool dies_with_its_process(const model::Desired& desired) {
  const bool pod = std::holds_alternative<model::StaticPodRuntime>(desired.runtime) ||
                   std::holds_alternative<model::KubernetesRuntime>(desired.runtime);
  return pod && desired.storage != model::StorageKind::Disk;
}

model::Reason reason_of(const World& world, const Seat& seat, const Difference& difference) {
  model::Reason reason = reason_at(world, seat, difference.code, difference.text);
  reason.evidence = {{"have", difference.have}, {"want", difference.want}};
  const auto line = world.desired.lines.find(difference.field);
  if (line != world.desired.lines.end()) reason.line = line->second;
  return reason;
}

// Its data would not outlive the restart: it leaves and comes back as a new member.
model::Step replacement(const World& world, const Seat& seat, const Difference& difference) {
  const base::MemberId id = seat.listed->listed.id;
  model::Reason reason = reason_of(world, seat, difference);
  reason.text += "; its data do not outlive a restart";
  model::Step step = make_step(model::Remove{seat.name(), id, true}, StepClass::Change, kCluster, std::move(reason));
  step.needs = {model::AllVotersUp{}, model::LeaderIsNot{id, seat.name()}};
  step.ensures = {model::MemberIs{id, seat.name(), MemberState::Absent}};
  need_soak(world, step);
  return step;
}

// The file has not changed since it was carried out, so it was the member that did.
bool strayed(const World& world) {
  return world.observed.applied && world.observed.applied->digest == world.wanted.digest;
}

// The one change that lets a full cluster take writes again: it waits neither for a backup, which a full etcd gives
// nobody the lease for, nor for a soak.
bool makes_room(const World& world, const Seat& seat) {
  const std::int64_t runs_with = model::quota_of(world.desired, seat.node);
  return model::is_full(world.observed) && runs_with < model::quota_of(world.desired);
}

model::Step rewrite(const World& world, const Seat& seat, const Difference& difference) {
  const Wish& wish = *seat.wish;
  const bool version = difference.code == "VersionSkew";
  model::WriteManifest action{wish.member->name, wish.bundle, model::BootMode::Keep,
                              version ? base::to_string(*world.desired.etcd.version) : "",
                              model::keeps_clients_out(world.observed, world.desired)};
  StepClass step_class = version ? StepClass::Upgrade : StepClass::Change;
  // A member that is down may be so for what its files say; and what the file has asked for all along is put back.
  if (!seat.up || makes_room(world, seat) ||
      (world.desired.reconcile.self_heal == model::SelfHeal::All && strayed(world))) {
    step_class = StepClass::Heal;
  }
  model::Step step = make_step(action, step_class, wish.member->node, reason_of(world, seat, difference));
  const base::MemberId id = seat.listed->listed.id;
  if (seat.up && world.quorum.voters > 1) step.needs.push_back(model::LeaderIsNot{id, seat.name()});
  if (seat.up && world.quorum.voters > 2) step.needs.push_back(model::VotersUp{world.quorum.needs() + 1});
  step.ensures = {model::ManifestIs{wish.member->name, wish.bundle}, model::MemberIs{id, seat.name(), MemberState::Up}};
  if (step_class != StepClass::Heal) need_soak(world, step);
  return step;
}

bool has_other_urls(const Seat& seat) {
  return !base::same_texts(seat.listed->listed.peer_urls, seat.wish->peer_urls);
}

// The others learn the new address first; its files, with listeners for it, are the next step.
model::Step update_urls(const World& world, const Seat& seat) {
  const base::MemberId id = seat.listed->listed.id;
  model::Step step =
      make_step(model::UpdatePeerUrls{seat.name(), id, seat.wish->peer_urls}, StepClass::Change, kCluster,
                reason_at(world, seat, "PeerUrlChanged", "the other members know it by another address"));
  step.ensures = {model::PeerUrlsAre{id, seat.name(), seat.wish->peer_urls}};
  need_soak(world, step);
  return step;
}

// Who is wanted and no voter yet makes every restart safer once it has joined.
bool somebody_is_missing(const World& world) {
  return std::any_of(world.seats.begin(), world.seats.end(),
                     [](const Seat& seat) { return seat.wanted() && seat.managed() && !seat.is_voter(); });
}

// It leaves only when it could come back at once; else the addition that is refused says why.
model::Step replacement_or_why_not(const World& world, const Seat& seat, const Difference& difference) {
  const std::string version = world.desired.etcd.version ? base::to_string(*world.desired.etcd.version) : "";
  const model::AddMember back{seat.name(), seat.wish->peer_urls, version};
  const auto broken = model::broken_rule(world.observed, back);
  // Its own data stand there today, and die with it.
  if (!broken || broken->id == "F3") return leader_first(world, seat, replacement(world, seat, difference));
  return make_step(back, StepClass::Change, kCluster, reason_of(world, seat, difference));
}

void propose_for(const World& world, const Seat& seat, Proposals& proposals) {
  Difference difference{"ConfigChanged", "its files are those of the old peer URLs", "", "", ""};
  differs(world, seat, &difference);
  if (dies_with_its_process(world.desired)) {
    if (seat.up) proposals.push_back(replacement_or_why_not(world, seat, difference));
    return;
  }
  model::Step step = leader_first(world, seat, rewrite(world, seat, difference));
  // A new address without the restart that listens there would cut the member off.
  const bool may_follow = !model::broken_rule(world.observed, step.action);
  if (has_other_urls(seat) && may_follow) step = update_urls(world, seat);
  proposals.push_back(std::move(step));
}

}  // namespace

void propose_rollout(const World& world, Proposals& proposals) {
  std::vector<const Seat*> order;
  for (const Seat& seat : world.seats) {
    if (!seat.wanted() || !seat.managed() || !seat.is_voter()) continue;
    if (has_other_urls(seat) || differs(world, seat, nullptr)) order.push_back(&seat);
  }
  const bool leader_last = world.desired.rollout.order == model::RolloutOrder::LeaderLast;
  std::stable_sort(order.begin(), order.end(), [&](const Seat* a, const Seat* b) {
    const auto rank = [&](const Seat* seat) {
      if (!seat->up) return 0;
      return leader_last && seat->listed->listed.id == world.leader ? 2 : 1;
    };
    return rank(a) < rank(b);
  });
  const bool busy = learner_on_its_way(world) || somebody_is_missing(world);
  for (const Seat* seat : order) {
    if (busy && seat->up) continue;
    if (!seat->up && lacks_data(*seat)) continue;  // etcd would not start on nothing: it is replaced, or a founder
    propose_for(world, *seat, proposals);
  }
}

}  // namespace quorate::plan
