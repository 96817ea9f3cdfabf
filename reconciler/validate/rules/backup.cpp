// Backups: a store that can be told, one schedule, keys that are whole, and warnings that can come.
#include <algorithm>
#include <string>
#include <vector>

#include "reconciler/base/path.h"
#include "reconciler/validate/read.h"
#include "reconciler/validate/rules/rules.h"

namespace quorate::validate {
namespace {

using model::BackupPolicy;
using model::Code;
using model::Node;

constexpr std::string_view kBucket = "s3://";
constexpr std::string_view kFolder = "file://";

bool starts_with(const std::string& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

// Only what is written: a default contradicts nobody.
const model::Entry* entry_of(const Context& context, const std::string& block, std::string_view key) {
  const Node* node = context.fields.node(block);
  return node != nullptr ? node->entry(key) : nullptr;
}

void check_store(const Context& context, const Node& node, const std::string& store, const std::string& path) {
  const auto refuse = [&](const std::string& what, const std::string& expected) {
    context.findings.add(Code::E106, node, path + " " + what + ": " + describe(node), expected, path);
  };
  if (store.find_first_of("?#@ \t\r\n") != std::string::npos) {
    return refuse("has more than a store's address has", "expected s3://bucket/folder or file:///folder");
  }
  if (starts_with(store, kBucket)) {
    const std::string bucket = store.substr(kBucket.size(), store.find('/', kBucket.size()) - kBucket.size());
    if (bucket.empty()) refuse("names no bucket", "expected s3://bucket/folder");
    return;
  }
  if (!starts_with(store, kFolder)) return refuse("is no store", "expected s3://bucket/folder or file:///folder");
  const std::string folder = store.substr(kFolder.size());
  if (!base::is_absolute(folder) || base::join_path("/", folder) == "/") {
    refuse("names no folder from / on", "expected file:///mnt/backups, of which every node sees the same");
  }
}

void check_schedule(const Context& context, const BackupPolicy& policy) {
  const model::Entry* every = entry_of(context, "backup", "every");
  const model::Entry* cron = entry_of(context, "backup", "cron");
  if (cron != nullptr && text(*cron->value) && !policy.cron) {
    context.findings.add(Code::E106, *cron->value,
                         "backup.cron is never due, or not five fields of cron: " + describe(*cron->value),
                         "expected minute hour day month weekday, as in \"30 3 * * *\"", "backup.cron");
  }
  if (every == nullptr || cron == nullptr) return;
  model::Finding& finding = context.findings.add(Code::E132, *cron->key, "backup has both every and cron",
                                                 "expected one of them", "backup.cron");
  context.findings.relate(finding, *every->key, "the other one");
}

void check_zone(const Context& context, const BackupPolicy& policy) {
  const model::Entry* zone = entry_of(context, "backup", "timeZone");
  if (zone == nullptr || !text(*zone->value)) return;
  const std::string path = "backup.timeZone";
  if (!context.draft.bad_zone.empty()) {
    context.findings.add(Code::E106, *zone->value, path + " " + context.draft.bad_zone + ": " + describe(*zone->value),
                         "expected a name of the tz database, as in Europe/Amsterdam", path);
  } else if (!policy.no_zone.empty()) {
    context.findings.add(Code::W209, *zone->value, path + " cannot be checked here: " + policy.no_zone,
                         "expected tzdata where the file is checked and on each node", path);
  }
  if (entry_of(context, "backup", "cron") != nullptr) return;
  context.findings.add(Code::E121, *zone->key, path + " has no effect without cron", "expected the file without it",
                       path);
}

void check_verification(const Context& context) {
  const model::Entry* how = entry_of(context, "backup.verify", "how");
  if (how == nullptr || entry_of(context, "backup.verify", "every") != nullptr) return;
  context.findings.add(Code::E121, *how->key, "backup.verify.how has no effect without every",
                       "expected the file without it, or how often", "backup.verify.how");
}

void check_least(const Context& context, const std::string& path, base::Duration value, std::string_view least) {
  const Node* node = context.fields.node(path);
  if (node == nullptr || !base::parse_duration(node->text) || value >= base::parse_duration(least).value()) return;
  context.findings.add(Code::E107, *node, path + " is out of range: " + node->text,
                       "expected at least " + std::string(least), path);
}

void check_warnings(const Context& context, const BackupPolicy& policy) {
  const Node* warn = context.fields.node("backup.warnAfter");
  const Node* page = context.fields.node("backup.pageAfter");
  const model::Late late = model::late_after(policy, base::Time{});
  const base::Duration warns = late.warn.time_since_epoch();
  const base::Duration pages = late.page.time_since_epoch();
  if (warn != nullptr && !policy.cron && warns < policy.every) {
    context.findings.add(Code::E132, *warn,
                         "backup.warnAfter is " + base::to_string(warns) + ", and backups are made every " +
                             base::to_string(policy.every),
                         "expected more than that", "backup.warnAfter");
  }
  const Node* last = page != nullptr ? page : warn;
  if (last == nullptr || pages >= warns) return;
  context.findings.add(
      Code::E132, *last,
      "backup.pageAfter is " + base::to_string(pages) + ", and backup.warnAfter " + base::to_string(warns),
      "expected the warning first", page != nullptr ? "backup.pageAfter" : "backup.warnAfter");
}

// One place, not two, and not none.
void check_place(const Context& context, const std::string& block, const std::string& key) {
  const model::Entry* entry = entry_of(context, block, key);
  if (entry == nullptr || entry->value->kind != model::NodeKind::Mapping) return;
  const std::string path = block + "." + key;
  const bool file = entry->value->get("file") != nullptr;
  const bool credential = entry->value->get("credential") != nullptr;
  if (file == credential) {
    context.findings.add(Code::E132, *entry->key, path + (file ? " is at two places" : " does not say where it is"),
                         "expected {file: ...} or {credential: ...}", path);
  }
  const Node* node = entry->value->get("file");
  if (node == nullptr || node->text.empty() || base::is_absolute(node->text)) return;
  context.findings.add(Code::E118, *node, path + ".file must be absolute", "expected a path that starts with /",
                       path + ".file");
}

void check_keys(const Context& context) {
  check_place(context, "backup.encrypt", "key");
  for (const char* key : {"accessKey", "secretKey", "sessionToken"}) check_place(context, "backup.s3", key);
  const model::Entry* access = entry_of(context, "backup.s3", "accessKey");
  const model::Entry* secret = entry_of(context, "backup.s3", "secretKey");
  const model::Entry* token = entry_of(context, "backup.s3", "sessionToken");
  const auto missing = [&](const model::Entry& there, const std::string& name) {
    context.findings.add(Code::E132, *there.key, "backup.s3." + there.key->text + " stands without " + name,
                         "expected accessKey and secretKey together", "backup.s3." + name);
  };
  if (access != nullptr && secret == nullptr) missing(*access, "secretKey");
  if (secret != nullptr && access == nullptr) missing(*secret, "accessKey");
  if (token != nullptr && access == nullptr && secret == nullptr) missing(*token, "accessKey");
}

void check_bucket_only(const Context& context, const BackupPolicy& policy) {
  const model::Entry* s3 = entry_of(context, "backup", "s3");
  if (s3 != nullptr && starts_with(policy.to, kFolder)) {
    context.findings.add(Code::E121, *s3->key, "backup.s3 has no effect with a store in a folder",
                         "expected the file without it", "backup.s3");
  }
  const model::Entry* kms = entry_of(context, "backup.s3", "kmsKey");
  if (kms != nullptr && policy.s3.sse != "aws:kms") {
    context.findings.add(Code::E132, *kms->key, "backup.s3.kmsKey stands without sse: aws:kms",
                         "expected both, or none of them", "backup.s3.sse");
  }
  const Node* ca = context.fields.node("backup.s3.ca");
  if (ca == nullptr || ca->text.empty() || base::is_absolute(ca->text)) return;
  context.findings.add(Code::E118, *ca, "backup.s3.ca must be absolute", "expected a path that starts with /",
                       "backup.s3.ca");
}

// Data directories are moved and removed as a whole.
void check_spool(const Context& context, const BackupPolicy& policy) {
  const Node* spool = context.fields.node("backup.spool");
  if (spool == nullptr || policy.spool.empty()) return;
  const std::string path = "backup.spool";
  const std::string folder = base::join_path("/", policy.spool);
  if (!base::is_absolute(policy.spool) || folder == "/") {
    context.findings.add(Code::E118, *spool, path + " must be absolute, and not the root directory",
                         "expected a folder of its own, as in /var/lib/quorate/spool", path);
    return;
  }
  const auto meets = [&](const std::string& directory) {
    return !directory.empty() && (base::is_within(folder, directory) || base::is_within(directory, folder));
  };
  const bool in_folder = starts_with(policy.to, kFolder);
  if (in_folder && meets(base::join_path("/", policy.to.substr(kFolder.size())))) {
    context.findings.add(Code::E116, *spool, path + " and the store " + policy.to + " lie in one another",
                         "expected a folder of its own", path);
    return;
  }
  for (const model::Member& member : context.desired().members) {
    if (!meets(member.data_dir) && !meets(member.wal_dir)) continue;
    context.findings.add(Code::E116, *spool, path + " and the data of " + member.name + " lie in one another",
                         "expected a folder of its own", path);
    return;
  }
}

// Where a backup comes from says nothing without the backup.
void check_other_store(const Context& context) {
  const model::Entry* from = entry_of(context, "recovery", "from");
  if (from == nullptr) return;
  check_store(context, *from->value, context.desired().recovery.from, "recovery.from");
  if (!context.desired().recovery.restore.empty()) return;
  context.findings.add(Code::E121, *from->key, "recovery.from has no effect without restore",
                       "expected the file without it, or which backup: restore", "recovery.from");
}

}  // namespace

void check_backup(const Context& context) {
  check_other_store(context);
  if (!context.desired().backup) return;
  const BackupPolicy& policy = *context.desired().backup;
  check_store(context, *context.fields.node("backup.to")->items.front(), policy.to, "backup.to[0]");
  check_schedule(context, policy);
  check_zone(context, policy);
  check_verification(context);
  check_least(context, "backup.every", policy.every, policy.cron ? "0s" : "1s");
  check_least(context, "backup.verify.every", policy.verify_every, "1m");
  check_warnings(context, policy);
  check_keys(context);
  check_bucket_only(context, policy);
  check_spool(context, policy);
}

}  // namespace quorate::validate
