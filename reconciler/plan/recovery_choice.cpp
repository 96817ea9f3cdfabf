// A store that does not answer is no empty store, a damaged backup is never replaced by an older one unasked.
#include "reconciler/plan/recovery_choice.h"

#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/model/rules.h"
#include "reconciler/plan/sources.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

using model::Decision;
using model::ExitCode;
using model::Notice;
using model::PlanStatus;

// While the cluster runs its revision grows, and the decision must stay the same meanwhile.
constexpr std::int64_t kRevisionStep = 100'000'000;

struct Given {  // up
  std::int64_t generation = 1;
  bool ordered = false;
  std::vector<model::Abandoned> before;  // in this generation
};

std::int64_t recorded_generation(const World& world, const model::Voters* voters) {
  std::int64_t recorded = voters == nullptr ? 0 : voters->generation;
  if (world.observed.formed) recorded = std::max(recorded, world.observed.formed->generation);
  return recorded;
}

Given generation_of(const World& world, const model::Voters* voters, const std::string& asked) {
  const std::int64_t recorded = recorded_generation(world, voters);
  Given given;
  given.ordered = !asked.empty() && world.desired.generation > recorded;
  // Where nobody remembers those before it, people may: of one that was begun before only the store would know.
  given.generation = given.ordered ? world.desired.generation : std::max(recorded + 1, world.desired.generation);
  std::vector<model::Abandoned> all;
  for (const model::NodeFacts& node : world.observed.nodes) {
    if (!node.standing) continue;
    for (const model::Abandoned& each : node.standing->abandoned) {
      all.push_back(each);
      if (!given.ordered) given.generation = std::max(given.generation, each.generation);
    }
  }
  for (const model::Abandoned& each : all) {
    if (each.generation == given.generation) given.before.push_back(each);
  }
  return given;
}

bool has_failed(const Given& given, const std::string& name) {
  return std::any_of(given.before.begin(), given.before.end(),
                     [&](const model::Abandoned& each) { return each.seed == name; });
}

void halt(Recovery& recovery, Stop stop, std::string text, std::string help) {
  tell(recovery.notices, Notice::Level::Critical, "NoQuorum", std::move(text), std::move(help));
  recovery.stop = stop;
}

Decision begin_decision(const World& world, const model::Voters* voters, const std::vector<Answer>& answers,
                        const Given& given) {
  Decision decision;
  decision.generation = given.generation;
  decision.attempt = static_cast<int>(given.before.size()) + 1;
  for (const Answer& each : answers) {
    if (each.says == Says::Lost) continue;
    const Seat* seat = seat_of(world, each.name);
    const model::NodeFacts* node = model::node_of(world.observed, each.name);
    decision.founders.push_back({each.name, seat->wish->peer_urls, node->incarnation ? *node->incarnation : ""});
  }
  decision.after = lineage(world, voters);
  decision.above = highest_revision(world);
  return decision;
}

void decide(const World& world, Decision decision, Recovery& recovery) {
  decision.id = model::digest_of(decision, world.desired.name, world.desired.etcd.token);
  recovery.decision = std::move(decision);
}

// ------------------------------------------------------------------------------------------------------ from a backup
// False: nobody knows what is in the store, and that is said.
bool knows_store(const World& world, const std::string& what, Recovery& recovery) {
  const auto& restorable = world.observed.restorable;
  if (restorable) return true;
  const bool failed = restorable.at() != base::Time{};
  halt(recovery,
       failed ? Stop{PlanStatus::NeedsHuman, ExitCode::NoStore} : Stop{PlanStatus::NeedsObservation, ExitCode::Unknown},
       what + ", and nobody can say what is in the store: " + restorable.why(),
       "it is asked again; a store that does not answer is never taken for an empty one");
  return false;
}

// The first by name that has not failed, one that people call lost only where nobody else is left: whoever does not
// hear it for a moment goes back on that word. Empty: nobody is left, and `why` says what was wrong with the last.
std::string seed_of(const World& world, const Given& given, const Decision& decision, std::string& why) {
  std::string called_lost;
  for (const model::Founder& each : decision.founders) {
    const model::NodeFacts* node = model::node_of(world.observed, each.member);
    const model::Unfit* unfit =
        node != nullptr && node->standing ? model::unfit_for(*node->standing, decision.source) : nullptr;
    if (unfit != nullptr) {
      why = "on " + each.member + ": " + unfit->why;
    } else if (has_failed(given, each.member)) {
      why = given.before.back().why;
    } else if (!is_declared_lost(world, newest_voters(world), each.member)) {
      return each.member;
    } else if (called_lost.empty()) {
      called_lost = each.member;
    }
  }
  return called_lost;
}

