// Findings as SARIF 2.1.0, the format of code scanning.
#include <cstddef>
#include <map>

#include "reconciler/base/digest.h"
#include "reconciler/report/escapes.h"
#include "reconciler/report/finding_formats.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using base::Json;

Json physical_location(std::string_view file, const model::Span& span) {
  Json region = Json::object();
  if (span.at.line > 0) {
    region["startLine"] = span.at.line;
    region["startColumn"] = span.at.column;
    region["endLine"] = span.at.line;
    region["endColumn"] = end_column(span);
  } else {
    // Code scanning refuses results without a line; the first one stands for the file.
    region["startLine"] = 1;
  }
  return {{"artifactLocation", {{"uri", sarif_uri(file)}}}, {"region", std::move(region)}};
}

Json rule_json(const model::CodeInfo& rule) {
  const std::string page(rule.page);
  Json object = Json::object();
  object["id"] = rule.id;
  object["shortDescription"] = {{"text", rule.title}};
  object["fullDescription"] = {{"text", page.substr(0, page.find("\n\n"))}};
  object["help"] = {{"text", page}, {"markdown", page}};
  object["defaultConfiguration"] = {{"level", word_for(model::severity(rule.code))}};
  return object;
}

// Line and column are left out on purpose: an alert stays the same alert when lines move. `nth` tells findings apart
// that have rule, field and file in common.
std::string fingerprint(const model::Finding& finding, std::size_t nth) {
  std::string text;
  for (const std::string_view part : {model::info(finding.code).id, std::string_view(finding.path)}) {
    text += std::string(part) + '\0';
  }
  text += sarif_uri(finding.file);
  if (nth > 1) text += '\0' + std::to_string(nth);
  return base::sha256_hex(text);
}

Json result_json(const model::Finding& finding, const std::string& print) {
  Json result = Json::object();
  result["ruleId"] = model::info(finding.code).id;
  result["ruleIndex"] = static_cast<std::size_t>(&model::info(finding.code) - model::all_codes().data());
  result["level"] = word_for(model::severity(finding.code));
  result["message"] = {{"text", in_sentences(finding)}};
  result["locations"] = Json::array();
  result["locations"].push_back({{"physicalLocation", physical_location(finding.file, finding.place.span)}});
  Json related = Json::array();
  for (const model::Excerpt& place : finding.related) {
    Json location = {{"id", related.size() + 1}, {"physicalLocation", physical_location(finding.file, place.span)}};
    if (!place.note.empty()) location["message"] = {{"text", place.note}};
    related.push_back(std::move(location));
  }
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  result["partialFingerprints"] = {{"quorate/v1", print}};
  return result;
}

}  // namespace

std::string findings_as_sarif(const std::vector<FileResult>& results, const FindingOptions& options) {
  Json driver = {{"name", "quorate"}};
  if (!options.tool_version.empty()) driver["semanticVersion"] = options.tool_version;
  driver["rules"] = Json::array();
  for (const model::CodeInfo& rule : model::all_codes()) driver["rules"].push_back(rule_json(rule));

  Json found = Json::array();
  std::map<std::string, std::size_t> seen;
  for (const FileResult& result : results) {
    for (const model::Finding& finding : result.findings) {
      const std::size_t nth = ++seen[fingerprint(finding, 1)];
      found.push_back(result_json(finding, fingerprint(finding, nth)));
    }
  }
  Json run = Json::object();
  run["tool"] = {{"driver", std::move(driver)}};
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = std::move(found);
  Json root = Json::object();
  root["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  root["version"] = "2.1.0";
  root["runs"] = Json::array();
  root["runs"].push_back(std::move(run));
  return document(root);
}

}  // namespace quorate::report
