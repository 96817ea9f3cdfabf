// quorate backup: one command, because its actions share nearly all flags.
#include "reconciler/cli/command_table_backup.h"

#include <string>

#include "reconciler/cli/option_checks.h"

namespace quorate::cli {
namespace {

void add_retention(CLI::App& command, BackupArguments& backup) {
  const std::string group = "What prune keeps";
  const auto number = [&](const char* flag, int& value, const char* what) {
    command.add_option(flag, value, what)->type_name("N")->check(CLI::Range(0, 1000000))->group(group);
  };
  number("--keep-last", backup.keep_last, "the newest N");
  number("--keep-hourly", backup.keep_hourly, "the newest of each of N hours that have one, in UTC");
  number("--keep-daily", backup.keep_daily, "of each of N days");
  number("--keep-weekly", backup.keep_weekly, "of each of N weeks, from Monday on");
  number("--keep-monthly", backup.keep_monthly, "of each of N months");
  command.add_option("--keep-within", backup.keep_within, "all that are at most so much older than the newest")
      ->type_name("DURATION")
      ->check(a_duration)
      ->group(group);
  command.add_option("--cluster-id", backup.cluster_id, "whose backups; else of --endpoints, or the only one there")
      ->type_name("HEX")
      ->group(group);
  command.add_flag("--dry-run", backup.dry_run, "say what would be removed, and remove nothing")->group(group);
}

}  // namespace

std::vector<ClusterCommand> add_backup_commands(CLI::App& app, Arguments& arguments) {
  BackupArguments& backup = arguments.backup;
  CLI::App* command = app.add_subcommand(
      "backup", "create, list, show, verify, prune, pin, unpin, download or inspect backups of any etcd");
  command
      ->add_option("action", arguments.action,
                   "create, list, show, verify, prune, pin, unpin, download or inspect; only create, verify, prune, "
                   "pin and unpin write to the store. prune keeps agents and other prunes away from it only with "
                   "--endpoints; without, it goes by what it has listed, and looks again for a pin before each removal")
      ->type_name("ACTION")
      ->required()
      ->check(CLI::IsMember({"create", "list", "show", "verify", "prune", "pin", "unpin", "download", "inspect"}));
  command
      ->add_option("backup", arguments.topic,
                   "name of a backup or the beginning of it, or latest; or the whole name of any object that is a "
                   "snapshot; for inspect without --store a file")
      ->type_name("BACKUP");
  command
      ->add_option("--store", backup.store,
                   "where backups are: file:///DIR or s3://BUCKET/BASE; else as the desired file says "
                   "in backup.to (QUORATE_STORE)")
      ->type_name("URL")
      ->check(not_empty);
  command
      ->add_option("--key-file", backup.key_file,
                   "32 bytes, or 64 hexadecimal digits: create encrypts with it, others decrypt (QUORATE_KEY_FILE)")
      ->type_name("FILE")
      ->check(not_empty);
  command
      ->add_option("--compress", backup.packing,
                   "gzip, zstd or none, for create; else as the desired file says, or gzip: what etcd-manager "
                   "restores, without a key")
      ->type_name("HOW")
      ->check(CLI::IsMember({"gzip", "zstd", "none"}));
  command->add_flag("--always", backup.always, "create one although nothing was written since the newest");
  command->add_option("--reason", arguments.reason, "why, for create and pin")->type_name("TEXT");
  command->add_option("--by", arguments.by, "who pins, for people to read")->type_name("NAME")->check(not_empty);
  command->add_option("--out", arguments.out, "for download; BACKUP.db unless given. A file that is there stays")
      ->type_name("FILE")
      ->check(not_empty);
  command
      ->add_option("--how", backup.how,
                   "checksum reads the backup, restore also starts an etcd on it aside and counts and hashes its keys; "
                   "for verify, checksum unless given")
      ->type_name("HOW")
      ->check(CLI::IsMember({"checksum", "restore"}));
  command->add_option("--etcd", backup.etcd, "program for --how restore; else etcd along PATH")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_option("--etcdutl", backup.etcdutl, "3.5.10 or later, for --how restore; else beside etcd or along PATH")
      ->type_name("FILE")
      ->check(not_empty);
  command
      ->add_option("--scratch", backup.scratch, "folder with room for twice the snapshot, for --how restore (TMPDIR)")
      ->type_name("DIR")
      ->check(not_empty);
  command->add_flag("--all", backup.all, "list all, not only the newest");
  add_retention(*command, backup);
  add_access(*command, arguments);
  return {{command,
           "  quorate backup create --endpoints https://10.0.0.11:2379 --store file:///mnt/backups\n"
           "  quorate backup list --store file:///mnt/backups\n"
           "  quorate backup verify latest --store file:///mnt/backups\n"
           "  quorate backup download latest --store file:///mnt/backups --out snapshot.db\n"
           "  quorate backup prune --keep-last 24 --keep-daily 14 --dry-run --store file:///mnt/backups\n"
           "  quorate backup inspect snapshot.db\n"}};
}

}  // namespace quorate::cli
