// The folder first, and everything in it gone at the end.
#include "reconciler/cli/commands/backup_trial.h"

#include <memory>
#include <string>
#include <utility>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/adapters/restorer/restorer.h"
#include "reconciler/adapters/system/host.h"
#include "reconciler/backup/test_restore.h"
#include "reconciler/cli/trial_place.h"

namespace quorate::cli {
namespace {

using backup::Trouble;

constexpr base::Duration kLongest{std::chrono::hours{1}};

}  // namespace

backup::Outcome<backup::Verified> verify_by_restore(const Arguments& arguments, BackupSession& session,
                                                    const model::StoredBackup& backup,
                                                    const backup::Progress& progress) {
  const auto host = adapters::system::make_host();
  const auto node = adapters::system::make_node();
  auto etcd = etcd_grpc::connect({});
  if (!etcd) return backup::failed(Trouble::Local, std::move(etcd.error()));
  const std::string program = arguments.backup.etcd.empty() ? "etcd" : arguments.backup.etcd;
  const auto restorer = adapters::restorer::make_restorer({*host, *node, **etcd, program, arguments.backup.etcdutl});
  if (auto ready = restorer->ready(kLongest); !ready) {
    return backup::failed(Trouble::Local, std::move(ready.error()));
  }
  const std::string parent = arguments.backup.scratch.empty() ? temporary_folder("/var/tmp") : arguments.backup.scratch;
  const std::uint64_t size = backup.facts ? backup.facts->snapshot_size : backup.size;
  const auto place = make_trial_place(*host, *node, *session.entropy,
                                      {parent + "/quorate-" + session.entropy->hex(16), program, size});
  if (!place) return backup::failed(Trouble::Local, place.error());
  backup::TestRestoreOrder order{(*place)->snapshot(), (*place)->trial(), session.key_or_null(), {}, progress};
  order.within = base::parse_duration(arguments.timeout).value_or(kLongest);
  return backup::test_restore({*session.store, *restorer, *session.clock}, backup, order);
}

}  // namespace quorate::cli
