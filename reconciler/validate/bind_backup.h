// Binding what the file says about backups.
#pragma once

#include <optional>

#include "reconciler/model/backup_policy.h"
#include "reconciler/validate/fields.h"

namespace quorate::validate {

// Nothing: the file names no store.
std::optional<model::BackupPolicy> backup_of(const Fields& fields);

}  // namespace quorate::validate
