// Healing: alarms, half-finished joins, voters that are gone, learners that have caught up.
#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/model/fence.h"
#include "reconciler/model/project.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

using model::Loss;
using model::MemberState;
using model::StepClass;

// A voter that is down and is to go: because the file says so, or because there is proof that it is gone.
model::Step removal_of_down(const World& world, const Seat& seat, const Loss& loss) {
  const base::MemberId id = seat.listed->listed.id;
  const bool asked = seat.leaves();
  model::Reason reason =
      asked && loss.state != Loss::State::Proven
          ? reason_at(world, seat, seat.dropped ? "MemberDropped" : "MemberRetired",
                      seat.dropped ? "the file no longer lists it" : "members." + seat.name() + ".retire")
          : reason_at(world, seat, loss.code, loss.text);
  reason.evidence = loss.evidence;
  model::Step step = make_step(model::Remove{seat.listed->listed.name, id},
                               asked ? StepClass::Destructive : StepClass::Heal, kCluster, std::move(reason));
  step.needs = {model::MemberIs{id, seat.name(), MemberState::Down},
                model::VotersUp{model::Quorum{world.quorum.voters - 1, 0}.needs()}};
  step.ensures = {model::MemberIs{id, seat.name(), MemberState::Absent}};
  return step;
}

Loss loss_of(const World& world, const Seat& seat) {
  return model::loss_of(world.observed, world.desired, seat.wish == nullptr ? nullptr : seat.wish->member,
                        *seat.listed);
}

model::Step remove_learner(const World& world, const Seat& seat, std::string code, std::string text) {
  const base::MemberId id = seat.listed->listed.id;
  model::Step step = make_step(model::Remove{seat.listed->listed.name, id}, StepClass::Heal, kCluster,
                               reason_at(world, seat, std::move(code), std::move(text)));
  step.ensures = {model::MemberIs{id, seat.name(), MemberState::Absent}};
  return step;
}

model::Step start_learner(const World& world, const Seat& seat) {
  const Wish& wish = *seat.wish;
  const bool fenced = model::keeps_clients_out(world.observed, world.desired);
  model::Step step =
      make_step(model::WriteManifest{wish.member->name, wish.bundle, model::BootMode::Join, "", fenced},
                joining_class(world, seat), wish.member->node,
                reason_at(world, seat, "MemberNotStarted", "it is in the member list and has never started"));
  step.needs = {model::UrlsAre{wish.peer_urls, wish.member->name, MemberState::Learner},
                model::DataIs{wish.member->name, true}};
  step.ensures = {model::UrlsAre{wish.peer_urls, wish.member->name, MemberState::Started},
                  model::ManifestIs{wish.member->name, wish.bundle}};
  return step;
}

void removals_in_state(const World& world, Loss::State state, Proposals& proposals) {
  for (const Seat& seat : world.seats) {
    if (!seat.is_voter() || seat.up || !seat.wanted() || !seat.managed()) continue;
    const Loss loss = loss_of(world, seat);
    if (loss.state == state) proposals.push_back(removal_of_down(world, seat, loss));
  }
}

}  // namespace

void propose_condemned(const World& world, Proposals& proposals) {
  if (!world.observed.announced) return;
  for (const Seat& seat : world.seats) {
    if (!seat.is_voter()) continue;
    const base::MemberId id = seat.listed->listed.id;
    const auto& condemned = world.observed.announced->condemned;
    if (std::find(condemned.begin(), condemned.end(), id) == condemned.end()) continue;
    model::Step step = make_step(
        model::Remove{seat.listed->listed.name, id}, StepClass::Heal, kCluster,
        reason_at(world, seat, model::kCondemned, "its removal was announced, and may take effect at any time"));
    step.ensures = {model::MemberIs{id, seat.name(), MemberState::Absent}};
    proposals.push_back(leader_first(world, seat, std::move(step)));
  }
}

