// The small documents of ours that lie beside a backup.
#include <array>

#include "reconciler/model/backup.h"
#include "reconciler/model/json_place.h"
#include "reconciler/model/json_words.h"

namespace quorate::model {
namespace {

using base::Json;

constexpr std::size_t kMostBytes = 256 * 1024;
constexpr std::array<VerifiedHow, 2> kWays = {VerifiedHow::Checksum, VerifiedHow::Restore};

Json hash_json(const BackupHash& hash) {
  return {{"revision", hash.revision}, {"value", hash.hash}, {"compact_revision", hash.compact_revision}};
}

BackupHash read_hash(const JsonPlace& place) {
  BackupHash hash;
  hash.revision = place.at("revision").whole();
  hash.hash = static_cast<std::uint32_t>(place.at("value").natural(0xFFFFFFFFU));
  hash.compact_revision = place.at("compact_revision").whole();
  return hash;
}

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Opens the document, reads it, and says what was wrong first.
template <class Value, class Read>
base::Result<Value> read_document(std::string_view text, const std::string& name, const char* kind, const Read& read) {
  const auto tree = open_document(text, name, kind, kMostBytes);
  if (!tree) return tl::unexpected(tree.error());
  JsonReading reading{*tree, {}};
  Value value = read(JsonPlace(reading));
  if (!reading.problem.empty()) return base::invalid(name + ": " + reading.problem);
  return value;
}

BackupFacts facts_at(const JsonPlace& root) {
  BackupFacts facts;
  facts.at = root.at("at").time();
  facts.cluster.value = root.at("cluster_id").id();
  facts.member.value = root.at("member_id").id();
  facts.member_name = root.at("member").text();
  facts.etcd_version = root.at("etcd_version").text();
  facts.revision = root.at("revision").whole();
  facts.revision_exact = root.at("revision_exact").truth();
  facts.term = root.at("term").natural();
  facts.raft_index = root.at("raft_index").natural();
  if (root.has("keys")) facts.keys = root.at("keys").whole();
  if (root.has("hash")) facts.hash = read_hash(root.at("hash"));
  if (root.has("auth")) facts.auth = root.at("auth").truth();
  const JsonPlace object = root.at("object");
  const auto parsed = parse_backup_object(object.at("file").text());
  if (parsed) {
    facts.object = *parsed;
  } else {
    object.at("file").fail("must be the name of a backup's object");
  }
  facts.object_size = object.at("size").natural();
  facts.object_sha256 = object.at("sha256").text();
  if (!is_sha256(facts.object_sha256)) object.at("sha256").fail("must be 64 hexadecimal digits");
  facts.snapshot_size = root.at("snapshot_size").natural();
  facts.sealed_with = root.at("sealed_with").text_or_null();
  facts.why = root.at("why").text();
  facts.by = root.at("by").text();
  return facts;
}

}  // namespace

std::string to_json(const BackupFacts& facts) {
  Json root = {{"format_version", "1.0"}, {"kind", "backup"}};
  root["at"] = base::to_string(facts.at);
  root["cluster_id"] = base::to_string(facts.cluster);
  root["member_id"] = base::to_string(facts.member);
  root["member"] = facts.member_name;
  root["etcd_version"] = facts.etcd_version;
  root["revision"] = facts.revision;
  root["revision_exact"] = facts.revision_exact;
  root["term"] = facts.term;
  root["raft_index"] = facts.raft_index;
  root["keys"] = facts.keys ? Json(*facts.keys) : Json(nullptr);
  root["hash"] = facts.hash ? hash_json(*facts.hash) : Json(nullptr);
  root["auth"] = facts.auth ? Json(*facts.auth) : Json(nullptr);
  root["object"] = {{"file", file_name(facts.object)}, {"size", facts.object_size}, {"sha256", facts.object_sha256}};
  root["snapshot_size"] = facts.snapshot_size;
  root["sealed_with"] = text_or_null(facts.sealed_with);
  root["why"] = facts.why;
  root["by"] = facts.by;
  return document_text(root);
}

std::string to_json(const BackupVerified& verified) {
  Json root = {{"format_version", "1.0"}, {"kind", "backup-verified"}};
  root["at"] = base::to_string(verified.at);
  root["how"] = name_of(verified.how);
  root["fine"] = verified.fine;
  root["why"] = verified.why;
  return document_text(root);
}

std::string to_json(const BackupPin& pin) {
  Json root = {{"format_version", "1.0"}, {"kind", "backup-pin"}};
  root["at"] = base::to_string(pin.at);
  root["reason"] = pin.reason;
  root["by"] = pin.by;
  return document_text(root);
}

base::Result<BackupFacts> read_backup_facts(std::string_view text, const std::string& name) {
  return read_document<BackupFacts>(text, name, "backup", facts_at);
}

base::Result<BackupVerified> read_backup_verified(std::string_view text, const std::string& name) {
  return read_document<BackupVerified>(text, name, "backup-verified", [](const JsonPlace& root) {
    BackupVerified verified;
    verified.at = root.at("at").time();
    verified.how = one_of(root.at("how"), kWays, [](VerifiedHow how) { return name_of(how); });
    verified.fine = root.at("fine").truth();
    verified.why = root.at("why").text();
    return verified;
  });
}

base::Result<BackupPin> read_backup_pin(std::string_view text, const std::string& name) {
  return read_document<BackupPin>(text, name, "backup-pin", [](const JsonPlace& root) {
    return BackupPin{root.at("at").time(), root.at("reason").text(), root.at("by").text()};
  });
}

}  // namespace quorate::model
