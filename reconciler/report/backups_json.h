// The JSON of backups; its field names are a contract.
#pragma once

#include "reconciler/base/yaml_text.h"
#include "reconciler/report/backups.h"

namespace quorate::report {

base::Json backup_list_tree(const BackupListView& view);
base::Json backup_show_tree(const model::StoredBackup& backup, const std::string& address);
base::Json prune_tree(const PruneView& view);
base::Json created_tree(const CreatedView& view);
base::Json verified_tree(const VerifiedView& view);
base::Json inspected_tree(const InspectedView& view);

}  // namespace quorate::report
