// The reasons to plan nothing at all: another cluster, no quorum, corruption, doubt about who is who, nobody to ask.
#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/plan/notices.h"

namespace quorate::plan {
namespace {

using model::ExitCode;
using model::Notice;
using model::PlanStatus;

void explain(std::vector<Notice>& notices, std::string code, std::string text, std::string help) {
  Notice notice;
  notice.code = std::move(code);
  notice.object = "cluster";
  notice.level = Notice::Level::Critical;
  notice.text = std::move(text);
  notice.help = std::move(help);
  notices.insert(notices.begin(), std::move(notice));
}

bool is_corrupt(const World& world) {
  return world.observed.alarms &&
         std::any_of(world.observed.alarms->begin(), world.observed.alarms->end(),
                     [](const model::Alarm& alarm) { return alarm.kind == model::AlarmKind::Corrupt; });
}

const Seat* declared_lost_but_up(const World& world) {
  for (const Seat& seat : world.seats) {
    if (!seat.up || !seat.is_voter()) continue;
    const base::MemberId id = seat.listed->listed.id;
    const auto& lost = world.desired.lost;
    if (std::find(lost.begin(), lost.end(), id) != lost.end()) return &seat;
    if (seat.wish != nullptr && seat.wish->member->lost && seat.wish->member->lost->id == id) return &seat;
  }
  return nullptr;
}

// Voters whose loss is proven; the others that are down may come back.
int proven_lost(const World& world) {
  return static_cast<int>(std::count_if(world.seats.begin(), world.seats.end(), [&](const Seat& seat) {
    return seat.is_voter() && !seat.up &&
           model::loss_of(world.observed, world.desired, seat.wish == nullptr ? nullptr : seat.wish->member,
                          *seat.listed)
                   .state == model::Loss::State::Proven;
  }));
}

Stop without_quorum(const World& world, std::vector<Notice>& notices) {
  const model::Quorum& quorum = world.quorum;
  const std::string sum = std::to_string(quorum.voters) + " voters, " + std::to_string(quorum.up) + " up, needs " +
                          std::to_string(quorum.needs());
  const bool for_good = proven_lost(world) > quorum.voters - quorum.needs();
  explain(
      notices, "NoQuorum",
      for_good ? "quorum is lost for good: " + sum
               : "the cluster has no quorum: " + sum + "; nothing is changed without one",
      for_good
          ? "keep every data directory as it is: what survives is where a recovery starts"
          : "start the members that are down; their data directories are enough to go on, nothing has to be removed");
  return for_good ? Stop{PlanStatus::NeedsHuman, ExitCode::Refused}
                  : Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
}

Stop wait_for_nodes(const World& world, std::vector<Notice>& notices, const std::vector<std::string>& silent) {
  explain(notices, "NotObserved",
          "no member answers (" + world.observed.membership.why() + "), and nobody can say what is on the nodes of " +
              base::joined(silent, ", "),
          "look again when they answer: a node that is silent may be alive behind a partition");
  return {PlanStatus::NeedsObservation, ExitCode::Unknown};
}

bool somebody_answers(const World& world) {
  return std::any_of(world.observed.endpoints.begin(), world.observed.endpoints.end(),
                     [](const model::EndpointAnswer& each) { return each.cluster.is_known(); });
}

struct NodesSeen {
  std::vector<std::string> silent;
  std::vector<std::string> with_data;
  std::vector<std::string> broken;
  std::size_t founders = 0;
};

NodesSeen look_at_nodes(const World& world) {
  NodesSeen seen;
  for (const Seat& seat : world.seats) {
    if (seat.wish == nullptr) continue;
    ++seen.founders;
    if (seat.node == nullptr || !seat.node->data) {
      seen.silent.push_back(seat.name());
    } else if (seat.node->data->state == model::DataState::Valid) {
      seen.with_data.push_back(seat.name());
    } else if (has_data(seat)) {
      seen.broken.push_back(seat.name());
    }
  }
  return seen;
}

// Some founders have started and the others have promised: the first formation goes on where it stopped.
bool half_formed(const World& world) {
  std::string decision;
  for (const Seat& seat : world.seats) {
    if (seat.wish == nullptr) continue;
    if (seat.node == nullptr || !seat.node->promised || seat.node->promised->empty()) return false;
    if (!decision.empty() && decision != *seat.node->promised) return false;
    decision = *seat.node->promised;
  }
  return !decision.empty();
}

Stop nothing_allowed(const World& world, std::vector<Notice>& notices) {
  const bool restore = world.desired.if_no_cluster == model::IfNoCluster::Restore;
  explain(notices, "ClusterMissing", "there is no cluster: all nodes answer, and none holds data",
          restore ? "bootstrap.ifNoCluster: restore waits for a backup, and no store is named"
                  : "to form a new, empty one write  bootstrap: {ifNoCluster: new}");
  return {PlanStatus::NeedsHuman, ExitCode::NeedsApproval};
}

}  // namespace

std::optional<Stop> stop_for(const World& world, std::vector<Notice>& notices) {
  const auto& adopt = world.desired.adopt;
  const base::ClusterId cluster = world.observed.membership->cluster;
  if (adopt && adopt->cluster != cluster) {
    explain(
        notices, "OtherCluster",
        "cluster " + base::to_string(cluster) + " answers, and adopt.clusterId is " + base::to_string(adopt->cluster),
        "check the endpoints; nothing is planned for a cluster that the file does not mean");
    return Stop{};
  }
  if (is_corrupt(world)) {
    explain(notices, "Corrupt",
            "a CORRUPT alarm stands: members disagree about the data, and every change could spread it",
            "compare the hashes of all members, keep all data directories, and replace the one that is outvoted");
    return Stop{};
  }
  if (!world.observed.membership->linearizable || world.leader.value == 0 || world.quorum.up < world.quorum.needs()) {
    return without_quorum(world, notices);
  }
  if (const Seat* seat = declared_lost_but_up(world)) {
    explain(notices, "LostButUp", "the file says that " + seat->name() + " is gone for good, and it answers",
            "take lost out of the file, or power the node off first");
    return Stop{};
  }
  if (!world.ambiguous.empty()) {
    explain(notices, "AmbiguousMember", "two members of the cluster could be " + base::joined(world.ambiguous, ", "),
            "remove the wrong one by its ID: etcdctl member list, etcdctl member remove ID");
    return Stop{};
  }
  if (!world.renamed.empty()) {
    explain(notices, "NameForLife",
            "a member of another name has the peer URLs of " + base::joined(world.renamed, ", "),
            "a member keeps its name for life: use the old name, or give the new member an address of its own");
    return Stop{};
  }
  return std::nullopt;
}

std::optional<Stop> stop_before_bootstrap(const World& world, std::vector<Notice>& notices) {
  if (somebody_answers(world)) {
    explain(notices, "NotObserved", "the cluster answers, but not enough of it: " + world.observed.membership.why(),
            "ask more of its members: --endpoints");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  const NodesSeen seen = look_at_nodes(world);
  if (!seen.silent.empty()) return wait_for_nodes(world, notices, seen.silent);
  if (!seen.broken.empty()) {
    explain(notices, "DataUnusable",
            "no member answers, and the data of " + base::joined(seen.broken, ", ") + " cannot be used as they are",
            "keep every data directory as it is: what survives is where a recovery starts");
    return Stop{};
  }
  if (seen.with_data.size() == seen.founders || (!seen.with_data.empty() && !half_formed(world))) {
    explain(
        notices, "NoQuorum",
        "no member answers, and " + base::joined(seen.with_data, ", ") + " hold data: the cluster exists and is down",
        "start those members; a quorum of them restores the service, nothing has to be formed or restored");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  if (world.observed.applied) {
    explain(notices, "DataLost", "all nodes are empty, and the cluster has existed: its data are gone from every node",
            "restore a backup; a new, empty cluster in its place takes a higher generation");
    return Stop{};
  }
  const bool foreign_hands = world.desired.adopt && world.desired.adopt->stage != model::AdoptStage::Done;
  const bool unmanaged = std::any_of(world.seats.begin(), world.seats.end(),
                                     [](const Seat& seat) { return seat.wish != nullptr && !seat.managed(); });
  if (foreign_hands || unmanaged) {
    explain(notices, "ClusterMissing", "the cluster that is to be adopted does not answer",
            "check adopt.endpoints; a cluster with members that are not ours is never formed from here");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  const bool allowed = world.desired.if_no_cluster == model::IfNoCluster::New ||
                       world.desired.if_no_cluster == model::IfNoCluster::RestoreOrNew;
  if (!allowed) return nothing_allowed(world, notices);
  return std::nullopt;
}

}  // namespace quorate::plan
