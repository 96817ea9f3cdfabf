// quorate backup: making backups, and looking at them; backup_change.cpp has what changes those that are there.
#include <array>
#include <fstream>
#include <string>

#include "reconciler/adapters/system/local_host.h"
#include "reconciler/adapters/system/workers.h"
#include "reconciler/adapters/system/write_aside.h"
#include "reconciler/backup/catalog.h"
#include "reconciler/backup/create.h"
#include "reconciler/backup/fetch.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/commands/backup_change.h"
#include "reconciler/cli/commands/backup_hold.h"
#include "reconciler/cli/commands/backup_session.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/new_file.h"
#include "reconciler/cli/progress.h"
#include "reconciler/cli/results.h"
#include "reconciler/codec/db_skim.h"
#include "reconciler/codec/snapshot_check.h"
#include "reconciler/report/backups.h"

namespace quorate::cli {
namespace {

using model::ExitCode;
using report::PlanOptions;

constexpr base::Duration kLongestSnapshot{std::chrono::hours{6}};
constexpr std::size_t kPiece = std::size_t{256} << 10;

model::Packing packing_of(const std::string& name, const std::optional<model::BackupPolicy>& policy) {
  if (name.empty() && policy) return policy->packing;
  if (name == "zstd") return model::Packing::Zstd;
  return name == "none" ? model::Packing::None : model::Packing::Gzip;
}

ExitCode run_create(const Arguments& arguments) {
  BackupSession session = open_session(arguments);
  if (session.code != ExitCode::Ok) return session.code;
  BackedCluster cluster = open_cluster(arguments);
  if (cluster.code != ExitCode::Ok) return cluster.code;
  StoreHold hold;
  if (auto held = hold.take(arguments, session, cluster); !held) return complain_of_hold(arguments, held.error());
  const auto workers = adapters::system::make_workers();
  ProgressLine progress("quorate: backing up", arguments.quiet);
  backup::CreateOrder order;
  order.endpoints = cluster.endpoints;
  order.packing = packing_of(arguments.backup.packing, session.policy);
  order.key = session.key;
  order.why = arguments.reason.empty() ? "manual" : arguments.reason;
  order.by = std::string("quorate ") + kVersion + " on " + adapters::system::local_host().name;
  order.force = arguments.backup.always;
  order.within = cluster.within;
  order.snapshot_within = base::parse_duration(arguments.timeout).value_or(kLongestSnapshot);
  order.progress = [&](std::uint64_t done, std::uint64_t of) { progress.at(done, of); };
  order.may_go_on = hold.may_go_on();
  if (!arguments.quiet && (order.packing != model::Packing::Gzip || order.key)) {
    talk("quorate: etcd-manager and its relatives cannot restore this one: they know gzip without encryption only");
  }
  const auto created = backup::create(
      {*cluster.etcd, *session.store, *session.parallel, *session.clock, *session.entropy, *workers}, order);
  if (!created) return complain_of(arguments, created.error());
  const report::CreatedView view{created->facts, created->name, session.store->address(), created->skipped};
  return print_results(
      arguments,
      [&](const std::string& format, const PlanOptions& options) {
        return report::render_created(format, view, options).value_or("");
      },
      ExitCode::Ok);
}

ExitCode run_list(const Arguments& arguments) {
  const BackupSession session = open_session(arguments);
  if (session.code != ExitCode::Ok) return session.code;
  const auto contents = backup::read_catalog(*session.store, *session.parallel);
  if (!contents) return complain_of(arguments, contents.error());
  const report::BackupListView view{*contents, session.store->address(), arguments.backup.all};
  return print_results(
      arguments,
      [&](const std::string& format, const PlanOptions& options) {
        return report::render_backup_list(format, view, options).value_or("");
      },
      ExitCode::Ok);
}

ExitCode run_show(const Arguments& arguments) {
  BackupSession session = open_session(arguments);
  if (session.code != ExitCode::Ok) return session.code;
  const auto found = named_backup(arguments, session);
  if (!found) return session.code;
  return print_results(
      arguments,
      [&](const std::string& format, const PlanOptions& options) {
        return report::render_backup(format, *found, session.store->address(), options).value_or("");
      },
      ExitCode::Ok);
}

ExitCode run_download(const Arguments& arguments) {
  BackupSession session = open_session(arguments);
  if (session.code != ExitCode::Ok) return session.code;
  const auto found = named_backup(arguments, session);
  if (!found) return session.code;
  const std::string path =
      arguments.out.empty() ? found->name.substr(found->name.rfind('/') + 1) + ".db" : arguments.out;
  auto file = NewFile::begin(path, *session.entropy);
  if (!file) {
    return complain(arguments, file.error(),
                    file.error().kind == base::ErrorKind::Refused ? ExitCode::Refused : ExitCode::Failed);
  }
  const auto into = adapters::system::write_aside(*std::move(file));
  const auto workers = adapters::system::make_workers();
  ProgressLine progress("quorate: downloading", arguments.quiet);
  const auto fetched =
      backup::fetch(*session.store, *found, session.key_or_null(), into.get(),
                    [&](std::uint64_t done, std::uint64_t of) { progress.at(done, of); }, {workers.get()});
  if (!fetched) return complain_of(arguments, fetched.error());
  const std::string sentence =
      found->name + " is in " + path + ", " + report::bytes_text(fetched->size) +
      (fetched->has_hash ? "; restore it with etcdutl snapshot restore"
                         : "; it has no hash: restore it with etcdutl snapshot restore --skip-hash-check");
  return print_results(
      arguments,
      [&](const std::string& format, const PlanOptions& /*options*/) {
        return report::render_backup_done(format, "downloaded", found->name, sentence).value_or("");
      },
      ExitCode::Ok);
}

ExitCode print_inspected(const Arguments& arguments, const report::InspectedView& view) {
  return print_results(
      arguments,
      [&](const std::string& format, const PlanOptions& options) {
        return report::render_inspected(format, view, options).value_or("");
      },
      ExitCode::Ok);
}

ExitCode inspect_file(const Arguments& arguments) {
  const std::string& path = arguments.topic;
  std::ifstream file(path, std::ios::binary);
  if (!file) return complain(arguments, {base::ErrorKind::Invalid, "cannot read " + path, ""}, ExitCode::Failed);
  codec::Nowhere nowhere;
  codec::SnapshotCheck check(codec::TrailingHash::Optional, nowhere);
  codec::DbSkim skim;
  std::string piece(kPiece, '\0');
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    const auto bytes = std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount()));
    if (auto done = check.write(bytes); !done) return complain(arguments, done.error(), ExitCode::Failed);
    skim.take(bytes);
  }
  if (file.bad()) return complain(arguments, {base::ErrorKind::Transient, "cannot read " + path, ""}, ExitCode::Failed);
  if (const auto done = check.finish(); !done) {
    return complain(arguments, {done.error().kind, path + ": " + done.error().message, done.error().help},
                    ExitCode::BadBackup);
  }
  const auto db = skim.facts();
  if (!db) {
    return complain(arguments, {db.error().kind, path + ": " + db.error().message, db.error().help},
                    ExitCode::BadBackup);
  }
  return print_inspected(arguments, {path, check.size(), check.has_hash(), *db});
}

