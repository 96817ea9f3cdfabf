// What every action of quorate backup begins with: the store opened, the key read, and words for what went wrong.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/adapters/s3/credentials.h"
#include "reconciler/adapters/system/entropy.h"
#include "reconciler/adapters/system/node.h"
#include "reconciler/backup/outcome.h"
#include "reconciler/cli/arguments.h"
#include "reconciler/codec/seal.h"
#include "reconciler/model/backup.h"
#include "reconciler/model/backup_policy.h"
#include "reconciler/ports/etcd_admin.h"
#include "reconciler/ports/object_store.h"

namespace quorate::cli {

struct BackupSession {
  std::unique_ptr<ports::Entropy> entropy = adapters::system::make_entropy();
  std::unique_ptr<ports::Clock> clock = adapters::system::make_clock();
  std::unique_ptr<ports::Parallel> parallel = adapters::system::make_parallel();
  std::unique_ptr<s3::Credentials> credentials;  // of the store, where it wants some
  std::unique_ptr<ports::ObjectStore> store;
  std::optional<codec::SealKey> key;
  std::optional<model::BackupPolicy> policy;   // of the desired file, where the store is the one that it names
  std::vector<std::string> needed;             // backups that this file refers to
  model::ExitCode code = model::ExitCode::Ok;  // anything else: it was said why

  const codec::SealKey* key_or_null() const { return key ? &*key : nullptr; }
};
BackupSession open_session(const Arguments& arguments);

// The backup that the arguments name; nothing: it was said why, and `code` is the end.
std::optional<model::StoredBackup> named_backup(const Arguments& arguments, BackupSession& session);

// The cluster behind --endpoints, or behind the desired file.
struct BackedCluster {
  std::vector<std::string> endpoints;
  std::unique_ptr<ports::EtcdAdmin> etcd;
  base::Duration within{};
  model::ExitCode code = model::ExitCode::Ok;
};
BackedCluster open_cluster(const Arguments& arguments);

model::ExitCode code_of(backup::Trouble trouble);
// Says it, and gives the code.
model::ExitCode complain_of(const Arguments& arguments, const backup::Failure& failure);

}  // namespace quorate::cli
