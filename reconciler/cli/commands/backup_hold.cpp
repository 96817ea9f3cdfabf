// The same lease that agents take, with the same record in force.
#include "reconciler/cli/commands/backup_hold.h"

#include <algorithm>
#include <string>
#include <utility>

#include "reconciler/adapters/system/local_host.h"
#include "reconciler/backup/sources.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/model/records.h"

namespace quorate::cli {
namespace {

bool is_full(BackedCluster& cluster, const std::string& endpoint) {
  const auto alarms = cluster.etcd->alarms(endpoint, cluster.within);
  return alarms && std::any_of(alarms->begin(), alarms->end(),
                               [](const model::Alarm& alarm) { return alarm.kind == model::AlarmKind::NoSpace; });
}

}  // namespace

backup::Outcome<void> StoreHold::take(const Arguments& arguments, BackupSession& session, BackedCluster& cluster) {
  const auto sources = backup::find_sources(*cluster.etcd, *session.parallel, cluster.endpoints, cluster.within);
  if (!sources) return tl::unexpected(sources.error());
  loop::StoreLease::Terms terms;
  for (const backup::Source& each : sources->healthy) terms.endpoints.push_back(each.endpoint);
  terms.cluster = sources->cluster;
  terms.owner = "quorate on " + adapters::system::local_host().name;
  terms.within = cluster.within;
  const auto warn = [&](const base::Error& error) {
    if (!arguments.quiet) talk("quorate: agents may work on the store meanwhile: " + error.message);
  };
  const auto in_force =
      cluster.etcd->get(terms.endpoints.front(), model::kInForceKey, ports::Consistency::Linearizable, cluster.within);
  if (!in_force) {
    warn(in_force.error());
    return {};
  }
  if (!*in_force) return {};
  terms.in_force_revision = (*in_force)->mod_revision;
  const std::string asked = terms.endpoints.front();
  auto lease = std::make_unique<loop::StoreLease>(*cluster.etcd, *session.clock, stop_, std::move(terms));
  auto taken = lease->take();
  // A full etcd grants it to nobody, agents neither, and waiting for it would not help.
  if (!taken && taken.error().kind == base::ErrorKind::Conflict && !is_full(cluster, asked)) {
    taken.error().help = "try again in a moment";
    return backup::failed(backup::Trouble::Refused, std::move(taken.error()));
  }
  if (!taken) {
    warn(taken.error());
    return {};
  }
  lease_ = std::move(lease);
  return {};
}

model::ExitCode complain_of_hold(const Arguments& arguments, const backup::Failure& failure) {
  const bool busy = failure.trouble == backup::Trouble::Refused && failure.error.kind == base::ErrorKind::Conflict;
  return busy ? complain(arguments, failure.error, model::ExitCode::Busy) : complain_of(arguments, failure);
}

backup::MayGoOn StoreHold::may_go_on() {
  if (!lease_) return {};
  return [this] { return lease_->still_ours(); };
}

}  // namespace quorate::cli
