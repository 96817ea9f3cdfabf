// The store and the key that a desired file names.
#pragma once

#include <optional>
#include <string>

#include "reconciler/cli/store.h"
#include "reconciler/codec/seal.h"
#include "reconciler/model/backup_policy.h"

namespace quorate::cli {

StoreSettings settings_of(const model::BackupPolicy& policy);

base::Result<codec::SealKey> read_seal_key(const std::string& path);
// Nothing: the file asks for no encryption.
base::Result<std::optional<codec::SealKey>> seal_key_of(const model::BackupPolicy& policy,
                                                        const Variable& variable = variable_of_process);

}  // namespace quorate::cli