void propose_start_of_learner(const World& world, Proposals& proposals) {
  for (const Seat& seat : world.seats) {
    if (!seat.is_learner()) continue;
    if (seat.leaves()) {
      proposals.push_back(
          remove_learner(world, seat, "MemberDropped", "it was on its way in, and the file no longer wants it"));
      continue;
    }
    if (!seat.wanted() || !seat.managed()) continue;
    const bool started = !seat.listed->listed.name.empty();
    // It has no vote that it could forget: whether its agent remembers the data that are gone does not matter.
    const bool runs = seat.node == nullptr || !seat.node->process || seat.node->process->running;
    const bool away = lacks_data(seat) && seat.node->data->disk_away;
    const bool nothing = lacks_data(seat) && !away;
    // Before the others knew its name, what tells is that its ID has had a log here: it starts once.
    const bool begun = !started && nothing && seat.node->data->held == seat.listed->listed.id;
    const bool emptied = begun || (started && !seat.up && !runs && nothing);
    const Loss loss = loss_of(world, seat);
    // It had joined on what was there while its disk was away, and the disk is back; or its own is away now, and may
    // come back soon.
    const bool displaced =
        started && !seat.up && !runs && has_left_data(world, seat) && loss.state == Loss::State::Proven;
    const bool replaced = away && !seat.up && !runs && loss.state == Loss::State::Proven;
    const bool unusable =
        loss.state == Loss::State::Proven && (loss.code == "MemberDamaged" || loss.code == "MemberReverted");
    if (!base::same_texts(seat.listed->listed.peer_urls, seat.wish->peer_urls)) {
      // Learners are not updated: on many releases that makes them voters.
      proposals.push_back(
          remove_learner(world, seat, "PeerUrlChanged", "it was added with other peer URLs than the file says"));
    } else if (emptied) {
      proposals.push_back(remove_learner(world, seat, "MemberEmptied", "emptied while it was joining"));
    } else if (replaced) {
      proposals.push_back(remove_learner(world, seat, "MemberEmptied", loss.text));
    } else if (displaced) {
      proposals.push_back(remove_learner(world, seat, "MemberEmptied",
                                         "what it had joined with is gone: data of a removed member stand there"));
    } else if (loss.code == "MemberLost" || unusable) {
      proposals.push_back(remove_learner(world, seat, loss.code, loss.text));
    } else if (!started && has_left_data(world, seat)) {
      model::Step step =
          make_step(model::SetDataAside{seat.name()}, StepClass::Heal, seat.wish->member->node,
                    reason_at(world, seat, "DataLeftBehind", "data of a removed member stand where it starts"));
      step.ensures = {model::DataIs{seat.name(), true}};
      proposals.push_back(std::move(step));
    } else if (!started) {
      proposals.push_back(start_learner(world, seat));
    }
  }
}

void propose_removal_of_down(const World& world, Proposals& proposals) {
  for (const Seat& seat : world.seats) {
    if (!seat.is_voter() || seat.up) continue;
    const Loss loss = loss_of(world, seat);
    const bool proven = loss.state == Loss::State::Proven && (seat.leaves() || (seat.wanted() && seat.managed()));
    // A voter that the file gives up and that only has to be started is better removed than healed.
    if (seat.leaves() || proven) proposals.push_back(removal_of_down(world, seat, loss));
  }
}

void propose_coming_removal(const World& world, Proposals& proposals) {
  removals_in_state(world, Loss::State::Waiting, proposals);
}

void propose_held_removal(const World& world, Proposals& proposals) {
  removals_in_state(world, Loss::State::Unproven, proposals);
}

void propose_promotion(const World& world, Proposals& proposals) {
  for (const Seat& seat : world.seats) {
    if (!seat.is_learner() || !seat.wanted() || !seat.managed() || seat.listed->listed.name.empty()) continue;
    if (!base::same_texts(seat.listed->listed.peer_urls, seat.wish->peer_urls)) continue;
    const base::MemberId id = seat.listed->listed.planned ? base::MemberId{} : seat.listed->listed.id;
    model::Step step =
        make_step(model::Promote{seat.name(), id, seat.wish->peer_urls}, joining_class(world, seat), kCluster,
                  reason_at(world, seat, "LearnerJoined", "it has joined and does not vote yet"));
    step.needs = {model::AllVotersUp{}, model::UrlsAre{seat.wish->peer_urls, seat.name(), MemberState::InSync},
                  model::DataIs{seat.name(), false}};
    step.ensures = {model::UrlsAre{seat.wish->peer_urls, seat.name(), MemberState::Voter}};
    proposals.push_back(std::move(step));
  }
}

}  // namespace quorate::plan
