// Tables and sentences about backups.
#include "reconciler/report/backups.h"

#include <algorithm>
#include <cstdio>

#include "reconciler/base/words.h"
#include "reconciler/report/backups_json.h"
#include "reconciler/report/prose.h"
#include "reconciler/report/status.h"

namespace quorate::report {
namespace {

using model::StoredBackup;

constexpr std::size_t kShown = 20;

std::string ago(base::Time at, const PlanOptions& options) {
  if (!options.now) return base::to_string(at);
  return base::age_text(std::max(*options.now - at, base::Duration{})) + " ago";
}

std::string age(const StoredBackup& backup, const PlanOptions& options) {
  const auto at = backup.at();
  if (!at || !options.now) return "-";
  return base::age_text(std::max(*options.now - *at, base::Duration{}));
}

std::string why_of(const StoredBackup& backup) {
  if (!backup.problem.empty()) return "unreadable: " + backup.problem;
  if (backup.raw) return "raw, of " + backup.raw->of;
  if (!backup.parsed) return "no backup's name; left alone";
  return backup.facts ? backup.facts->why : "by another tool";
}

std::string kept_by(const StoredBackup& backup) {
  if (!backup.pin) return "-";
  return backup.pin->reason.empty() ? "pinned" : "pinned: " + backup.pin->reason;
}

std::vector<std::string> row_of(const StoredBackup& backup, const PlanOptions& options) {
  const auto revision = backup.revision();
  const bool keys = backup.facts && backup.facts->keys;
  return {printable(backup.name),
          age(backup, options),
          revision ? number_text(*revision) : "-",
          backup.object ? bytes_text(backup.size) : "-",
          keys ? number_text(*backup.facts->keys) : "-",
          shortened(printable(why_of(backup)), 40),
          shortened(printable(kept_by(backup)), 40),
          tested_text(backup, options)};
}

std::string list_text(const BackupListView& view, const PlanOptions& options) {
  const std::vector<StoredBackup>& backups = view.contents.backups;
  std::string text;
  const std::size_t shown = view.all ? backups.size() : std::min(kShown, backups.size());
  if (!backups.empty()) {
    std::vector<std::vector<std::string>> rows = {
        {"ID", "AGE", "REVISION", "SIZE", "KEYS", "WHY", "KEPT BY", "TESTED"}};
    for (std::size_t at = 0; at < shown; ++at) rows.push_back(row_of(backups[backups.size() - 1 - at], options));
    text += table_text(rows, options.style);
  }
  if (shown < backups.size()) text += "... " + std::to_string(backups.size() - shown) + " more (--all)\n";
  std::uint64_t bytes = 0;
  for (const StoredBackup& each : backups) bytes += each.size;
  text += count_of(backups.size(), "backup") + (backups.empty() ? "" : ", " + bytes_text(bytes)) + " in " +
          printable(view.address) + "\n";
  if (options.quiet) return text;
  if (!view.contents.unfinished.empty()) {
    text += "Not finished, on its way or given up: " + printable(view.contents.unfinished.front());
    const std::size_t more = view.contents.unfinished.size() - 1;
    text += more == 0 ? "\n" : " and " + std::to_string(more) + " more\n";
  }
  if (!view.contents.others.empty()) {
    text += count_of(view.contents.others.size(), "other file or folder") +
            " there, left alone: " + printable(view.contents.others.front()) +
            (view.contents.others.size() > 1 ? ", ..." : "") + "\n";
  }
  return text;
}

std::string line(const std::string& name, const std::string& value) {
  return value.empty() ? "" : "  " + padded(name, 10) + printable(value) + "\n";
}

std::string facts_text(const model::BackupFacts& facts) {
  std::string text;
  text += line("revision", (facts.revision_exact ? "" : "at least ") + number_text(facts.revision));
  if (facts.keys) text += line("keys", number_text(*facts.keys));
  if (facts.raft_index != 0) {
    text += line("raft", "term " + std::to_string(facts.term) + ", index " + std::to_string(facts.raft_index));
  }
  if (facts.hash) {
    text += line("hash", std::to_string(facts.hash->hash) + " at revision " + std::to_string(facts.hash->revision) +
                             ", compacted at " + std::to_string(facts.hash->compact_revision));
  }
  text += line("users", facts.auth.value_or(false) ? "authentication is on" : "");
  text += line("member", facts.member_name + " (" + base::to_string(facts.member) + "), etcd " + facts.etcd_version);
  text += line("cluster", base::to_string(facts.cluster));
  text += line("snapshot", bytes_text(facts.snapshot_size) + " (" + std::to_string(facts.snapshot_size) + " bytes)");
  text += line("sha256", facts.object_sha256 + " of " + file_name(facts.object));
  text += line("sealed", facts.sealed_with.empty() ? "" : "with key " + facts.sealed_with);
  return text + line("made", facts.why + ", by " + facts.by);
}

std::string backup_text(const StoredBackup& backup, const PlanOptions& options) {
  std::string text = options.style.bold(printable(backup.name)) + "\n";
  if (const auto at = backup.at()) text += line("taken", base::to_string(*at) + " (" + ago(*at, options) + ")");
  text += line("problem", backup.problem);
  if (backup.facts) {
    text += facts_text(*backup.facts);
  } else {
    text += line("made", backup.raw ? "raw, by " + backup.raw->of : "by another tool");
    if (backup.raw && backup.raw->revision) text += line("revision", number_text(*backup.raw->revision));
    if (backup.meta) text += line("etcd", backup.meta->etcd_version);
  }
  std::string files;
  for (const model::StoredFile& file : backup.files) {
    files += (files.empty() ? "" : ", ") + file.name + " " + bytes_text(file.size);
  }
  text += line("files", files);
  text += line("kept by", kept_by(backup) == "-" ? "" : kept_by(backup));
  text += line("tested", tested_text(backup, options));
  return text + line("found", backup.verified ? backup.verified->why : "");
}

std::string fate_word(const model::Fate& fate, const PlanOptions& options) {
  if (fate.removed) return options.style.red("- remove");
  return fate.ours ? "  keep" : "  leave";
}

std::string prune_text(const PruneView& view, const PlanOptions& options) {
  std::vector<std::vector<std::string>> rows = {{"  WHAT", "ID", "AGE", "SIZE", "WHY"}};
  std::uint64_t freed = 0;
  std::size_t removed = 0;
  for (std::size_t at = view.backups.size(); at-- > 0;) {
    const StoredBackup& backup = view.backups[at];
    const model::Fate& fate = view.fates[at];
    if (fate.removed) {
      freed += backup.size;
      ++removed;
    }
    rows.push_back({fate_word(fate, options), printable(backup.name), age(backup, options), bytes_text(backup.size),
                    fate.removed ? "nothing keeps it" : printable(base::joined(fate.why, ", "))});
  }
  std::string text = options.quiet || view.backups.empty() ? "" : table_text(rows, options.style);
  if (removed == 0) return text + "Nothing to remove in " + printable(view.address) + "\n";
  if (view.dry_run) {
    return text + count_of(removed, "backup") + ", " + bytes_text(freed) + ", would be removed from " +
           printable(view.address) + "\n";
  }
  return text + std::to_string(view.removed.size()) + " of " + count_of(removed, "backup") + " removed from " +
         printable(view.address) + "\n";
}

std::string inspected_text(const InspectedView& view) {
  const base::EtcdDb& db = view.db;
  std::string text = printable(view.name) + "\n";
  text += line("size", bytes_text(view.size) + (view.has_hash ? ", agrees with etcd's hash behind it"
                                                              : ", without a hash: a copy of a database"));
  text += line("revision", number_text(db.revision));
  text += line("raft", "index " + std::to_string(db.consistent_index) +
                           (db.term == 0 ? "" : ", term " + std::to_string(db.term)));
  text += line("cluster", db.cluster_version.empty() ? "" : "version " + db.cluster_version);
  text += line("storage", db.storage_version.empty() ? "" : "version " + db.storage_version);
  for (const base::DbMember& member : db.members) {
    text += line("member", base::to_string(member.id) + " " + (member.name.empty() ? "(unstarted)" : member.name) +
                               (member.learner ? ", learner" : "") + ", " + base::joined(member.peer_urls, ", "));
  }
  return text + line("users", db.auth ? "authentication is on" : "");
}

template <class Text>
std::optional<std::string> in_format(std::string_view format, const base::Json& tree, const Text& text) {
  if (format == "json") return safe_json(document(tree));
  if (format == "yaml") return yaml_of(document(tree));
  if (format != "text") return std::nullopt;
  return text();
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, value < 9.95 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text;
}

std::string number_text(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3 + (number < 0 ? 1U : 0U);) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string tested_text(const StoredBackup& backup, const PlanOptions& options) {
  if (!backup.verified) return "-";
  const std::string how(name_of(backup.verified->how));
  return how + (backup.verified->fine ? " ok, " : " FAILED, ") + ago(backup.verified->at, options);
}

std::optional<std::string> render_backup_list(std::string_view format, const BackupListView& view,
                                              const PlanOptions& options) {
  return in_format(format, backup_list_tree(view), [&] { return list_text(view, options); });
}

std::optional<std::string> render_backup(std::string_view format, const StoredBackup& backup,
                                         const std::string& address, const PlanOptions& options) {
  return in_format(format, backup_show_tree(backup, address), [&] { return backup_text(backup, options); });
}

std::optional<std::string> render_prune(std::string_view format, const PruneView& view, const PlanOptions& options) {
  return in_format(format, prune_tree(view), [&] { return prune_text(view, options); });
}

std::optional<std::string> render_created(std::string_view format, const CreatedView& view,
                                          const PlanOptions& options) {
  return in_format(format, created_tree(view), [&] {
    if (options.quiet) return printable(view.name) + "\n";
    if (view.skipped) {
      return "Nothing was written to etcd since " + printable(view.name) + " (revision " +
             number_text(view.facts.revision) + "); --always makes one all the same\n";
    }
    return "Backed up " + printable(view.name) + ": revision " + number_text(view.facts.revision) + ", " +
           bytes_text(view.facts.snapshot_size) + " from " + printable(view.facts.member_name) + ", " +
           bytes_text(view.facts.object_size) + " in " + printable(view.address) + "\n";
  });
}

std::optional<std::string> render_verified(std::string_view format, const VerifiedView& view,
                                           const PlanOptions& options) {
  return in_format(format, verified_tree(view), [&] {
    const std::string how(name_of(view.result.how));
    std::string text = printable(view.name) + ": " + how;
    text += view.result.fine ? " ok\n" : " " + options.style.red("FAILED") + ": " + printable(view.result.why) + "\n";
    if (!view.why_not_recorded.empty() && !options.quiet) {
      text += "  not recorded in the store: " + printable(view.why_not_recorded) + "\n";
    }
    return text;
  });
}

std::optional<std::string> render_inspected(std::string_view format, const InspectedView& view,
                                            const PlanOptions& /*options*/) {
  return in_format(format, inspected_tree(view), [&] { return inspected_text(view); });
}

std::optional<std::string> render_backup_done(std::string_view format, const std::string& done, const std::string& name,
                                              const std::string& sentence) {
  const base::Json tree = {
      {"format_version", "1.0"}, {"kind", "backup-" + done}, {"exit_code", 0}, {"name", name}, {"text", sentence}};
  return in_format(format, tree, [&] { return printable(sentence) + "\n"; });
}

}  // namespace quorate::report
