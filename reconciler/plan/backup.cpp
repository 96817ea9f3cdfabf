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
// What is written after it is lost with a restore.
constexpr base::Duration kCoversRestore = std::chrono::minutes{1};

// A cluster that runs is backed up before another state takes its place, while it is still whole.
bool begins_restore(const model::Observed& observed, const model::Step& step) {
  const auto* promise = std::get_if<model::Promise>(&step.action);
  const bool deliberate = promise != nullptr && promise->gives_way && promise->gives_way->deliberate;
  return deliberate && std::none_of(observed.nodes.begin(), observed.nodes.end(), [](const model::NodeFacts& node) {
           return node.standing && node.standing->pledge;
         });
}

bool is_put_off_for_nobody(const model::Observed& observed, const model::Step& step) {
  if (step.step_class == model::StepClass::Restore) return !begins_restore(observed, step);
  if (step.step_class == model::StepClass::Heal) return true;
  if (std::holds_alternative<model::Backup>(step.action) || std::holds_alternative<model::Promote>(step.action)) {
    return true;
  }
  const auto* write = std::get_if<model::WriteManifest>(&step.action);
  return write != nullptr && write->boot != model::BootMode::Keep;
}

model::Step step_of(model::Action action, std::string code, std::string text) {
  model::Reason reason;
  reason.code = std::move(code);
  reason.text = std::move(text);
  return make_step(std::move(action), model::StepClass::Heal, kCluster, std::move(reason));
}

base::Time due(const BackupPolicy& policy, const BackupsSeen& seen) {
  return seen.newest.empty() ? base::Time{} : model::next_backup(policy, seen.covers);
}

// Of the newest: one that was verified when it was the newest says nothing of those after it, but that the way there
// is sound.
std::optional<base::Time> verification_due(const BackupPolicy& policy, const BackupsSeen& seen) {
  if (policy.verify_every.count() == 0 || seen.newest.empty() || seen.damaged == seen.newest) return std::nullopt;
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

void late(const model::Desired& desired, const model::Observed& observed, std::vector<Notice>& notices) {
  const BackupPolicy& policy = *desired.backup;
  const auto& trouble = observed.backup_trouble;
  const bool has_one = observed.backups && !observed.backups->newest.empty();
  if (!has_one && !trouble) return;  // the first one is on its way
  const base::Time since = has_one ? observed.backups->covers : trouble->since;
  const base::Duration age = observed.at - since;
  if (age <= policy.warn_after) return;
  const bool page = age > policy.page_after;
  Notice notice = notice_of(desired, "BackupLate", page ? Notice::Level::Critical : Notice::Level::Warning,
                            has_one ? "the newest backup is " + base::age_text(age) + " old"
                                    : "there is no backup, and none could be made for " + base::age_text(age),
                            "quorate backup create makes one now, and says what is in its way");
  notice.since = since + policy.warn_after;
  notices.push_back(std::move(notice));
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

}  // namespace

std::optional<model::Step> backup_before(const model::Desired& desired, const model::Observed& observed,
                                         const Wanted& wanted, const model::Step& step) {
  if (!wanted.store || !observed.membership || is_put_off_for_nobody(observed, step)) return std::nullopt;
  const auto& last = observed.last_backup;
  const base::Duration covers = begins_restore(observed, step) ? kCoversRestore : kBackupCovers;
  if (last && observed.at - *last < covers) return std::nullopt;
  return step_of(model::Backup{desired.name}, "BackupBeforeChange",
                 last ? "last backup is " + base::age_text(observed.at - *last) + " old" : "no backup is known");
}

std::optional<model::Step> store_step(const model::Desired& desired, const model::Observed& observed) {
  if (!desired.backup || !observed.backups || !observed.membership) return std::nullopt;
  const BackupPolicy& policy = *desired.backup;
  const BackupsSeen& seen = *observed.backups;
  if (due(policy, seen) <= observed.at) {
    return step_of(model::Backup{desired.name}, "BackupDue",
                   seen.newest.empty() ? "there is none yet"
                                       : "last backup is " + base::age_text(observed.at - seen.covers) + " old");
  }
  if (seen.removable > 0 && may_prune(desired, observed)) {
    return step_of(
        model::Prune{desired.name}, "BackupsNotKept",
        std::to_string(seen.removable) + (seen.removable == 1 ? " is" : " are") + " not kept by backup.keep");
  }
  const auto verification = verification_due(policy, seen);
  if (!verification || *verification > observed.at) return std::nullopt;
  return step_of(model::Verify{desired.name, seen.newest}, "VerificationDue",
                 seen.verified ? "the last one was " + base::age_text(observed.at - *seen.verified) + " ago"
                               : "none was verified yet");
}

std::optional<base::Time> next_store_step(const model::Desired& desired, const model::Observed& observed) {
  if (!desired.backup || !observed.backups) return std::nullopt;
  const base::Time backup = due(*desired.backup, *observed.backups);
  return std::min(backup, verification_due(*desired.backup, *observed.backups).value_or(backup));
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
  late(desired, observed, notices);
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
