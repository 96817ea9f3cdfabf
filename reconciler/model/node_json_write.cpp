// Every field is written, also where it holds nothing, but for what speaks only of a cluster that comes back.
#include "reconciler/model/node_json.h"
#include "reconciler/model/standing_json.h"

namespace quorate::model {
namespace {

using base::Json;

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
          {"revision", data.revision},
          {"disk_away", data.disk_away},
          {"held", id_or_null(data.held.value)}};
}

Json certificate_json(const Certificate& certificate) {
  return {{"path", certificate.path},
          {"use", certificate.use},
          {"subject", certificate.subject},
          {"not_before", base::to_string(certificate.not_before)},
          {"not_after", base::to_string(certificate.not_after)}};
}

Json run_json(const RunState& run) {
  return {{"phase", name_of(run.phase)},      {"pid", run.pid},
          {"since", time_or_null(run.since)}, {"restarts", run.restarts},
          {"crash_loop", run.crash_loop},     {"reason", name_of(run.reason)},
          {"text", text_or_null(run.text)},   {"next", time_or_null(run.next.value_or(base::Time{}))}};
}

Json updating_json(const Updating& updating) {
  return {{"member", base::to_string(updating.member)},
          {"peer_urls", updating.peer_urls},
          {"in_flight", updating.in_flight}};
}

}  // namespace

base::Json node_json(const NodeFacts& node) {
  const auto text = [](const std::string& value) { return Json(value); };
  const auto manifest = [](const Manifest& value) -> Json {
    Json json{{"digest", text_or_null(value.digest)}, {"keep", value.keep}};
    if (value.fenced) json["fenced"] = true;
    if (value.quota > 0) json["quota"] = value.quota;
    return json;
  };
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
      {"promised", fact_json(node.promised, text)},
      {"promised_with", node.promised_with},
      {"incarnation", fact_json(node.incarnation, text)},
      {"run", fact_json(node.run, run_json)},
      {"standing", node.standing ? standing_json(*node.standing) : Json(nullptr)}};
}

base::Json applied_json(const Applied& applied) {
  Json json{{"digest", applied.digest}, {"members", applied.members}, {"cluster", id_or_null(applied.cluster.value)}};
  if (!applied.protect) return json;
  Json approve = Json::array();
  for (const StepClass each : applied.protect->approve) approve.push_back(name_of(each));
  json["protect"] = {{"min_voters", applied.protect->min_voters},
                     {"max_removals", applied.protect->max_removals},
                     {"approve", std::move(approve)}};
  return json;
}

base::Json announced_json(const Announced& announced) {
  return {{"condemned", list_json(announced.condemned, [](base::MemberId id) { return Json(base::to_string(id)); })},
          {"adding", announced.adding},
          {"updating", list_json(announced.updating, updating_json)}};
}

base::Json formed_json(const Formed& formed) {
  return {{"cluster", base::to_string(formed.cluster)},
          {"decision", formed.decision},
          {"generation", formed.generation},
          {"members", formed.members},
          {"after", list_json(formed.after, [](base::ClusterId id) { return Json(base::to_string(id)); })}};
}

}  // namespace quorate::model
