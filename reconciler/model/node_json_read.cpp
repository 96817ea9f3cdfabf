// The mirror of node_json_write.cpp.
#include <array>

#include "reconciler/model/node_json.h"
#include "reconciler/model/standing_json.h"

namespace quorate::model {
namespace {

constexpr std::array<RunPhase, 4> kRunPhases = {RunPhase::Stopped, RunPhase::Running, RunPhase::Waiting,
                                                RunPhase::Ended};
constexpr std::array<EndReason, 11> kEndReasons = {EndReason::None,
                                                   EndReason::PortTaken,
                                                   EndReason::BadFlag,
                                                   EndReason::BadConfig,
                                                   EndReason::BadCertificate,
                                                   EndReason::DiskFull,
                                                   EndReason::RemovedFromCluster,
                                                   EndReason::ClusterIdMismatch,
                                                   EndReason::DataUnusable,
                                                   EndReason::WrongVersion,
                                                   EndReason::Other};

std::string optional_text(const JsonPlace& place, const char* key) {
  return place.has(key) ? place.at(key).text() : "";
}

// What was measured of a directory stands there; what does not apply to its state need not.
DataDir read_data(const JsonPlace& place) {
  DataDir data;
  data.state = one_of(place.at("state"), kDataStates, [](DataState state) { return word_of(state); });
  data.path = optional_text(place, "path");
  data.problem = optional_text(place, "problem");
  if (place.has("cluster")) data.cluster.value = place.at("cluster").id();
  if (place.has("member")) data.member.value = place.at("member").id();
  if (place.has("term")) data.term = place.at("term").natural();
  if (place.has("commit")) data.commit = place.at("commit").natural();
  if (place.has("last_term")) data.last_term = place.at("last_term").natural();
  if (place.has("last_index")) data.last_index = place.at("last_index").natural();
  if (place.has("snapshot_index")) data.snapshot_index = place.at("snapshot_index").natural();
  if (place.has("torn")) data.torn = place.at("torn").truth();
  if (place.has("consistent_index")) data.consistent_index = place.at("consistent_index").natural();
  if (place.has("revision")) data.revision = place.at("revision").whole();
  if (place.has("disk_away")) data.disk_away = place.at("disk_away").truth();
  if (place.has("held")) data.held.value = place.at("held").id_or_null();
  return data;
}

Manifest read_manifest(const JsonPlace& place) {
  return {place.at("digest").text_or_null(), place.has("keep") && place.at("keep").truth(),
          place.has("fenced") && place.at("fenced").truth(), place.has("quota") ? place.at("quota").whole() : 0};
}

Process read_process(const JsonPlace& place) {
  return {place.at("running").truth(), place.at("pid").whole(), place.at("version").text_or_null()};
}

Certificate read_certificate(const JsonPlace& place) {
  return {place.at("path").text(), place.at("use").text(), place.at("subject").text(), place.at("not_before").time(),
          place.at("not_after").time()};
}

Binary read_binary(const JsonPlace& place) {
  return {place.at("path").text(), place.at("version").text()};
}

DiskSpace read_disk(const JsonPlace& place) {
  return {place.at("path").text(), place.at("free_bytes").natural(), place.at("total_bytes").natural()};
}

RunState read_run(const JsonPlace& place) {
  RunState run;
  run.phase = one_of(place.at("phase"), kRunPhases, [](RunPhase phase) { return name_of(phase); });
  run.pid = place.at("pid").whole();
  run.since = place.at("since").time_or_null();
  run.restarts = place.at("restarts").count();
  run.crash_loop = place.at("crash_loop").truth();
  run.reason = one_of(place.at("reason"), kEndReasons, [](EndReason reason) { return name_of(reason); });
  run.text = place.at("text").text_or_null();
  if (place.has("next")) run.next = place.at("next").time();
  return run;
}

}  // namespace

NodeFacts read_node(const JsonPlace& place) {
  NodeFacts node;
  node.member = place.at("member").text();
  node.data = read_fact(place, "data", read_data);
  node.manifest = read_fact(place, "manifest", read_manifest);
  node.process = read_fact(place, "process", read_process);
  node.certificates = read_fact(place, "certificates", read_list(read_certificate));
  node.binaries = read_fact(place, "binaries", read_list(read_binary));
  node.disk = read_fact(place, "disk", read_disk);
  const auto text = [](const JsonPlace& value) { return value.text(); };
  node.promised = read_fact(place, "promised", text);
  if (place.has("promised_with")) node.promised_with = place.at("promised_with").texts();
  node.incarnation = read_fact(place, "incarnation", text);
  node.run = read_fact(place, "run", read_run);
  if (place.has("standing")) node.standing = read_standing(place.at("standing"));
  return node;
}

Applied read_applied(const JsonPlace& place) {
  Applied applied;
  applied.digest = place.at("digest").text();
  applied.members = place.at("members").texts();
  if (place.has("cluster")) applied.cluster.value = place.at("cluster").id();
  if (!place.has("protect")) return applied;
  const JsonPlace protect = place.at("protect");
  applied.protect.emplace();
  applied.protect->min_voters = protect.at("min_voters").count();
  applied.protect->max_removals = protect.at("max_removals").count();
  applied.protect->approve.clear();
  protect.at("approve").each([&](const JsonPlace& item) {
    applied.protect->approve.push_back(one_of(item, kStepClasses, [](StepClass each) { return name_of(each); }));
  });
  return applied;
}

Announced read_announced(const JsonPlace& place) {
  Announced announced;
  place.at("condemned").each([&](const JsonPlace& item) { announced.condemned.push_back({item.id()}); });
  place.at("adding").each([&](const JsonPlace& item) { announced.adding.push_back(item.texts()); });
  if (place.has("updating")) {
    place.at("updating").each([&](const JsonPlace& item) {
      announced.updating.push_back(
          {{item.at("member").id()}, item.at("peer_urls").texts(), item.at("in_flight").truth(), 0});
    });
  }
  return announced;
}

Formed read_formed(const JsonPlace& place) {
  Formed formed;
  formed.cluster.value = place.at("cluster").id();
  formed.decision = place.at("decision").text();
  formed.generation = place.at("generation").whole();
  formed.members = place.at("members").texts();
  if (place.has("after")) {
    place.at("after").each([&](const JsonPlace& item) { formed.after.push_back({item.id()}); });
  }
  return formed;
}

}  // namespace quorate::model
