// Findings as workflow commands, which GitHub Actions turns into annotations of the lines.
#include "reconciler/report/finding_formats.h"

namespace quorate::report {
namespace {

// The runner undoes exactly these escapes, and `:` and `,` only in properties.
std::string escaped(std::string_view text, bool is_property) {
  std::string result;
  for (const char c : text) {
    if (c == '%') {
      result += "%25";
    } else if (c == '\r') {
      result += "%0D";
    } else if (c == '\n') {
      result += "%0A";
    } else if (is_property && c == ':') {
      result += "%3A";
    } else if (is_property && c == ',') {
      result += "%2C";
    } else {
      result += c;
    }
  }
  return result;
}

std::string annotation(const model::Finding& finding) {
  const model::Span& span = finding.place.span;
  std::string text = "::" + std::string(word_for(model::severity(finding.code))) + " file=";
  text += escaped(finding.file, true);
  if (span.at.line > 0) {
    text += ",line=" + std::to_string(span.at.line) + ",col=" + std::to_string(span.at.column);
    text += ",endColumn=" + std::to_string(end_column(span));
  }
  text += ",title=" + escaped(model::info(finding.code).id, true);
  return text + "::" + escaped(in_sentences(finding), false) + "\n";
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
