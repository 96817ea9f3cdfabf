// Times are compared with the moment of the observation: no clock is asked.
#include "reconciler/plan/backup.h"

#include <algorithm>
#include <utility>

#include "reconciler/plan/notices.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

using model::BackupPolicy;
using model::BackupsSeen;
using model::Notice;

// A backup that is older does not count as taken before this change.
constexpr base::Duration kBackupCovers = std::chrono::minutes{10};
// What is written after it is lost with a restore; but a backup of a large database takes its time.
constexpr base::Duration kCoversRestore = std::chrono::hours{1};

// A cluster that runs is backed up before another state takes its place, while it is still whole. Null: it does not.
const model::Decision* begun_restore(const model::Observed& observed, const model::Step& step) {
  const auto* promise = std::get_if<model::Promise>(&step.action);
  if (promise == nullptr || !promise->gives_way || !promise->gives_way->deliberate) return nullptr;
  const bool promised = std::any_of(observed.nodes.begin(), observed.nodes.end(), [](const model::NodeFacts& node) {
    return node.standing && node.standing->pledge;
  });
  return promised ? nullptr : &*promise->gives_way;
}

bool is_fresh(base::Time last, base::Time now, base::Duration covers) {
  return now - last < covers && !model::is_ahead(last, now);
}

// Made since the order: one from before it may lack what was written until people saw that they have to go back.
bool covers_restore(const model::Observed& observed, const model::Decision& decision) {
  const auto& last = observed.last_backup;
  const model::NodeFacts* seed = model::node_of(observed, decision.seed);
  const bool since = last && seed != nullptr && seed->standing && *last > seed->standing->covered;
  return since && is_fresh(*last, observed.at, kCoversRestore);
}

bool is_put_off_for_nobody(const model::Observed& observed, const model::Step& step) {
  if (step.step_class == model::StepClass::Restore) return begun_restore(observed, step) == nullptr;
  if (step.step_class == model::StepClass::Heal) return true;
  if (std::holds_alternative<model::Backup>(step.action) || std::holds_alternative<model::Promote>(step.action)) {
    return true;
  }
  const auto* write = std::get_if<model::WriteManifest>(&step.action);
  return write != nullptr && write->boot != model::BootMode::Keep;
}

// Whether or not it worked: it is tried once. A clock that is far ahead of ours says nothing.
bool covers_what_follows(const model::Observed& observed, const model::NodeFacts& node) {
  if (!node.standing || !node.standing->spooled) return false;
  const base::Duration age = observed.at - node.standing->spooled->at;
  return age < kBackupCovers && -age < kBackupCovers;
}

bool has_spooled(const model::Observed& observed) {
  return std::any_of(observed.nodes.begin(), observed.nodes.end(),
                     [&](const model::NodeFacts& node) { return covers_what_follows(observed, node); });
}

// A node that has lost its data gives its member up, or a new one comes.
bool replaces_a_member(const model::Step& step) {
  if (step.step_class != model::StepClass::Heal) return false;
  return std::holds_alternative<model::Remove>(step.action) || std::holds_alternative<model::AddMember>(step.action);
}

model::Step step_of(model::Action action, std::string code, std::string text) {
  model::Reason reason;
  reason.code = std::move(code);
  reason.text = std::move(text);
  return make_step(std::move(action), model::StepClass::Heal, kCluster, std::move(reason));
}

// One that is dated in the future would keep all others from being made until then.
base::Time due(const BackupPolicy& policy, const BackupsSeen& seen, base::Time now) {
  const bool covers = !seen.newest.empty() && !model::is_ahead(seen.covers, now);
  return covers ? model::next_backup(policy, seen.covers) : base::Time{};
}

std::string how_old(base::Time last, base::Time now) {
  if (model::is_ahead(last, now)) return "last backup is dated in the future";
  return "last backup is " + base::age_text(now - last) + " old";
}

// Of the newest: one that was verified when it was the newest says nothing of those after it, but that the way there
// is sound.
std::optional<base::Time> verification_due(const BackupPolicy& policy, const BackupsSeen& seen, base::Time now) {
  if (policy.verify_every.count() == 0 || seen.newest.empty() || seen.damaged == seen.newest) return std::nullopt;
  if (seen.verified && model::is_ahead(*seen.verified, now)) return now;
  return seen.verified ? *seen.verified + policy.verify_every : seen.taken;
}

bool may_prune(const model::Desired& desired, const model::Observed& observed) {
  const auto& paused = desired.paused;
  return !paused || !paused->members.empty() || !model::is_in_force(*paused, observed.at);
}

Notice notice_of(const model::Desired& desired, std::string code, Notice::Level level, std::string text,
                 std::string help) {
  Notice notice;
  notice.code = std::move(code);
  notice.object = "backup";
  notice.field = "backup";
  notice.level = level;
  notice.text = std::move(text);
  notice.help = std::move(help);
  notice.drift = true;
  notice.file = desired.file;
  if (const auto line = desired.lines.find("backup"); line != desired.lines.end()) notice.line = line->second;
  return notice;
}