ExitCode run_inspect(const Arguments& arguments) {
  if (is_of_a_file(arguments)) return inspect_file(arguments);
  BackupSession session = open_session(arguments);
  if (session.code != ExitCode::Ok) return session.code;
  const auto found = named_backup(arguments, session);
  if (!found) return session.code;
  ProgressLine progress("quorate: reading", arguments.quiet);
  const auto fetched = backup::fetch(*session.store, *found, session.key_or_null(), nullptr,
                                     [&](std::uint64_t done, std::uint64_t of) { progress.at(done, of); });
  if (!fetched) return complain_of(arguments, fetched.error());
  if (!fetched->db) return complain(arguments, fetched->db.error(), ExitCode::BadBackup);
  return print_inspected(arguments, {found->name, fetched->size, fetched->has_hash, *fetched->db});
}

struct Action {
  const char* name;
  ExitCode (*run)(const Arguments& arguments);
};

constexpr std::array<Action, 9> kActions = {{{"create", run_create},
                                             {"list", run_list},
                                             {"show", run_show},
                                             {"verify", run_backup_verify},
                                             {"prune", run_backup_prune},
                                             {"pin", run_backup_pin},
                                             {"unpin", run_backup_unpin},
                                             {"download", run_download},
                                             {"inspect", run_inspect}}};

}  // namespace

ExitCode run_backup(const Arguments& arguments) {
  for (const Action& action : kActions) {
    if (arguments.action == action.name) return action.run(arguments);
  }
  return ExitCode::Usage;
}

}  // namespace quorate::cli
