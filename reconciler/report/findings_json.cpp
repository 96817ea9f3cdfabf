// Findings as one JSON document whose field names are a contract: new ones may come, none changes or goes.
#include "reconciler/report/finding_formats.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using base::Json;

// A place without a line has null for all three, so that nobody takes 0 for a line.
void add_place(Json& object, const model::Span& span) {
  const bool known = span.at.line > 0;
  object["line"] = known ? Json(span.at.line) : Json(nullptr);
  object["column"] = known ? Json(span.at.column) : Json(nullptr);
  object["end_column"] = known ? Json(end_column(span)) : Json(nullptr);
}

Json related_json(const model::Excerpt& place) {
  Json object = Json::object();
  add_place(object, place.span);
  object["note"] = place.note;
  return object;
}

Json finding_json(const model::Finding& finding) {
  Json object = Json::object();
  object["code"] = model::info(finding.code).id;
  object["severity"] = word_for(model::severity(finding.code));
  object["message"] = finding.message;
  add_place(object, finding.place.span);
  object["path"] = finding.path;
  // The key says "expected" already.
  constexpr std::string_view kWord = "expected ";
  const std::string& note = finding.place.note;
  object["expected"] = note.compare(0, kWord.size(), kWord) == 0 ? note.substr(kWord.size()) : note;
  object["related"] = Json::array();
  for (const model::Excerpt& place : finding.related) object["related"].push_back(related_json(place));
  object["help"] = finding.help;
  return object;
}

}  // namespace

std::string findings_as_json(const std::vector<FileResult>& results, const FindingOptions&) {
  const Tally sum = tally(results);
  Json root = Json::object();
  root["format_version"] = "1.0";
  root["kind"] = "validation";
  root["exit_code"] = static_cast<int>(exit_code(results));
  root["files"] = Json::array();
  for (const FileResult& result : results) {
    Json file = Json::object();
    file["file"] = result.file;
    file["valid"] = !model::has_errors(result.findings);
    file["findings"] = Json::array();
    for (const model::Finding& finding : result.findings) file["findings"].push_back(finding_json(finding));
    root["files"].push_back(std::move(file));
  }
  root["summary"] = {{"errors", sum.errors}, {"warnings", sum.warnings}, {"files", sum.files}};
  return document(root);
}

}  // namespace quorate::report
