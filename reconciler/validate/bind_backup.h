// Binding what the file says about backups.
#pragma once

#include <optional>
#include <string>

#include "reconciler/base/time_zone.h"
#include "reconciler/model/backup_policy.h"
#include "reconciler/validate/fields.h"

namespace quorate::validate {

// Nothing: the file names no store.
std::optional<model::BackupPolicy> backup_of(const Fields& fields);

// The rules of the zone that the policy names. What is wrong with the name; empty: nothing.
std::string read_zone(const base::ZoneFiles& zones, model::BackupPolicy& policy);

}  // namespace quorate::validate
