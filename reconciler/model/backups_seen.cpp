// As JSON, for the record in etcd and for observations.
#include "reconciler/model/backups_seen_json.h"
#include "reconciler/model/json_words.h"

namespace quorate::model {

using base::Json;

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
          {"damaged", seen.damaged},
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
  seen.damaged = place.at("damaged").text();
  seen.removable = place.at("removable").count();
  return seen;
}

Json backup_trouble_json(const BackupTrouble& trouble) {
  return {{"store", trouble.store}, {"since", base::to_string(trouble.since)}, {"text", trouble.text}};
}

BackupTrouble read_backup_trouble(const JsonPlace& place) {
  return {place.at("store").text(), place.at("since").time(), place.at("text").text()};
}

}  // namespace quorate::model
