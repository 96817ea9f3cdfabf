// The reasons to form no cluster where none answers: data somewhere, nodes that nobody hears, promises of others.
#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/model/quorum.h"
#include "reconciler/plan/asked.h"
#include "reconciler/plan/notices.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

using model::ExitCode;
using model::Notice;
using model::PlanStatus;

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

constexpr std::uint64_t kFirstTerm = 1;  // of what every log begins with, before anybody has led

struct NodesSeen {
  std::vector<std::string> silent;
  std::vector<std::string> with_data;
  std::vector<std::string> broken;
  std::vector<std::string> why_broken;
  std::vector<std::string> running;
  std::vector<std::string> unnamed;  // with an agent, and without an incarnation so far
  std::vector<std::string> lost;     // that have had a log, and have none
  std::vector<std::string> begun;    // that were to be started, hold nothing and run nothing: nobody knows if they ran
  std::size_t founders = 0;
  std::size_t to_start = 0;  // that have never run
  bool elected = false;      // a log has more in it than the members that it began with

  // Enough of those that can vote are left without them.
  bool can_do_without_lost() const {
    return static_cast<int>(founders - lost.size()) >= model::quorum(static_cast<int>(founders));
  }
  // A write that was acknowledged is in the logs of a quorum, behind the word of a leader: no log that is left has one,
  // and those that may be gone were too few.
  bool forgot_nothing() const {
    return !elected && static_cast<int>(lost.size() + begun.size()) < model::quorum(static_cast<int>(founders));
  }
};

NodesSeen look_at_nodes(const World& world) {
  NodesSeen seen;
  for (const Seat& seat : world.seats) {
    if (!seat.is_founder()) continue;
    ++seen.founders;
    if (is_running(seat)) {
      seen.running.push_back(seat.name());
    } else if (never_ran(seat)) {
      ++seen.to_start;
    }
    if (seat.node != nullptr && lacks_data(seat) && seat.node->incarnation && seat.node->incarnation->empty()) {
      seen.unnamed.push_back(seat.name());
    }
    if (has_lost_log(seat)) {
      seen.lost.push_back(seat.name());
    } else if (lacks_data(seat) && !never_ran(seat) && !is_running(seat)) {
      seen.begun.push_back(seat.name());
    }
    if (seat.node == nullptr || !seat.node->data) {
      seen.silent.push_back(seat.name());
    } else if (seat.node->data->state == model::DataState::Valid) {
      seen.with_data.push_back(seat.name());
      seen.elected = seen.elected || seat.node->data->last_term > kFirstTerm;
    } else if (has_data(seat) ||
               !seat.node->data->problem.empty()) {  // a disk that is not mounted is none without data
      seen.broken.push_back(seat.name());
      if (!seat.node->data->problem.empty()) seen.why_broken.push_back(seat.node->data->problem);
    }
  }
  return seen;
}

// Who was lost by an ID has been in a cluster, and none of those that are left may remember it.
bool names_lost_voters(const World& world) {
  return !world.desired.lost.empty() ||
         std::any_of(world.desired.members.begin(), world.desired.members.end(),
                     [](const model::Member& each) { return each.lost && each.lost->id; });
}

// Some founders have started, and the others keep to the same decision and have never run: the first formation goes on
// where it stopped. A node that is empty and has run before would vote with amnesia: the cluster is formed without it,
// and replaces it then. Only where no log has been led by anybody nothing can have been forgotten: there one that runs
// has not come to its log yet, one whose agent died as it was to be started begins again, and the last founder need not
// wait for the election of a quorum.
bool half_formed(const World& world, const NodesSeen& seen) {
  if (world.observed.applied || world.observed.formed || !seen.can_do_without_lost()) return false;
  const std::string decision = decision_of(world);
  const bool agreed = std::all_of(world.seats.begin(), world.seats.end(), [&](const Seat& seat) {
    if (!seat.is_founder()) return true;
    const bool begins = is_running(seat) ? !seen.elected : seen.forgot_nothing();
    const bool has_run = lacks_data(seat) && !never_ran(seat) && !has_lost_log(seat) && !begins;
    return !has_run && has_promised(seat, decision);
  });
  const bool too_few = static_cast<int>(seen.with_data.size()) < model::quorum(static_cast<int>(seen.founders));
  const bool last_ones = seen.to_start > 0 && !seen.elected && world.desired.if_no_cluster == model::IfNoCluster::New &&
                         !names_lost_voters(world);
  return agreed && (too_few || last_ones);
}

// A new one, or one from the store: what that holds decides then.
bool may_form(const World& world) {
  const model::IfNoCluster wanted = world.desired.if_no_cluster;
  if (wanted == model::IfNoCluster::Restore) return world.desired.backup.has_value();
  return wanted != model::IfNoCluster::Wait;
}