std::string what_fails(model::StoreTask task, const BackupPolicy& policy) {
  switch (task) {
    case model::StoreTask::Backup:
      return "backups fail";
    case model::StoreTask::Verify:
      return policy.verify_how == model::VerifiedHow::Restore ? "test restores fail" : "backups cannot be verified";
    case model::StoreTask::Prune:
      return "backups that nothing keeps cannot be removed";
    case model::StoreTask::Look:
      return "the store cannot be looked at";
    case model::StoreTask::Publish:
      break;
  }
  return "what the agents see cannot be published in the store";
}

void failed_snapshot(const model::Desired& desired, const model::Spooled& spooled, std::vector<Notice>& notices) {
  Notice notice =
      notice_of(desired, "SnapshotFailed", Notice::Level::Warning,
                "no snapshot could be put into backup.spool before a member was replaced: " + spooled.failed +
                    "; it went on without one",
                "free space there, or name another folder");
  notice.since = spooled.at;
  notices.push_back(std::move(notice));
}

void in_spool(const model::Desired& desired, const model::NodeFacts& node, std::vector<Notice>& notices) {
  const model::Spooled& spooled = *node.standing->spooled;
  Notice notice = notice_of(desired, "BackupInSpool", Notice::Level::Info,
                            "backup " + spooled.name + " is in " + spooled.folder + " on the node of " + node.member +
                                ", and not yet in the store",
                            "");
  notice.drift = false;
  notices.push_back(std::move(notice));
}

void spooled(const model::Desired& desired, const model::Observed& observed, std::vector<Notice>& notices) {
  for (const model::NodeFacts& node : observed.nodes) {
    if (!node.standing || !node.standing->spooled) continue;
    const model::Spooled& spooled = *node.standing->spooled;
    if (!spooled.failed.empty() && covers_what_follows(observed, node)) failed_snapshot(desired, spooled, notices);
    if (!spooled.name.empty()) in_spool(desired, node, notices);
  }
}

// What backups would be late after. Nothing: the first one is on its way.
std::optional<base::Time> last_good(const model::Observed& observed) {
  if (observed.backups && !observed.backups->newest.empty()) return observed.backups->covers;
  const auto& trouble = observed.backup_trouble;
  const auto& awaited = observed.backup_awaited;
  if (trouble && awaited) return std::min(trouble->since, *awaited);
  return trouble ? trouble->since : awaited;
}

std::string how_late(const model::Observed& observed, const std::string& age) {
  const bool failed = observed.backup_trouble.has_value();
  if (!observed.backups) return "no backup is known, and none could be made for " + age;
  if (!observed.backups->newest.empty()) return "the newest backup is " + age + " old";
  return std::string("there is no backup, and none ") + (failed ? "could be" : "was") + " made for " + age;
}

// A store that nobody has seen and nothing was heard of may hold backups: that it does not is not said.
void late(const model::Desired& desired, const model::Observed& observed, std::vector<Notice>& notices) {
  const auto since = last_good(observed);
  if (!since) return;
  const model::Late late = model::late_after(*desired.backup, *since);
  if (observed.at <= late.warn) return;
  const std::string age = base::age_text(observed.at - *since);
  const auto level = observed.at > late.page ? Notice::Level::Critical : Notice::Level::Warning;
  const bool unseen = !observed.backups && !observed.backup_trouble;
  Notice notice = unseen ? notice_of(desired, "BackupsUnseen", level,
                                     "nobody has had an answer from " + desired.backup->to + " for " + age +
                                         ", so what backups there are is not known",
                                     "quorate backup list looks there now, and says what is in its way")
                         : notice_of(desired, "BackupLate", level, how_late(observed, age),
                                     "quorate backup create makes one now, and says what is in its way");
  notice.since = late.warn;
  notices.push_back(std::move(notice));
}

// Somebody's clock was wrong when it was made, or ours is.
void ahead(const model::Desired& desired, const model::Observed& observed, std::vector<Notice>& notices) {
  if (!observed.backups) return;
  const BackupsSeen& seen = *observed.backups;
  const bool newest = !seen.newest.empty() && model::is_ahead(seen.covers, observed.at);
  const std::string& name = newest ? seen.newest : seen.ahead;
  if (name.empty()) return;
  notices.push_back(
      notice_of(desired, "BackupAhead", Notice::Level::Warning,
                "backup " + name + " is dated in the future, and counts for nothing until then",
                "set the clocks of the nodes right; it can be restored by its name, and nothing removes it meanwhile"));
}