std::string next_best(const std::vector<Source>& all, const Source& bad) {
  for (const Source& each : all) {
    if (each.backup != nullptr && each.backup != bad.backup && each.backup->damage.empty()) {
      return "the next one is " + each.backup->name + ", revision " + std::to_string(each.revision) +
             "; to take it write  recovery: {restore: " + each.backup->name + "}  with a higher generation";
    }
  }
  return "there is no other one";
}

// It would come up with an alarm, and the first thing that it refuses is a write.
void tell_of_quota(const World& world, const model::Restorable& backup, Recovery& recovery) {
  const auto quota = static_cast<std::uint64_t>(model::quota_of(world.desired));
  if (backup.size < quota) return;
  const auto words = [](std::uint64_t bytes) { return base::to_string(base::Size{bytes >> 20U << 20U}); };
  tell(recovery.notices, Notice::Level::Warning, "NoSpace",
       "backup " + backup.name + " is a database of " + words(backup.size) + ", and etcd.quota is " + words(quota) +
           ": what is restored takes no writes, unless defragmenting it makes room",
       "raise etcd.quota in the file before");
}

// Of a cluster that is gone nobody can ask whether its users were other ones.
void tell_of_users(const model::Restorable& backup, Recovery& recovery) {
  if (!backup.auth) return;
  tell(recovery.notices, Notice::Level::Info, "UsersRestored",
       "authentication is on in backup " + backup.name + ": clients need the users, passwords and roles of " +
           base::to_string(backup.at),
       "");
}

// Between that backup and the stop clients go on writing.
void tell_what_is_kept(const World& world, Recovery& recovery) {
  const bool backed_up = world.wanted.store;
  tell(recovery.notices, Notice::Level::Info, "RestoreOrdered",
       std::string(backed_up ? "the cluster is backed up before it stops"
                             : "no backup is made before the cluster stops") +
           "; what is written " + (backed_up ? "after that" : "until then") +
           " is in the directories that every node sets aside, and nowhere else",
       "they are kept for storage.keepOldData, " + base::to_string(world.desired.keep_old_data) +
           "; stop the writers first where each write counts");
}

void tell_of_release(const World& world, const model::Restorable& backup, Recovery& recovery) {
  const auto written = base::parse_version(backup.etcd_version);
  const auto& runs = world.desired.etcd.version;
  if (!written || !runs || written->minor <= runs->minor) return;
  tell(recovery.notices, Notice::Level::Warning, "BackupNewerThanEtcd",
       "backup " + backup.name + " was written by etcd " + backup.etcd_version + ", and etcd.version is " +
           base::to_string(*runs) + ": an older etcd may refuse what a newer one has written",
       "try it out before with  quorate backup verify --how restore, or set etcd.version to that of the backup");
}

void restore_from(const World& world, const model::Voters* voters, const std::vector<Answer>& answers,
                  const Given& given, const Source& source, const std::vector<Source>& all, Recovery& recovery) {
  Decision decision = begin_decision(world, voters, answers, given);
  decision.kind = model::DecisionKind::Restore;
  decision.source = name_of(world, source);
  decision.backup = model::ChosenBackup{source.backup->name, source.backup->sha256, source.revision};
  decision.deliberate = world.observed.membership.is_known();
  if (decision.deliberate) decision.above = (decision.above / kRevisionStep + 1) * kRevisionStep;
  if (decision.after.empty() && source.backup->cluster.value != 0) decision.after = {source.backup->cluster};
  std::string why = source.backup->damage;
  if (why.empty()) decision.seed = seed_of(world, given, decision, why);
  if (decision.seed.empty()) {
    const bool tried = !given.before.empty();
    return halt(
        recovery, Stop{PlanStatus::NeedsHuman, tried ? ExitCode::Failed : ExitCode::BadBackup},
        "backup " + source.backup->name + (tried ? " could not be restored: " : " cannot be restored: ") + why,
        (tried ? "everything is as it was before; see to the reason, then order it again with a higher generation; "
               : "nothing was changed; ") +
            next_best(all, source));
  }
  recovery.ordered = given.ordered;
  decide(world, std::move(decision), recovery);
  if (recovery.stop) return;
  tell_of_quota(world, *source.backup, recovery);
  tell_of_release(world, *source.backup, recovery);
  tell_of_users(*source.backup, recovery);
}

