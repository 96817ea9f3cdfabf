// One agent's report as JSON; what comes from another machine is not believed before it has the right form.
#include "reconciler/model/agent_report.h"

#include "reconciler/model/node_json.h"

namespace quorate::model {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

base::Json sight_json(const Sight& sight) {
  return {{"member", base::to_string(sight.member)}, {"unseen_ms", sight.unseen.count()}};
}

Sight read_sight(const JsonPlace& place) {
  return {base::MemberId{place.at("member").id()}, place.at("unseen_ms").milliseconds()};
}

}  // namespace

std::string to_json(const AgentReport& report) {
  base::Json root = base::Json::object();
  root["format_version"] = "1.0";
  root["kind"] = "report";
  root["cluster"] = report.cluster;
  root["member"] = report.member;
  root["node"] = report.node;
  root["boot"] = report.boot;
  root["sequence"] = report.sequence;
  root["nonce"] = report.nonce;
  root["desired_digest"] = text_or_null(report.desired_digest);
  root["facts"] = node_json(report.facts);
  root["sights"] = list_json(report.sights, sight_json);
  if (report.formed) root["formed"] = formed_json(*report.formed);
  if (report.applied) root["applied"] = applied_json(*report.applied);
  return document_text(root);
}

base::Result<AgentReport> read_agent_report(std::string_view text, const std::string& name) {
  const auto tree = open_document(text, name, "report", kMostBytes);
  if (!tree) return tl::unexpected(tree.error());
  JsonReading reading{*tree, {}};
  const JsonPlace root(reading);
  AgentReport report;
  report.cluster = root.at("cluster").text();
  report.member = root.at("member").text();
  report.node = root.at("node").text();
  report.boot = root.at("boot").text();
  report.sequence = root.at("sequence").natural();
  report.nonce = root.at("nonce").text();
  report.desired_digest = root.at("desired_digest").text_or_null();
  report.facts = read_node(root.at("facts"));
  if (root.at("facts").at("member").text() != report.member) root.at("facts").fail("must be of the same member");
  report.sights = read_list(read_sight)(root.at("sights"));
  if (root.has("formed")) report.formed = read_formed(root.at("formed"));
  if (root.has("applied")) report.applied = read_applied(root.at("applied"));
  if (reading.problem.empty()) return report;
  return base::invalid(name + ": " + reading.problem,
                       "the agents of one cluster must be of releases that know each other");
}

}  // namespace quorate::model
