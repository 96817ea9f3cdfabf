// Findings as workflow commands, which GitHub Actions turns into annotations of the lines.
#include "reconciler/report/escapes.h"
#include "reconciler/report/finding_formats.h"

namespace quorate::report {
namespace {

std::string annotation(const model::Finding& finding) {
  const model::Span& span = finding.place.span;
  std::string text = "::" + std::string(word_for(model::severity(finding.code))) + " file=";
  text += github_property(finding.file);
  if (span.at.line > 0) {
    text += ",line=" + std::to_string(span.at.line) + ",col=" + std::to_string(span.at.column);
    text += ",endColumn=" + std::to_string(end_column(span));
  }
  text += ",title=" + github_property(model::info(finding.code).id);
  return text + "::" + github_text(in_sentences(finding)) + "\n";
}

}  // namespace

std::string findings_as_github(const std::vector<FileResult>& results, const FindingOptions&) {
  std::string text;
  for (const FileResult& result : results) {
    for (const model::Finding& finding : result.findings) text += annotation(finding);
  }
  return text;
}

}  // namespace quorate::report
