// Every field is written, also where it holds nothing, so that a reader need not know which may be left out; what
// speaks only of a cluster that comes back is written while it does.
#include "reconciler/model/backups_seen_json.h"
#include "reconciler/model/json_facts.h"
#include "reconciler/model/node_json.h"
#include "reconciler/model/observed_json.h"
#include "reconciler/model/standing_json.h"

namespace quorate::model {
namespace {

using base::Json;

Json time_json(base::Time time) {
  return base::to_string(time);
}

Json milliseconds_json(base::Duration duration) {
  return duration.count();
}

Json status_json(const MemberStatus& status) {
  return {{"version", status.version},
          {"leader", id_or_null(status.leader.value)},
          {"raft_term", status.raft_term},
          {"raft_index", status.raft_index},
          {"raft_applied", status.raft_applied},
          {"revision", status.revision},
          {"db_size", status.db_size},
          {"db_size_in_use", status.db_size_in_use},
          {"errors", status.errors},
          {"latency_ms", status.latency.count()}};
}

Json member_json(const ObservedMember& member) {
  return {{"id", base::to_string(member.listed.id)},
          {"name", member.listed.name},
          {"peer_urls", member.listed.peer_urls},
          {"client_urls", member.listed.client_urls},
          {"learner", member.listed.learner},
          {"status", fact_json(member.status, status_json)},
          {"serves_ms", fact_json(member.serves, milliseconds_json)},
          {"silent_since", fact_json(member.silent_since, time_json)}};
}

Json membership_json(const Membership& membership) {
  return {{"cluster", base::to_string(membership.cluster)},
          {"linearizable", membership.linearizable},
          {"members", list_json(membership.members, member_json)}};
}

Json endpoint_json(const EndpointAnswer& endpoint) {
  const auto id = [](const auto& value) -> Json { return base::to_string(value); };
  return {{"endpoint", endpoint.endpoint},
          {"cluster", fact_json(endpoint.cluster, id)},
          {"member", fact_json(endpoint.member, id)}};
}

Json restorable_json(const Restorable& backup) {
  return {{"name", backup.name},
          {"at", time_or_null(backup.at)},
          {"cluster", id_or_null(backup.cluster.value)},
          {"term", backup.term},
          {"index", backup.index},
          {"revision", backup.revision},
          {"size", backup.size},
          {"sha256", text_or_null(backup.sha256)},
          {"etcd_version", text_or_null(backup.etcd_version)},
          {"verified", backup.verified},
          {"auth", backup.auth},
          {"raw", backup.raw},
          {"damage", text_or_null(backup.damage)}};
}

}  // namespace

std::string to_json(const Observed& observed) {
  Json root = Json::object();
  root["format_version"] = "1.0";
  root["kind"] = "observation";
  root["at"] = base::to_string(observed.at);
  root["by"] = observed.by;
  root["membership"] = fact_json(observed.membership, membership_json);
  root["endpoints"] = list_json(observed.endpoints, endpoint_json);
  root["alarms"] = fact_json(observed.alarms, [](const auto& all) { return list_json(all, alarm_json); });
  root["nodes"] = list_json(observed.nodes, node_json);
  root["compact_revision"] = fact_json(observed.compact_revision, [](std::int64_t revision) { return Json(revision); });
  root["last_backup"] = fact_json(observed.last_backup, time_json);
  root["backups"] = fact_json(observed.backups, backups_seen_json);
  root["backup_trouble"] = observed.backup_trouble ? backup_trouble_json(*observed.backup_trouble) : Json(nullptr);
  if (observed.backup_awaited) root["backup_awaited"] = base::to_string(*observed.backup_awaited);
  root["store_voters"] = observed.store_voters ? voters_json(*observed.store_voters) : Json(nullptr);
  root["restorable"] = fact_json(observed.restorable, [](const auto& all) { return list_json(all, restorable_json); });
  if (const auto& order = observed.ordered) {
    root["ordered"] = {{"backup", order->backup}, {"generation", order->generation}};
  }
  root["formed"] = fact_json(observed.formed, formed_json);
  root["applied"] = fact_json(observed.applied, applied_json);
  root["announced"] = fact_json(observed.announced, announced_json);
  if (const auto& check = observed.data_check) {
    root["data_check"] = {{"revision", check->revision}, {"same", check->same}, {"text", check->text}};
  }
  root["last_change"] = fact_json(observed.last_change, time_json);
  root["heals_of_the_day"] =
      fact_json(observed.heals_of_the_day, [](const auto& all) { return list_json(all, time_json); });
  return document_text(root);
}

}  // namespace quorate::model
