// As JSON, for the record in etcd and for observations.
#include <array>

#include "reconciler/model/backups_seen_json.h"
#include "reconciler/model/json_words.h"

namespace quorate::model {

using base::Json;

namespace {

constexpr std::array<VerifiedHow, 2> kWays = {VerifiedHow::Checksum, VerifiedHow::Restore};
constexpr std::array<StoreTask, 5> kTasks = {StoreTask::Backup, StoreTask::Verify, StoreTask::Prune, StoreTask::Look,
                                             StoreTask::Publish};

}  // namespace

std::string_view name_of(StoreTask task) {
  switch (task) {
    case StoreTask::Backup:
      return "backup";
    case StoreTask::Verify:
      return "verify";
    case StoreTask::Prune:
      return "prune";
    case StoreTask::Look:
      return "look";
    case StoreTask::Publish:
      break;
  }
  return "publish";
}

Json backups_seen_json(const BackupsSeen& seen) {
  return {{"store", seen.store},
          {"count", seen.count},
          {"newest", seen.newest},
          {"revision", seen.revision},
          {"size", seen.size},
          {"taken", time_or_null(seen.taken)},
          {"covers", time_or_null(seen.covers)},
          {"oldest", time_or_null(seen.oldest)},
          {"verified", time_or_null(seen.verified.value_or(base::Time{}))},
          {"verified_name", seen.verified_name},
          {"verified_how", name_of(seen.verified_how)},
          {"damaged", seen.damaged},
          {"ahead", seen.ahead},
          {"removable", seen.removable}};
}

BackupsSeen read_backups_seen(const JsonPlace& place) {
  BackupsSeen seen;
  seen.store = place.at("store").text();
  seen.count = place.at("count").count();
  seen.newest = place.at("newest").text();
  seen.revision = place.at("revision").whole();
  seen.size = place.at("size").natural();
  seen.taken = place.at("taken").time_or_null();
  seen.covers = place.at("covers").time_or_null();
  seen.oldest = place.at("oldest").time_or_null();
  if (place.has("verified")) seen.verified = place.at("verified").time();
  seen.verified_name = place.at("verified_name").text();
  if (place.has("verified_how")) {
    seen.verified_how = one_of(place.at("verified_how"), kWays, [](VerifiedHow how) { return name_of(how); });
  }
  seen.damaged = place.at("damaged").text();
  if (place.has("ahead")) seen.ahead = place.at("ahead").text();
  seen.removable = place.at("removable").count();
  return seen;
}

Json backup_trouble_json(const BackupTrouble& trouble) {
  return {{"store", trouble.store},
          {"since", base::to_string(trouble.since)},
          {"text", trouble.text},
          {"task", name_of(trouble.task)}};
}

BackupTrouble read_backup_trouble(const JsonPlace& place) {
  BackupTrouble trouble{place.at("store").text(), place.at("since").time(), place.at("text").text()};
  if (place.has("task")) trouble.task = one_of(place.at("task"), kTasks, [](StoreTask task) { return name_of(task); });
  return trouble;
}

}  // namespace quorate::model