// What is in the store may be all that is left of the cluster, also where the file asks for a new one.
std::optional<Stop> stop_for_store(const World& world, std::vector<Notice>& notices) {
  if (!world.desired.backup || world.desired.if_no_cluster != model::IfNoCluster::New) return std::nullopt;
  const auto& restorable = world.observed.restorable;
  if (!restorable) {
    const bool failed = restorable.at() != base::Time{};
    explain(notices, "ClusterMissing",
            "there is no cluster, and nobody can say what is in the store: " + restorable.why(),
            "it is asked again; a store that does not answer is never taken for an empty one");
    return failed ? Stop{PlanStatus::NeedsHuman, ExitCode::NoStore}
                  : Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  if (restorable->empty()) return std::nullopt;
  explain(notices, "ClusterMissing",
          "there is no cluster, and the store holds " + std::to_string(restorable->size()) +
              " backups: a new, empty cluster would take the place of what is in them",
          "to restore the newest write  bootstrap: {ifNoCluster: restore}; for a new cluster name another folder in "
          "backup.to");
  return Stop{};
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

// The agents of the members that the cluster had ask where the file says, and there nobody has ever been in it.
std::optional<Stop> stop_for_other_members(const World& world, std::vector<Notice>& notices) {
  if (!world.observed.applied || world.observed.applied->members.empty()) return std::nullopt;
  const auto& before = world.observed.applied->members;
  const bool keeps = std::any_of(world.seats.begin(), world.seats.end(), [&](const Seat& seat) {
    return std::find(before.begin(), before.end(), seat.name()) != before.end();
  });
  if (keeps) return std::nullopt;
  notices.insert(notices.begin(), nobody_acts(before));
  return Stop{};
}

// A founder that was started once keeps to its decision, and starts no second time once it has had a log. Where that
// leaves too few, or the others have to promise anew, the attempt is over.
std::optional<Stop> stop_for_failed_attempt(const World& world, const NodesSeen& seen, std::vector<Notice>& notices) {
  if (world.observed.applied || world.observed.formed || world.observed.last_backup || !seen.running.empty()) {
    return std::nullopt;
  }
  const std::string decision = decision_of(world);
  std::vector<std::string> bound;
  for (const Seat& seat : world.seats) {
    const bool started = seat.is_founder() && lacks_data(seat) && seat.node->promised &&
                         seat.node->data->state == model::DataState::Empty;
    if (started && !has_promised(seat, decision)) bound.push_back(seat.name());
  }
  if (bound.empty() && seen.can_do_without_lost()) return std::nullopt;
  const std::string why =
      seen.lost.empty() ? base::joined(bound, ", ") + " cannot promise another decision than the one of their start"
                        : base::joined(seen.lost, ", ") + " began a log, and it is gone";
  explain(notices, "FormationFailed", "the first formation of this cluster cannot be completed: " + why,
          "raise generation, and all founders begin anew" +
              (seen.with_data.empty() ? ""
                                      : "; what " + base::joined(seen.with_data, ", ") +
                                            " holds was never a cluster's: move it away by hand before that"));
  return Stop{};
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
        "name where they answer: --endpoints. Agents ask the members of the file alone: keep one that lives in it "
        "until "
        "the others have joined");
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  }
  const bool existed = world.observed.applied || world.observed.formed || names_lost_voters(world);
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
    if (is_running(seat)) continue;
    if (seat.node->data->disk_away) continue;
    if (is_spent(*seat.node->data)) lost.push_back(seat.name());
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

std::optional<Stop> stop_before_bootstrap(const World& world, std::vector<Notice>& notices) {
  if (auto stop = stop_for_other_members(world, notices)) return stop;
  if (auto stop = stop_for_lost_majority(world, notices)) return stop;
  const NodesSeen seen = look_at_nodes(world);
  // The first founders to start answer before they are a quorum; the others still have to start.
  const bool forming = seen.silent.empty() && seen.broken.empty() && may_form(world) && half_formed(world, seen);
  const bool unmounted = !seen.why_broken.empty();
  if (somebody_answers(world) && !forming && !unmounted) {
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
            "no member answers, and the data of " + base::joined(seen.broken, ", ") + " cannot be used as they are" +
                (seen.why_broken.empty() ? "" : ": " + base::joined(seen.why_broken, "; ")),
            "keep every data directory as it is: what survives is where a recovery starts");
    return Stop{};
  }
  if (auto stop = stop_for_founders_not_asked(world, notices)) return stop;
  if (auto stop = stop_for_failed_attempt(world, seen, notices)) return stop;
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
  return stop_for_store(world, notices);
}

}  // namespace quorate::plan
