// Every field is written, also where it holds nothing, so that a reader need not know which may be left out.
#include "reconciler/model/json_words.h"
#include "reconciler/model/observed_json.h"

namespace quorate::model {
namespace {

using base::Json;

template <class T, class Write>
Json fact_json(const Fact<T>& fact, const Write& write) {
  Json object = Json::object();
  if (fact.is_known()) {
    object["known"] = write(*fact);
  } else {
    object["unknown"] = fact.why();
  }
  object["at"] = time_or_null(fact.at());
  return object;
}

template <class T, class Write>
Json list_json(const std::vector<T>& values, const Write& write) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(write(value));
  return list;
}

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

Json data_json(const DataDir& data) {
  return {{"state", word_of(data.state)},
          {"path", data.path},
          {"problem", text_or_null(data.problem)},
          {"cluster", id_or_null(data.cluster.value)},
          {"member", id_or_null(data.member.value)},
          {"term", data.term},
          {"commit", data.commit},
          {"last_term", data.last_term},
          {"last_index", data.last_index},
          {"snapshot_index", data.snapshot_index},
          {"torn", data.torn},
          {"consistent_index", data.consistent_index},
          {"revision", data.revision}};
}

Json certificate_json(const Certificate& certificate) {
  return {{"path", certificate.path},
          {"use", certificate.use},
          {"subject", certificate.subject},
          {"not_before", base::to_string(certificate.not_before)},
          {"not_after", base::to_string(certificate.not_after)}};
}

Json node_json(const NodeFacts& node) {
  const auto manifest = [](const Manifest& value) -> Json { return {{"digest", text_or_null(value.digest)}}; };
  const auto process = [](const Process& value) -> Json {
    return {{"running", value.running}, {"pid", value.pid}, {"version", text_or_null(value.version)}};
  };
  const auto binary = [](const Binary& value) -> Json { return {{"path", value.path}, {"version", value.version}}; };
  const auto disk = [](const DiskSpace& value) -> Json {
    return {{"path", value.path}, {"free_bytes", value.free_bytes}, {"total_bytes", value.total_bytes}};
  };
  return {
      {"member", node.member},
      {"data", fact_json(node.data, data_json)},
      {"manifest", fact_json(node.manifest, manifest)},
      {"process", fact_json(node.process, process)},
      {"certificates", fact_json(node.certificates, [](const auto& all) { return list_json(all, certificate_json); })},
      {"binaries", fact_json(node.binaries, [&](const auto& all) { return list_json(all, binary); })},
      {"disk", fact_json(node.disk, disk)},
      {"promised", fact_json(node.promised, [](const std::string& decision) { return Json(decision); })}};
}

Json applied_json(const Applied& applied) {
  return {{"digest", applied.digest}, {"members", applied.members}, {"cluster", id_or_null(applied.cluster.value)}};
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
  root["applied"] = fact_json(observed.applied, applied_json);
  root["last_change"] = fact_json(observed.last_change, time_json);
  root["heals_of_the_day"] =
      fact_json(observed.heals_of_the_day, [](const auto& all) { return list_json(all, time_json); });
  return document_text(root);
}

}  // namespace quorate::model
