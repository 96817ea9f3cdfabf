// quorate backup verify, prune, pin and unpin.
#include "reconciler/cli/commands/backup_change.h"

#include <set>
#include <string>
#include <vector>

#include "reconciler/backup/catalog.h"
#include "reconciler/backup/sources.h"
#include "reconciler/backup/upkeep.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/commands/backup_hold.h"
#include "reconciler/cli/commands/backup_session.h"
#include "reconciler/cli/commands/backup_trial.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/progress.h"
#include "reconciler/cli/results.h"
#include "reconciler/cli/who.h"
#include "reconciler/model/backup_keep.h"
#include "reconciler/report/backups.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;
using report::PlanOptions;

// What the command line says; where it says nothing, the desired file.
model::KeepPolicy policy_of(const BackupArguments& backup, const BackupSession& session) {
  model::KeepPolicy policy{backup.keep_last,   backup.keep_hourly,  backup.keep_daily,
                           backup.keep_weekly, backup.keep_monthly, base::Duration{}};
  policy.within = base::parse_duration(backup.keep_within).value_or(base::Duration{});
  if (policy.empty() && session.policy) return session.policy->keep;
  return policy;
}

// Whose backups are pruned; nothing: it was said why, and `code` is the end.
std::optional<base::ClusterId> own_cluster(const Arguments& arguments, BackupSession& session,
                                           const BackedCluster& cluster, const model::StoreContents& contents) {
  if (!arguments.backup.cluster_id.empty()) {
    if (const auto id = base::parse_id(arguments.backup.cluster_id)) return base::ClusterId{*id};
    session.code =
        complain(arguments, {base::ErrorKind::Invalid, "--cluster-id " + arguments.backup.cluster_id + " is no ID", ""},
                 ExitCode::Usage);
    return std::nullopt;
  }
  if (cluster.etcd != nullptr) {
    const auto found = backup::find_sources(*cluster.etcd, *session.parallel, cluster.endpoints, cluster.within);
    if (found) return found->cluster;
    session.code = complain_of(arguments, found.error());
    return std::nullopt;
  }
  std::set<std::string> clusters;
  for (const model::StoredBackup& each : contents.backups) {
    if (each.facts) clusters.insert(base::to_string(each.facts->cluster));
  }
  if (clusters.size() == 1) return base::ClusterId{base::parse_id(*clusters.begin()).value_or(0)};
  if (clusters.empty()) return base::ClusterId{};  // nothing in it is ours to remove
  session.code = complain(arguments,
                          {base::ErrorKind::Refused,
                           "the store holds backups of " + std::to_string(clusters.size()) +
                               " clusters: " + report::joined({clusters.begin(), clusters.end()}, "and"),
                           "say whose are meant: --endpoints, or --cluster-id"},
                          ExitCode::Refused);
  return std::nullopt;
}

struct Removal {
  std::vector<std::string> names;
  ExitCode code = ExitCode::Ok;
};

Removal remove_them(BackupSession& session, const model::StoreContents& contents, const std::vector<model::Fate>& fates,
                    const backup::MayGoOn& may_go_on) {
  Removal done;
  for (std::size_t at = 0; at < fates.size(); ++at) {
    if (!fates[at].removed) continue;
    auto removed = backup::go_on(may_go_on);
    if (!removed) {
      done.code = model::worst(done.code, complain(removed.error().error, code_of(removed.error().trouble)));
      break;
    }
    removed = backup::remove(*session.store, contents.backups[at]);
    if (removed) {
      done.names.push_back(contents.backups[at].name);
      continue;
    }
    const ExitCode code = code_of(removed.error().trouble);
    done.code = model::worst(done.code, complain(removed.error().error, code));
    if (code == ExitCode::NoStore) break;  // the next one would not fare better
  }
  return done;
}

ExitCode done_with(const Arguments& arguments, const std::string& what, const std::string& name,
                   const std::string& sentence) {
  return print_results(
      arguments,
      [&](const std::string& format, const PlanOptions& /*options*/) {
        return report::render_backup_done(format, what, name, sentence).value_or("");
      },
      ExitCode::Ok);
}

}  // namespace

ExitCode run_backup_verify(const Arguments& arguments) {
  BackupSession session = open_session(arguments);
  if (session.code != ExitCode::Ok) return session.code;
  const auto found = named_backup(arguments, session);
  if (!found) return session.code;
  ProgressLine progress("quorate: verifying", arguments.quiet);
  const backup::Progress at = [&](std::uint64_t done, std::uint64_t of) { progress.at(done, of); };
  const auto verified = arguments.backup.how == "restore"
                            ? verify_by_restore(arguments, session, *found, at)
                            : backup::verify(*session.store, *session.clock, *found, session.key_or_null(), at);
  if (!verified) return complain_of(arguments, verified.error());
  const report::VerifiedView view{found->name, session.store->address(), verified->result, verified->why_not};
  return print_results(
      arguments,
      [&](const std::string& format, const PlanOptions& options) {
        return report::render_verified(format, view, options).value_or("");
      },
      verified->result.fine ? ExitCode::Ok : ExitCode::BadBackup);
}

ExitCode run_backup_prune(const Arguments& arguments) {
  BackupSession session = open_session(arguments);
  if (session.code != ExitCode::Ok) return session.code;
  const auto contents = backup::read_catalog(*session.store, *session.parallel);
  if (!contents) return complain_of(arguments, contents.error());
  BackedCluster cluster;
  if (!arguments.endpoints.empty()) cluster = open_cluster(arguments);
  if (cluster.code != ExitCode::Ok) return cluster.code;
  const auto own = own_cluster(arguments, session, cluster, *contents);
  if (!own) return session.code;
  const auto fates = model::fates(contents->backups, policy_of(arguments.backup, session),
                                  {*own, session.clock->now(), session.needed});
  Removal removal;
  if (!arguments.backup.dry_run) {
    StoreHold hold;
    if (cluster.etcd != nullptr) {
      if (auto held = hold.take(arguments, session, cluster); !held) return complain_of_hold(arguments, held.error());
    } else if (session.policy && !arguments.quiet) {
      talk("quorate: agents may work on the store meanwhile; with --endpoints it is held against them");
    }
    removal = remove_them(session, *contents, fates, hold.may_go_on());
  }
  const report::PruneView view{contents->backups,        fates,       removal.names, session.store->address(),
                               arguments.backup.dry_run, removal.code};
  return print_results(
      arguments,
      [&](const std::string& format, const PlanOptions& options) {
        return report::render_prune(format, view, options).value_or("");
      },
      removal.code);
}

ExitCode run_backup_pin(const Arguments& arguments) {
  BackupSession session = open_session(arguments);
  if (session.code != ExitCode::Ok) return session.code;
  const auto found = named_backup(arguments, session);
  if (!found) return session.code;
  const auto done = backup::pin(*session.store, *found, {session.clock->now(), arguments.reason, who_asks(arguments)});
  if (!done) return complain_of(arguments, done.error());
  return done_with(arguments, "pinned", found->name, found->name + " is pinned: prune leaves it");
}

ExitCode run_backup_unpin(const Arguments& arguments) {
  BackupSession session = open_session(arguments);
  if (session.code != ExitCode::Ok) return session.code;
  const auto found = named_backup(arguments, session);
  if (!found) return session.code;
  const auto done = backup::unpin(*session.store, *found);
  if (!done) return complain_of(arguments, done.error());
  return done_with(arguments, "unpinned", found->name, found->name + " is not pinned: prune may remove it");
}

}  // namespace quorate::cli
