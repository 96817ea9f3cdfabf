// Stores, keys and clusters by what the command line says of them.
#include "reconciler/cli/commands/backup_session.h"

#include <algorithm>
#include <utility>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/backup/catalog.h"
#include "reconciler/cli/access.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/policy_store.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kUsualPatience{2000};

// What the desired file says, for an action that names no store itself.
void open_policy(const Arguments& arguments, BackupSession& session) {
  Opened opened = open_desired(arguments);
  if (!opened.desired) {
    session.code = opened.code;
    return;
  }
  if (!opened.desired->backup) {
    session.code = complain(arguments,
                            {base::ErrorKind::Invalid, chosen_file(arguments) + " names no store",
                             "write  backup: {to: [\"s3://bucket/folder\"]}  there, or name one with --store"},
                            ExitCode::Usage);
    return;
  }
  session.policy = std::move(opened.desired->backup);
  if (!opened.desired->recovery.restore.empty()) session.needed.push_back(opened.desired->recovery.restore);
  if (session.key) return;
  auto key = seal_key_of(*session.policy);
  if (key) {
    session.key = *std::move(key);
  } else {
    session.code = complain(arguments, key.error(), ExitCode::Failed);
  }
}

}  // namespace

ExitCode code_of(backup::Trouble trouble) {
  switch (trouble) {
    case backup::Trouble::Etcd:
      return ExitCode::Unknown;
    case backup::Trouble::Store:
      return ExitCode::NoStore;
    case backup::Trouble::NoBackup:
      return ExitCode::NoBackup;
    case backup::Trouble::BadBackup:
      return ExitCode::BadBackup;
    case backup::Trouble::Key:
    case backup::Trouble::Refused:
      return ExitCode::Refused;
    case backup::Trouble::Local:
      break;
  }
  return ExitCode::Failed;
}

ExitCode complain_of(const Arguments& arguments, const backup::Failure& failure) {
  return complain(arguments, failure.error, code_of(failure.trouble));
}

BackupSession open_session(const Arguments& arguments) {
  BackupSession session;
  if (!arguments.backup.key_file.empty()) {
    auto key = read_seal_key(arguments.backup.key_file);
    if (!key) {
      session.code = complain(arguments, key.error(), ExitCode::Usage);
      return session;
    }
    session.key = *std::move(key);
  }
  StoreSettings settings{arguments.backup.store};
  if (settings.address.empty()) {
    open_policy(arguments, session);
    if (session.code != ExitCode::Ok) return session;
    settings = settings_of(*session.policy);
  }
  auto store = open_store(settings, *session.clock, *session.entropy);
  if (store) {
    session.credentials = std::move(store->credentials);
    session.store = std::move(store->objects);
  } else {
    session.code = complain(arguments, store.error(), ExitCode::Usage);
  }
  return session;
}

std::optional<model::StoredBackup> named_backup(const Arguments& arguments, BackupSession& session) {
  const auto contents = backup::read_catalog(*session.store, *session.parallel);
  if (!contents) {
    session.code = complain_of(arguments, contents.error());
    return std::nullopt;
  }
  auto found =
      backup::find_backup(*contents, arguments.topic.empty() ? "latest" : arguments.topic, session.store->address());
  if (found) return *std::move(found);
  session.code = complain_of(arguments, found.error());
  return std::nullopt;
}

BackedCluster open_cluster(const Arguments& arguments) {
  BackedCluster cluster;
  std::optional<model::Desired> desired;
  if (arguments.endpoints.empty() && !chosen_file(arguments).empty()) {
    Opened opened = open_desired(arguments);
    if (!opened.desired) {
      cluster.code = opened.code;
      return cluster;
    }
    desired = std::move(opened.desired);
  }
  const model::Desired* file = desired ? &*desired : nullptr;
  auto endpoints = endpoints_of(arguments, file);
  if (!endpoints) {
    cluster.code = complain(arguments, endpoints.error(), ExitCode::Usage);
    return cluster;
  }
  auto access = access_of(arguments, file);
  if (!access) {
    cluster.code = complain(arguments, access.error(), ExitCode::Usage);
    return cluster;
  }
  access->log_in_over_tls_only = std::any_of(endpoints->begin(), endpoints->end(), [](const std::string& endpoint) {
    return endpoint.compare(0, 8, "https://") == 0;
  });
  auto etcd = etcd_grpc::connect(*std::move(access));
  if (!etcd) {
    cluster.code = complain(arguments, etcd.error(), ExitCode::Unknown);
    return cluster;
  }
  cluster.etcd = *std::move(etcd);
  cluster.endpoints = *std::move(endpoints);
  cluster.within = base::parse_duration(arguments.answer_timeout).value_or(kUsualPatience);
  return cluster;
}

}  // namespace quorate::cli
