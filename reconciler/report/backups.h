// What a backup store holds, and what was done in it, for people and for scripts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/etcd_db.h"
#include "reconciler/model/backup.h"
#include "reconciler/model/backup_keep.h"
#include "reconciler/model/exit_code.h"
#include "reconciler/report/plan_report.h"

namespace quorate::report {

std::string bytes_text(std::uint64_t bytes);                                             // "214 MiB"
std::string number_text(std::int64_t number);                                            // "48,101,220"
std::string tested_text(const model::StoredBackup& backup, const PlanOptions& options);  // "restore ok, 31m ago", "-"

// Formats text, json and yaml, as everything here.
struct BackupListView {
  const model::StoreContents& contents;
  std::string address;  // of the store
  bool all = false;     // text: more than the newest ones
};
std::optional<std::string> render_backup_list(std::string_view format, const BackupListView& view,
                                              const PlanOptions& options);

std::optional<std::string> render_backup(std::string_view format, const model::StoredBackup& backup,
                                         const std::string& address, const PlanOptions& options);

struct PruneView {
  const std::vector<model::StoredBackup>& backups;
  const std::vector<model::Fate>& fates;  // one for each
  std::vector<std::string> removed;       // names
  std::string address;
  bool dry_run = false;
  model::ExitCode code = model::ExitCode::Ok;
};
std::optional<std::string> render_prune(std::string_view format, const PruneView& view, const PlanOptions& options);

// One that was just made, or the one that there was no need to make again.
struct CreatedView {
  const model::BackupFacts& facts;
  std::string name;
  std::string address;
  bool skipped = false;
};
std::optional<std::string> render_created(std::string_view format, const CreatedView& view, const PlanOptions& options);

struct VerifiedView {
  std::string name;
  std::string address;
  const model::BackupVerified& result;
  std::string why_not_recorded;  // empty: it stands beside the backup
};
std::optional<std::string> render_verified(std::string_view format, const VerifiedView& view,
                                           const PlanOptions& options);

// What a database says of itself.
struct InspectedView {
  std::string name;
  std::uint64_t size = 0;
  bool has_hash = false;
  const base::EtcdDb& db;
};
std::optional<std::string> render_inspected(std::string_view format, const InspectedView& view,
                                            const PlanOptions& options);

// "pinned", "unpinned", "downloaded": one sentence for people, one object for scripts.
std::optional<std::string> render_backup_done(std::string_view format, const std::string& done, const std::string& name,
                                              const std::string& sentence);

}  // namespace quorate::report
