// The JSON of what is known of backups, in observations and in the record that agents keep in etcd.
#pragma once

#include "reconciler/base/yaml_text.h"
#include "reconciler/model/backups_seen.h"
#include "reconciler/model/json_place.h"

namespace quorate::model {

base::Json backups_seen_json(const BackupsSeen& seen);
BackupsSeen read_backups_seen(const JsonPlace& place);
base::Json backup_trouble_json(const BackupTrouble& trouble);
BackupTrouble read_backup_trouble(const JsonPlace& place);

}  // namespace quorate::model
