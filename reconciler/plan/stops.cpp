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
    return address || data || was_ours(world.observed, seat.name());
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

}  // namespace

void explain(std::vector<Notice>& notices, std::string code, std::string text, std::string help) {
  Notice notice;
  notice.code = std::move(code);
  notice.object = "cluster";
  notice.level = Notice::Level::Critical;
  notice.text = std::move(text);
  notice.help = std::move(help);
  notices.insert(notices.begin(), std::move(notice));
}

std::optional<Stop> stop_for(const World& world, std::vector<Notice>& notices) {
  if (auto stop = stop_for_other_cluster(world, notices)) return stop;
  if (is_corrupt(world)) {
    explain(notices, "Corrupt",
            "a CORRUPT alarm stands: members disagree about the data, and every change could spread it",
            "compare the hashes of all members, keep all data directories, and replace the one that is outvoted");
    return Stop{};
  }
  if (auto stop = stop_for_different_data(world, notices)) return stop;
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

}  // namespace quorate::plan
