// One object for each result; what is not known is null.
#include "reconciler/report/backups_json.h"

#include <algorithm>

namespace quorate::report {
namespace {

using base::Json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json root_of(const char* kind, model::ExitCode code, const std::string& address) {
  return {{"format_version", "1.0"}, {"kind", kind}, {"exit_code", static_cast<int>(code)}, {"store", address}};
}

Json facts_tree(const model::BackupFacts& facts) {
  Json tree = {{"revision", facts.revision}, {"revision_exact", facts.revision_exact}};
  tree["keys"] = or_null(facts.keys);
  tree["cluster_id"] = base::to_string(facts.cluster);
  tree["member_id"] = base::to_string(facts.member);
  tree["member"] = facts.member_name;
  tree["etcd_version"] = facts.etcd_version;
  tree["term"] = facts.term;
  tree["raft_index"] = facts.raft_index;
  tree["hash"] = !facts.hash ? Json(nullptr)
                             : Json({{"revision", facts.hash->revision},
                                     {"value", facts.hash->hash},
                                     {"compact_revision", facts.hash->compact_revision}});
  tree["auth"] = or_null(facts.auth);
  tree["snapshot_size"] = facts.snapshot_size;
  tree["sha256"] = facts.object_sha256;
  tree["sealed_with"] = text_or_null(facts.sealed_with);
  tree["why"] = facts.why;
  tree["by"] = facts.by;
  return tree;
}

Json backup_tree(const model::StoredBackup& backup) {
  Json tree = {{"name", backup.name}, {"folder", backup.folder}};
  const auto at = backup.at();
  tree["at"] = at ? Json(base::to_string(*at)) : Json(nullptr);
  tree["raw"] = backup.raw ? Json(backup.raw->of) : Json(nullptr);
  tree["revision"] = or_null(backup.revision());
  tree["object"] = backup.object && !backup.raw ? Json(file_name(*backup.object)) : Json(nullptr);
  tree["size"] = backup.size;
  tree["facts"] = backup.facts ? facts_tree(*backup.facts) : Json(nullptr);
  tree["verified"] = !backup.verified ? Json(nullptr)
                                      : Json({{"at", base::to_string(backup.verified->at)},
                                              {"how", name_of(backup.verified->how)},
                                              {"fine", backup.verified->fine},
                                              {"why", text_or_null(backup.verified->why)}});
  tree["pin"] = !backup.pin ? Json(nullptr)
                            : Json({{"at", base::to_string(backup.pin->at)},
                                    {"reason", text_or_null(backup.pin->reason)},
                                    {"by", text_or_null(backup.pin->by)}});
  tree["problem"] = text_or_null(backup.problem);
  return tree;
}

}  // namespace

Json backup_list_tree(const BackupListView& view) {
  Json tree = root_of("backup-list", model::ExitCode::Ok, view.address);
  tree["backups"] = Json::array();
  for (const model::StoredBackup& backup : view.contents.backups) tree["backups"].push_back(backup_tree(backup));
  tree["unfinished"] = view.contents.unfinished;
  tree["others"] = view.contents.others;
  return tree;
}

Json backup_show_tree(const model::StoredBackup& backup, const std::string& address) {
  Json tree = root_of("backup-show", model::ExitCode::Ok, address);
  tree["backup"] = backup_tree(backup);
  return tree;
}

Json prune_tree(const PruneView& view) {
  Json tree = root_of("backup-prune", view.code, view.address);
  tree["dry_run"] = view.dry_run;
  tree["backups"] = Json::array();
  for (std::size_t at = 0; at < view.backups.size(); ++at) {
    const model::Fate& fate = view.fates[at];
    const std::string& name = view.backups[at].name;
    const bool done = std::find(view.removed.begin(), view.removed.end(), name) != view.removed.end();
    tree["backups"].push_back({{"name", name},
                               {"size", view.backups[at].size},
                               {"fate", fate.removed ? "remove" : (fate.ours ? "keep" : "leave")},
                               {"why", fate.why},
                               {"removed", done}});
  }
  return tree;
}

Json created_tree(const CreatedView& view) {
  Json tree = root_of("backup-created", model::ExitCode::Ok, view.address);
  tree["name"] = view.name;
  tree["skipped"] = view.skipped;
  tree["facts"] = facts_tree(view.facts);
  tree["size"] = view.facts.object_size;
  return tree;
}

Json verified_tree(const VerifiedView& view) {
  Json tree =
      root_of("backup-verified", view.result.fine ? model::ExitCode::Ok : model::ExitCode::BadBackup, view.address);
  tree["name"] = view.name;
  tree["at"] = base::to_string(view.result.at);
  tree["how"] = name_of(view.result.how);
  tree["fine"] = view.result.fine;
  tree["why"] = text_or_null(view.result.why);
  tree["not_recorded"] = text_or_null(view.why_not_recorded);
  return tree;
}

Json inspected_tree(const InspectedView& view) {
  Json tree = {{"format_version", "1.0"}, {"kind", "backup-inspected"}, {"exit_code", 0}, {"name", view.name}};
  tree["size"] = view.size;
  tree["has_hash"] = view.has_hash;
  tree["revision"] = view.db.revision;
  tree["raft_index"] = view.db.consistent_index;
  tree["term"] = view.db.term;
  tree["cluster_version"] = text_or_null(view.db.cluster_version);
  tree["storage_version"] = text_or_null(view.db.storage_version);
  tree["auth"] = view.db.auth;
  tree["members"] = Json::array();
  for (const base::DbMember& member : view.db.members) {
    tree["members"].push_back({{"id", base::to_string(member.id)},
                               {"name", member.name},
                               {"peer_urls", member.peer_urls},
                               {"learner", member.learner}});
  }
  return tree;
}

}  // namespace quorate::report