void unverified(const model::Desired& desired, const model::Observed& observed, std::vector<Notice>& notices) {
  const BackupPolicy& policy = *desired.backup;
  if (policy.verify_every.count() == 0 || !observed.backups || observed.backups->newest.empty()) return;
  const BackupsSeen& seen = *observed.backups;
  const base::Time since = seen.verified.value_or(seen.oldest) + 2 * policy.verify_every;
  if (observed.at <= since) return;
  const bool by_restore = policy.verify_how == model::VerifiedHow::Restore;
  const std::string verified = by_restore ? "test-restored" : "verified";
  Notice notice = notice_of(
      desired, "BackupUnverified", Notice::Level::Warning,
      seen.verified ? "no backup was " + verified + " for " + base::age_text(observed.at - *seen.verified)
                    : "no backup has ever been " + verified,
      by_restore ? "quorate backup verify --how restore tries one now" : "quorate backup verify reads one now");
  notice.since = since;
  notices.push_back(std::move(notice));
}

// It is taken by an agent, and nothing waits longer for it than it takes.
std::optional<model::Step> spool_before(const model::Desired& desired, const model::Observed& observed,
                                        const model::Step& step) {
  if (!desired.backup || desired.backup->spool.empty() || !replaces_a_member(step)) return std::nullopt;
  const bool agents = std::any_of(observed.nodes.begin(), observed.nodes.end(),
                                  [](const model::NodeFacts& node) { return node.standing.has_value(); });
  const bool backed_up = observed.last_backup && is_fresh(*observed.last_backup, observed.at, kBackupCovers);
  if (!agents || backed_up || has_spooled(observed)) return std::nullopt;
  return step_of(model::Backup{desired.name, desired.backup->spool}, "SnapshotBeforeHeal",
                 "a member is about to be replaced, and nobody waits for the store then");
}

}  // namespace

std::optional<model::Step> backup_before(const model::Desired& desired, const model::Observed& observed,
                                         const Wanted& wanted, const model::Step& step) {
  if (observed.membership) {
    if (auto spool = spool_before(desired, observed, step)) return spool;
  }
  if (!wanted.store || !observed.membership || is_put_off_for_nobody(observed, step)) return std::nullopt;
  const auto& last = observed.last_backup;
  const model::Decision* restore = begun_restore(observed, step);
  const bool covered = restore != nullptr ? covers_restore(observed, *restore)
                                          : last.is_known() && is_fresh(*last, observed.at, kBackupCovers);
  if (covered) return std::nullopt;
  return step_of(model::Backup{desired.name}, "BackupBeforeChange",
                 last ? how_old(*last, observed.at) : "no backup is known");
}

std::optional<model::Step> store_step(const model::Desired& desired, const model::Observed& observed) {
  if (!desired.backup || !observed.backups || !observed.membership) return std::nullopt;
  const BackupPolicy& policy = *desired.backup;
  const BackupsSeen& seen = *observed.backups;
  if (due(policy, seen, observed.at) <= observed.at) {
    return step_of(model::Backup{desired.name}, "BackupDue",
                   seen.newest.empty() ? "there is none yet" : how_old(seen.covers, observed.at));
  }
  if (seen.removable > 0 && may_prune(desired, observed)) {
    return step_of(
        model::Prune{desired.name}, "BackupsNotKept",
        std::to_string(seen.removable) + (seen.removable == 1 ? " is" : " are") + " not kept by backup.keep");
  }
  const auto verification = verification_due(policy, seen, observed.at);
  if (!verification || *verification > observed.at) return std::nullopt;
  return step_of(model::Verify{desired.name, seen.newest}, "VerificationDue",
                 seen.verified ? "the last one was " + base::age_text(observed.at - *seen.verified) + " ago"
                               : "none was verified yet");
}

std::optional<base::Time> next_store_step(const model::Desired& desired, const model::Observed& observed) {
  if (!desired.backup || !observed.backups) return std::nullopt;
  const base::Time backup = due(*desired.backup, *observed.backups, observed.at);
  return std::min(backup, verification_due(*desired.backup, *observed.backups, observed.at).value_or(backup));
}

std::vector<Notice> backup_notices(const model::Desired& desired, const model::Observed& observed) {
  std::vector<Notice> notices;
  if (!desired.backup) return notices;
  if (const auto& trouble = observed.backup_trouble) {
    Notice notice =
        notice_of(desired, "BackupFailed", Notice::Level::Warning,
                  what_fails(trouble->task, *desired.backup) + ": " + trouble->text, "it is tried again by itself");
    notice.since = trouble->since;
    notices.push_back(std::move(notice));
  }
  if (!desired.backup->no_zone.empty()) {
    notices.push_back(notice_of(
        desired, "BackupTimeZone", Notice::Level::Warning,
        "backup.cron goes by UTC on this machine, not by " + desired.backup->time_zone + ": " + desired.backup->no_zone,
        "install the package tzdata, and start the agent again"));
  }
  spooled(desired, observed, notices);
  late(desired, observed, notices);
  ahead(desired, observed, notices);
  if (observed.backups && !observed.backups->damaged.empty()) {
    notices.push_back(notice_of(desired, "BackupDamaged", Notice::Level::Critical,
                                "backup " + observed.backups->damaged + " was found not to be good",
                                "quorate backup show " + observed.backups->damaged + " says what was found"));
  }
  unverified(desired, observed, notices);
  mark_ignored(desired, observed.at, notices);
  return notices;
}

}  // namespace quorate::plan
