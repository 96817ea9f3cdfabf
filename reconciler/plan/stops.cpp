// The reasons to plan nothing at all: another cluster, no quorum, corruption, doubt about who is who, nobody to ask.
#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/model/quorum.h"
#include "reconciler/plan/notices.h"
#include "reconciler/plan/stages.h"

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
    if (seat.listed == nullptr || !seat.listed->status) continue;
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

// A member that answers and refuses reads may do so for another reason than a lost quorum.
std::string refusal_of_reads(const World& world) {
  for (const Seat& seat : world.seats) {
    if (seat.is_voter() && seat.listed->status && !seat.listed->serves) {
      return "; a read through " + seat.name() + ": " + seat.listed->serves.why();
    }
  }
  return "";
}

Stop without_quorum(const World& world, std::vector<Notice>& notices) {
  const model::Quorum& quorum = world.quorum;
  const std::string sum = std::to_string(quorum.voters) + " voters, " + std::to_string(quorum.up) + " up, needs " +
                          std::to_string(quorum.needs()) + refusal_of_reads(world);
  if (quorum.up >= quorum.needs()) {
    explain(notices, "NoQuorum", "the members do not agree on a leader (" + sum + "); nothing is changed without one",
            "look again in a few seconds; an election takes as long as etcd.election says");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
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
  std::vector<std::string> running;
  std::vector<std::string> unnamed;  // with an agent, and without an incarnation so far
  std::size_t founders = 0;
};

NodesSeen look_at_nodes(const World& world) {
  NodesSeen seen;
  for (const Seat& seat : world.seats) {
    if (!seat.is_founder()) continue;
    ++seen.founders;
    if (seat.node != nullptr && seat.node->process && seat.node->process->running) seen.running.push_back(seat.name());
    if (seat.node != nullptr && lacks_data(seat) && seat.node->incarnation && seat.node->incarnation->empty()) {
      seen.unnamed.push_back(seat.name());
    }
    if (seat.node == nullptr || !seat.node->data) {
      seen.silent.push_back(seat.name());
    } else if (seat.node->data->state == model::DataState::Valid) {
      seen.with_data.push_back(seat.name());
    } else if (has_data(seat) ||
               !seat.node->data->problem.empty()) {  // a disk that is not mounted is none without data
      seen.broken.push_back(seat.name());
    }
  }
  return seen;
}

// Some founders have started, too few to be a cluster, and the others keep to the same decision and have never run: the
// first formation goes on where it stopped. A node that is empty and has run before would vote with amnesia.
bool half_formed(const World& world, const NodesSeen& seen) {
  if (world.observed.applied || world.observed.formed ||
      static_cast<int>(seen.with_data.size()) >= model::quorum(static_cast<int>(seen.founders))) {
    return false;
  }
  const std::string decision = decision_of(world);
  return std::all_of(world.seats.begin(), world.seats.end(), [&](const Seat& seat) {
    if (!seat.is_founder()) return true;
    const bool has_run = lacks_data(seat) && seat.node->data->state != model::DataState::Fresh;
    return !has_run && has_promised(seat, decision);
  });
}

bool may_form(const World& world) {
  return world.desired.if_no_cluster == model::IfNoCluster::New ||
         world.desired.if_no_cluster == model::IfNoCluster::RestoreOrNew;
}

// A founder that the file has dropped since may have started, and be a cluster with others that were dropped.
std::optional<Stop> stop_for_founders_not_asked(const World& world, std::vector<Notice>& notices) {
  std::vector<std::string> not_asked;
  for (const Seat& seat : world.seats) {
    if (seat.node == nullptr) continue;
    for (const std::string& name : seat.node->promised_with) {
      const bool listed = std::any_of(world.seats.begin(), world.seats.end(),
                                      [&](const Seat& each) { return each.wish != nullptr && each.name() == name; });
      if (!listed && std::find(not_asked.begin(), not_asked.end(), name) == not_asked.end()) not_asked.push_back(name);
    }
  }
  if (not_asked.empty()) return std::nullopt;
  explain(
      notices, "NotObserved",
      "a formation was begun together with " + base::joined(not_asked, ", ") +
          ", which the file no longer lists: they may have formed a cluster",
      "list them again until it is known that they have not started, or raise generation once they are off for good");
  return Stop{PlanStatus::NeedsHuman, ExitCode::Refused};
}

// Proof that there is a cluster, or has been one, and that a new one would be a second.
std::optional<Stop> stop_for_another(const World& world, const NodesSeen& seen, std::vector<Notice>& notices) {
  const bool forming = may_form(world) && half_formed(world, seen);
  if (!seen.running.empty() && seen.with_data.empty() && !forming) {
    explain(notices, "NotObserved",
            "etcd runs on the nodes of " + base::joined(seen.running, ", ") + " and does not answer",
            "look again when it does, or see its log; nothing is formed beside it");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  if (!seen.with_data.empty() && !forming) {
    explain(notices, "NoQuorum",
            "no member answers, and there are data on " + base::joined(seen.with_data, ", ") +
                ": the cluster exists and is down",
            "start those members; a quorum of them restores the service, nothing has to be formed or restored");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  std::vector<std::string> not_asked;
  for (const std::string& name :
       world.observed.applied ? world.observed.applied->members : std::vector<std::string>{}) {
    const bool listed =
        std::any_of(world.seats.begin(), world.seats.end(), [&](const Seat& seat) { return seat.name() == name; });
    if (!listed) not_asked.push_back(name);
  }
  if (!not_asked.empty()) {
    explain(
        notices, "NotObserved",
        "no member of the file answers, and " + base::joined(not_asked, ", ") + " of the file before were not asked",
        "name where they answer: --endpoints");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  const bool existed = world.observed.applied || world.observed.formed;
  if (existed || world.observed.last_backup) {
    explain(notices, "DataLost",
            std::string("all nodes are empty, and ") +
                (existed ? "the cluster has existed" : "a backup of the cluster exists") +
                ": its data are gone from every node",
            "restore a backup; a new, empty cluster in its place takes a higher generation");
    return Stop{};
  }
  return std::nullopt;
}

Stop nothing_allowed(const World& world, std::vector<Notice>& notices) {
  const bool restore = world.desired.if_no_cluster == model::IfNoCluster::Restore;
  explain(notices, "ClusterMissing", "there is no cluster: all nodes answer, and none holds data",
          restore ? "bootstrap.ifNoCluster: restore waits for a backup, and no store is named"
                  : "to form a new, empty one write  bootstrap: {ifNoCluster: new}");
  return {PlanStatus::NeedsHuman, ExitCode::NeedsApproval};
}

// Neither a member of the file by name and address, nor one that was ours, nor a node with its data: whoever answers
// there may be anybody's cluster, with members that happen to be called the same.
bool is_stranger(const World& world) {
  const base::ClusterId cluster = world.observed.membership->cluster;
  if (world.desired.adopt) return false;  // compared by ID
  if (world.observed.applied && world.observed.applied->cluster.value != 0) {
    return world.observed.applied->cluster != cluster;
  }
  return std::none_of(world.seats.begin(), world.seats.end(), [&](const Seat& seat) {
    if (seat.listed == nullptr) return has_left_data(world, seat);
    if (seat.dropped) return true;
    if (seat.wish == nullptr) return false;
    const auto& known = seat.listed->listed.peer_urls;
    const bool address = std::any_of(known.begin(), known.end(), [&](const std::string& url) {
      return std::find(seat.wish->peer_urls.begin(), seat.wish->peer_urls.end(), url) != seat.wish->peer_urls.end();
    });
    const bool data = has_data(seat) && seat.node->data->cluster == cluster;
    const bool ours = world.observed.applied &&
                      std::find(world.observed.applied->members.begin(), world.observed.applied->members.end(),
                                seat.name()) != world.observed.applied->members.end();
    return address || data || ours;
  });
}

const Seat* with_data_of_others(const World& world) {
  for (const Seat& seat : world.seats) {
    if (seat.is_voter() && seat.wanted() && seat.managed() && seat.up && has_data(seat) &&
        seat.node->data->state == model::DataState::Foreign)
      return &seat;
  }
  return nullptr;
}

std::optional<Stop> stop_for_other_cluster(const World& world, std::vector<Notice>& notices) {
  const auto& adopt = world.desired.adopt;
  const base::ClusterId cluster = world.observed.membership->cluster;
  if (adopt && adopt->cluster != cluster) {
    explain(
        notices, "OtherCluster",
        "cluster " + base::to_string(cluster) + " answers, and adopt.clusterId is " + base::to_string(adopt->cluster),
        "check the endpoints; nothing is planned for a cluster that the file does not mean");
    return Stop{};
  }
  if (is_stranger(world)) {
    explain(notices, "OtherCluster",
            "cluster " + base::to_string(cluster) +
                " answers, and nothing shows that it is the one of the file: no member has both the name and a peer "
                "URL that the file says",
            "check the endpoints; to take this cluster over write  adopt: {clusterId: \"" + base::to_string(cluster) +
                "\", ...}");
    return Stop{};
  }
  if (const Seat* seat = with_data_of_others(world)) {
    explain(notices, "OtherCluster",
            "cluster " + base::to_string(cluster) + " answers, and the node of its member " + seat->name() +
                " holds the data of another: " + seat->node->data->problem,
            "check the endpoints; nothing is planned before it is clear which cluster is meant");
    return Stop{};
  }
  return std::nullopt;
}

// The nodes say themselves that they have lost what they held, and too few are left to ever be a quorum again.
std::optional<Stop> stop_for_lost_majority(const World& world, std::vector<Notice>& notices) {
  std::vector<std::string> voters;
  if (world.observed.applied) {
    voters = world.observed.applied->members;
  } else if (world.observed.formed) {
    voters = world.observed.formed->members;
  }
  std::vector<std::string> lost;
  for (const Seat& seat : world.seats) {
    const bool votes = std::find(voters.begin(), voters.end(), seat.name()) != voters.end();
    if (!votes || seat.node == nullptr || !seat.node->data) continue;
    if (seat.node->process && seat.node->process->running) continue;
    const model::DataState state = seat.node->data->state;
    if (lacks_data(seat) || state == model::DataState::Damaged || state == model::DataState::Reverted) {
      lost.push_back(seat.name());
    }
  }
  const int all = static_cast<int>(voters.size());
  const bool some_left = lost.size() < voters.size();
  if (!some_left || static_cast<int>(lost.size()) <= all - model::quorum(all)) return std::nullopt;
  explain(notices, "NoQuorum",
          "quorum is lost for good: of " + std::to_string(all) + " voters " + base::joined(lost, ", ") +
              " have lost their data",
          "keep every data directory as it is: what survives is where a recovery starts");
  return Stop{PlanStatus::NeedsHuman, ExitCode::Refused};
}

}  // namespace

std::optional<Stop> stop_for(const World& world, std::vector<Notice>& notices) {
  if (auto stop = stop_for_other_cluster(world, notices)) return stop;
  if (is_corrupt(world)) {
    explain(notices, "Corrupt",
            "a CORRUPT alarm stands: members disagree about the data, and every change could spread it",
            "compare the hashes of all members, keep all data directories, and replace the one that is outvoted");
    return Stop{};
  }
  if (!world.observed.membership->linearizable || world.leader.value == 0 || world.quorum.up < world.quorum.needs()) {
    return without_quorum(world, notices);
  }
  if (!world.observed.alarms) {
    explain(notices, "NotObserved", "nobody could ask for alarms: " + world.observed.alarms.why(),
            "a CORRUPT alarm stops every change, so nothing is planned before it is known that there is none");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
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
  if (auto stop = stop_for_lost_majority(world, notices)) return stop;
  const NodesSeen seen = look_at_nodes(world);
  // The first founders to start answer before they are a quorum; the others still have to start.
  const bool forming = seen.silent.empty() && seen.broken.empty() && may_form(world) && half_formed(world, seen);
  if (somebody_answers(world) && !forming) {
    explain(notices, "NotObserved", "the cluster answers, but not enough of it: " + world.observed.membership.why(),
            "ask more of its members: --endpoints");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  if (!seen.silent.empty()) return wait_for_nodes(world, notices, seen.silent);
  if (!seen.unnamed.empty()) {
    explain(notices, "NotObserved",
            "the agents of " + base::joined(seen.unnamed, ", ") + " have only begun to look at their nodes",
            "look again; an agent names the life of its disk before it promises anything");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  if (!seen.broken.empty()) {
    explain(notices, "DataUnusable",
            "no member answers, and the data of " + base::joined(seen.broken, ", ") + " cannot be used as they are",
            "keep every data directory as it is: what survives is where a recovery starts");
    return Stop{};
  }
  if (auto stop = stop_for_founders_not_asked(world, notices)) return stop;
  if (auto stop = stop_for_another(world, seen, notices)) return stop;
  const bool foreign_hands = world.desired.adopt && world.desired.adopt->stage != model::AdoptStage::Done;
  const bool unmanaged = std::any_of(world.seats.begin(), world.seats.end(),
                                     [](const Seat& seat) { return seat.wish != nullptr && !seat.managed(); });
  if (foreign_hands || unmanaged) {
    explain(notices, "ClusterMissing", "the cluster that is to be adopted does not answer",
            "check adopt.endpoints; a cluster with members that are not ours is never formed from here");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  if (!may_form(world)) return nothing_allowed(world, notices);
  return std::nullopt;
}

}  // namespace quorate::plan