std::string to_agree(const Given& given, const std::string& field) {
  return given.ordered
             ? ""
             : "agree on each node, quorate approve PLAN, or write  generation: " + std::to_string(given.generation) +
                   "  and  recovery: {" + field + "}";
}

// Too old to be taken unasked.
bool is_stale(const World& world, const model::Restorable& backup) {
  const base::Duration most = world.desired.restore_max_age;
  return most.count() > 0 && world.observed.at - backup.at > most;
}

// ------------------------------------------------------------------------------------------------------ from survivors
void recover_from(const World& world, const model::Voters& voters, const std::vector<Answer>& answers,
                  const std::string& what, const Given& given, const Source& source, Recovery& recovery) {
  if (has_failed(given, source.survivor)) {
    return halt(
        recovery, Stop{},
        what + ", and going on with the data of " + source.survivor + " has failed: " + given.before.back().why,
        "everything is as it was before; see to the reason, then raise generation with recovery.survivor in the file");
  }
  Decision decision = begin_decision(world, &voters, answers, given);
  decision.kind = model::DecisionKind::Recover;
  decision.source = name_of(world, source);
  decision.seed = source.survivor;
  recovery.ordered = given.ordered;
  decide(world, std::move(decision), recovery);
}

const Source* of_survivor(const std::vector<Source>& sources, const std::string& name) {
  const auto found =
      std::find_if(sources.begin(), sources.end(), [&](const Source& each) { return each.survivor == name; });
  return found == sources.end() ? nullptr : &*found;
}

std::string names_of(const std::vector<Source>& sources) {
  std::vector<std::string> names;
  for (const Source& each : sources) names.push_back(each.survivor);
  return base::joined(names, ", ");
}

// Null: it cannot be told, and that is said.
const Source* furthest(const World& world, const std::string& what, const std::vector<Source>& left,
                       const std::vector<Source>& stored, Recovery& recovery) {
  if (left.empty()) return &stored.front();
  if (stored.empty()) return &left.front();
  switch (reaches_further(world, stored.front(), left.front())) {
    case Further::No:
      return &left.front();
    case Further::Yes:
      return &stored.front();
    case Further::Unknown:
      break;
  }
  halt(recovery, Stop{},
       what + ", and nobody can tell whether backup " + stored.front().backup->name + " or the data of " +
           left.front().survivor + " reach further",
       "say which with a higher generation: recovery: {survivor: " + left.front().survivor +
           "}  or  recovery: {restore: " + stored.front().backup->name + "}");
  return nullptr;
}

}  // namespace

bool is_restore_ordered(const World& world, const model::Voters* voters) {
  return !world.desired.recovery.restore.empty() && world.desired.generation > recorded_generation(world, voters);
}

void choose_ordered_restore(const World& world, const model::Voters* voters, std::vector<Answer> answers,
                            Recovery& recovery) {
  const std::string& named = world.desired.recovery.restore;
  const std::string what = "a restore from " + named + " is ordered";
  // Who has never voted has nothing to lose, and nothing that anybody could ask for. One without its disk could not
  // give way.
  for (Answer& each : answers) {
    const model::NodeFacts* node = model::node_of(world.observed, each.name);
    const bool away = node != nullptr && node->data && node->data->disk_away;
    if (each.says == Says::Unsure && !each.votes && !away) each.says = Says::Gone;
  }
  recovery.stop = blocked(answers, what, recovery.notices);
  if (recovery.stop || !knows_store(world, what, recovery)) return;
  if (named == "latest" && world.observed.membership) {
    return halt(recovery, Stop{}, what + ", and the cluster runs: its latest backup is what it holds now",
                "name the backup: quorate backup list");
  }
  const bool from_elsewhere = !world.desired.recovery.from.empty();
  const std::vector<Source> stored = from_elsewhere ? backups_of_anybody(world) : backups(world, voters);
  const model::Restorable* backup = named_backup(world, stored, named);
  if (backup == nullptr) {
    return halt(recovery, Stop{PlanStatus::NeedsHuman, ExitCode::NoBackup},
                what + ", and the store holds no such backup, or several that begin so",
                "nothing was changed; quorate backup list shows what is there");
  }
  const Source source{"", backup, backup->term, backup->index, backup->revision};
  restore_from(world, voters, answers, generation_of(world, voters, named), source, stored, recovery);
  if (recovery.stop) return;
  tell(recovery.notices, Notice::Level::Critical, "RestoreOrdered", what, "");
  if (recovery.decision->deliberate) tell_what_is_kept(world, recovery);
  std::vector<Source> sources = survivors(world, answers);
  sources.push_back(source);
  show_sources(world, sources, source, recovery.notices);
}

