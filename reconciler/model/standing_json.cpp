// One writer and one reader for each part, side by side.
#include "reconciler/model/standing_json.h"

#include <array>

#include "reconciler/model/json_facts.h"

namespace quorate::model {
namespace {

using base::Json;

constexpr std::array<DecisionKind, 2> kKinds = {DecisionKind::Restore, DecisionKind::Recover};
constexpr std::size_t kMostBytes = std::size_t{64} << 10;

Json founder_json(const Founder& founder) {
  return {{"member", founder.member}, {"peer_urls", founder.peer_urls}, {"incarnation", founder.incarnation}};
}

Founder read_founder(const JsonPlace& place) {
  return {place.at("member").text(), place.at("peer_urls").texts(), place.at("incarnation").text()};
}

Json chosen_json(const ChosenBackup& backup) {
  return {{"name", backup.name}, {"sha256", text_or_null(backup.sha256)}, {"revision", backup.revision}};
}

ChosenBackup read_chosen(const JsonPlace& place) {
  return {place.at("name").text(), place.at("sha256").text_or_null(), place.at("revision").whole()};
}

Json unfit_json(const Unfit& unfit) {
  return {{"source", unfit.source}, {"why", unfit.why}};
}

Unfit read_unfit(const JsonPlace& place) {
  return {place.at("source").text(), place.at("why").text()};
}

Json pledge_json(const Pledge& pledge) {
  return {{"decision", decision_json(pledge.decision)},
          {"given", pledge.given},
          {"started", pledge.started},
          {"tries", pledge.tries},
          {"failed", text_or_null(pledge.failed)},
          {"agreed", pledge.agreed}};
}

Pledge read_pledge(const JsonPlace& place) {
  return {read_decision(place.at("decision")), place.at("given").truth(),
          place.at("started").truth(),         place.at("tries").count(),
          place.at("failed").text_or_null(),   place.has("agreed") && place.at("agreed").truth()};
}

Json abandoned_json(const Abandoned& abandoned) {
  return {{"decision", abandoned.decision},
          {"generation", abandoned.generation},
          {"seed", abandoned.seed},
          {"why", abandoned.why}};
}

Abandoned read_abandoned(const JsonPlace& place) {
  return {place.at("decision").text(), place.at("generation").whole(), place.at("seed").text(), place.at("why").text()};
}

}  // namespace

base::Json voters_json(const Voters& voters) {
  const auto one = [](const Voter& voter) -> Json {
    return {{"name", voter.name}, {"id", base::to_string(voter.id)}, {"peer_urls", voter.peer_urls}};
  };
  return {{"cluster", base::to_string(voters.cluster)},
          {"generation", voters.generation},
          {"term", voters.term},
          {"index", voters.index},
          {"voters", list_json(voters.voters, one)}};
}

Voters read_voters(const JsonPlace& place) {
  Voters voters;
  voters.cluster.value = place.at("cluster").id();
  voters.generation = place.at("generation").whole();
  voters.term = place.at("term").natural();
  voters.index = place.at("index").natural();
  place.at("voters").each([&](const JsonPlace& item) {
    Voter voter{item.at("name").text(), {item.at("id").id()}};
    if (item.has("peer_urls")) voter.peer_urls = item.at("peer_urls").texts();
    voters.voters.push_back(std::move(voter));
  });
  return voters;
}

namespace {

Json fencing_json(const Fencing& fencing) {
  const auto one = [](const Pass& pass) -> Json {
    return {{"member", pass.member}, {"key", pass.key}, {"certificate", pass.certificate}};
  };
  return {{"decision", fencing.decision}, {"authority", fencing.authority}, {"passes", list_json(fencing.passes, one)}};
}

Fencing read_fencing(const JsonPlace& place) {
  Fencing fencing{place.at("decision").text(), place.at("authority").text(), {}};
  place.at("passes").each([&](const JsonPlace& item) {
    fencing.passes.push_back({item.at("member").text(), item.at("key").text(), item.at("certificate").text()});
  });
  return fencing;
}

Json spooled_json(const Spooled& spooled) {
  return {{"at", base::to_string(spooled.at)},
          {"failed", text_or_null(spooled.failed)},
          {"name", text_or_null(spooled.name)},
          {"folder", text_or_null(spooled.folder)}};
}

Spooled read_spooled(const JsonPlace& place) {
  return {place.at("at").time(), place.at("failed").text_or_null(), place.at("name").text_or_null(),
          place.at("folder").text_or_null()};
}

}  // namespace

base::Json decision_json(const Decision& decision) {
  return {{"id", decision.id},
          {"kind", name_of(decision.kind)},
          {"generation", decision.generation},
          {"attempt", decision.attempt},
          {"source", decision.source},
          {"backup", decision.backup ? chosen_json(*decision.backup) : Json(nullptr)},
          {"deliberate", decision.deliberate},
          {"seed", decision.seed},
          {"founders", list_json(decision.founders, founder_json)},
          {"after", list_json(decision.after, [](base::ClusterId id) { return Json(base::to_string(id)); })},
          {"above", decision.above}};
}

Decision read_decision(const JsonPlace& place) {
  Decision decision;
  decision.id = place.at("id").text();
  decision.kind = one_of(place.at("kind"), kKinds, [](DecisionKind kind) { return name_of(kind); });
  decision.generation = place.at("generation").whole();
  decision.attempt = place.at("attempt").count();
  decision.source = place.at("source").text();
  if (place.has("backup")) decision.backup = read_chosen(place.at("backup"));
  decision.deliberate = place.at("deliberate").truth();
  decision.seed = place.at("seed").text();
  decision.founders = read_list(read_founder)(place.at("founders"));
  place.at("after").each([&](const JsonPlace& item) { decision.after.push_back({item.id()}); });
  decision.above = place.at("above").whole();
  return decision;
}

base::Json standing_json(const Standing& standing) {
  Json json{{"pledge", standing.pledge ? pledge_json(*standing.pledge) : Json(nullptr)},
            {"abandoned", list_json(standing.abandoned, abandoned_json)},
            {"voters", standing.voters ? voters_json(*standing.voters) : Json(nullptr)},
            {"fetched", text_or_null(standing.fetched)},
            {"unfit", list_json(standing.unfit, unfit_json)},
            {"ready", text_or_null(standing.ready)},
            {"index", standing.index},
            {"revision", standing.revision}};
  if (standing.covered != base::Time{}) json["covered"] = base::to_string(standing.covered);
  if (!standing.unready.empty()) json["unready"] = standing.unready;
  if (!standing.pass_key.empty()) json["pass_key"] = standing.pass_key;
  if (standing.fencing) json["fencing"] = fencing_json(*standing.fencing);
  if (standing.spooled) json["spooled"] = spooled_json(*standing.spooled);
  return json;
}

Standing read_standing(const JsonPlace& place) {
  Standing standing;
  if (place.has("pledge")) standing.pledge = read_pledge(place.at("pledge"));
  standing.abandoned = read_list(read_abandoned)(place.at("abandoned"));
  if (place.has("voters")) standing.voters = read_voters(place.at("voters"));
  standing.fetched = place.at("fetched").text_or_null();
  standing.unfit = read_list(read_unfit)(place.at("unfit"));
  standing.ready = place.at("ready").text_or_null();
  standing.index = place.at("index").natural();
  standing.revision = place.at("revision").whole();
  if (place.has("covered")) standing.covered = place.at("covered").time();
  if (place.has("unready")) standing.unready = place.at("unready").text();
  if (place.has("pass_key")) standing.pass_key = place.at("pass_key").text();
  if (place.has("fencing")) standing.fencing = read_fencing(place.at("fencing"));
  if (place.has("spooled")) standing.spooled = read_spooled(place.at("spooled"));
  return standing;
}

std::string to_json(const Decision& decision) {
  Json root = Json::object();
  root["format_version"] = "1.0";
  root["kind"] = "decision";
  root["decision"] = decision_json(decision);
  return document_text(root);
}

base::Result<Decision> read_decision_file(std::string_view text, const std::string& name) {
  const auto tree = open_document(text, name, "decision", kMostBytes);
  if (!tree) return tl::unexpected(tree.error());
  JsonReading reading{*tree, {}};
  Decision decision = read_decision(JsonPlace(reading).at("decision"));
  if (reading.problem.empty()) return decision;
  return base::invalid(name + ": " + reading.problem, "");
}

std::string to_json(const RecordedVoters& recorded) {
  Json root = Json::object();
  root["format_version"] = "1.0";
  root["kind"] = "cluster";
  root["name"] = recorded.name;
  root["voters"] = voters_json(recorded.voters);
  return document_text(root);
}

base::Result<RecordedVoters> read_recorded_voters(std::string_view text, const std::string& name) {
  const auto tree = open_document(text, name, "cluster", kMostBytes);
  if (!tree) return tl::unexpected(tree.error());
  JsonReading reading{*tree, {}};
  const JsonPlace root(reading);
  RecordedVoters recorded{root.at("name").text(), read_voters(root.at("voters"))};
  if (reading.problem.empty()) return recorded;
  return base::invalid(name + ": " + reading.problem, "");
}

}  // namespace quorate::model