void choose_after_loss(const World& world, const model::Voters& voters, const std::vector<Answer>& answers,
                       const std::string& what, Recovery& recovery) {
  const std::vector<Source> left = survivors(world, answers);
  const std::string& named = world.desired.recovery.survivor;
  const Given given = generation_of(world, &voters, named);
  if (given.ordered && of_survivor(left, named) == nullptr) {
    return halt(recovery, Stop{},
                what + ", and recovery.survivor names " + named + ", whose data cannot be gone on with",
                left.empty() ? "no data have survived" : "those of " + names_of(left) + " can");
  }
  // Where nothing is lost no backup reaches further.
  const bool asks_store = world.desired.backup && !given.ordered && is_lost_for_good(answers);
  if (asks_store && !knows_store(world, what, recovery)) return;
  const std::vector<Source> stored = asks_store ? backups(world, &voters) : std::vector<Source>{};
  if (left.empty() && stored.empty()) {
    if (!asks_store) return;
    return halt(recovery, Stop{PlanStatus::NeedsHuman, ExitCode::NoBackup},
                what + ", no data have survived, and the store holds no backup of this cluster",
                "name one of another cluster: recovery: {restore: NAME} with a higher generation");
  }
  const Source* chosen = given.ordered ? of_survivor(left, named) : furthest(world, what, left, stored, recovery);
  if (chosen == nullptr) return;
  if (chosen->backup == nullptr) {
    recover_from(world, voters, answers, what, given, *chosen, recovery);
  } else {
    restore_from(world, &voters, answers, given, *chosen, stored, recovery);
    recovery.stale = is_stale(world, *chosen->backup);
  }
  if (recovery.stop) return;
  tell(recovery.notices, Notice::Level::Critical, "NoQuorum", what,
       to_agree(given,
                chosen->backup == nullptr ? "survivor: " + chosen->survivor : "restore: " + chosen->backup->name));
  std::vector<Source> sources = left;
  sources.insert(sources.end(), stored.begin(), stored.end());
  show_sources(world, sources, *chosen, recovery.notices);
}

void choose_first_restore(const World& world, Recovery& recovery) {
  const model::IfNoCluster wanted = world.desired.if_no_cluster;
  const bool may_restore = wanted == model::IfNoCluster::Restore || wanted == model::IfNoCluster::RestoreOrNew;
  if (!may_restore || !world.desired.backup) return;
  const std::string what = "there is no cluster";
  if (!knows_store(world, what, recovery)) return;
  const std::vector<Source> stored = backups(world, nullptr);
  if (stored.empty()) {
    if (wanted == model::IfNoCluster::RestoreOrNew) return;
    return halt(recovery, Stop{PlanStatus::NeedsHuman, ExitCode::NoBackup}, what + ", and no backup in the store",
                "where there is nothing to restore write  bootstrap: {ifNoCluster: new}");
  }
  std::vector<Answer> answers;
  for (const Seat& seat : world.seats) {
    if (seat.is_founder()) answers.push_back({seat.name(), Says::Gone, false, {}, ""});
  }
  const Given given = generation_of(world, nullptr, "");
  restore_from(world, nullptr, answers, given, stored.front(), stored, recovery);
  if (recovery.stop) return;
  recovery.stale = is_stale(world, *stored.front().backup);
  tell(recovery.notices, Notice::Level::Critical, "ClusterMissing", what + ": it is restored from the store",
       recovery.stale ? "the backup is older than bootstrap.restoreMaxAge; " +
                            to_agree(given, "restore: " + stored.front().backup->name)
                      : "");
  show_sources(world, stored, stored.front(), recovery.notices);
}

}  // namespace quorate::plan
