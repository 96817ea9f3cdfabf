// Findings for people: place, rule and message, the source lines with what is meant, help, and one closing line.
#include "reconciler/report/excerpt.h"
#include "reconciler/report/finding_formats.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

std::string place_text(const model::Finding& finding) {
  std::string text = printable(finding.file);
  const model::Position& at = finding.place.span.at;
  if (at.line > 0) text += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  return text;
}

std::string counts_text(const Tally& sum) {
  std::string text = sum.errors == 0 ? "" : count_of(sum.errors, "error");
  if (sum.warnings != 0) text += (text.empty() ? "" : ", ") + count_of(sum.warnings, "warning");
  return text;
}

std::string closing_line(const Tally& sum) {
  const std::string nothing = " Nothing was contacted.\n";
  if (sum.errors == 0) {
    std::string text = count_of(sum.files, "file") + (sum.files == 1 ? " is valid" : " are valid");
    if (sum.warnings != 0) text += ", with " + count_of(sum.warnings, "warning");
    return text + "." + nothing;
  }
  std::string text = counts_text(sum) + " in ";
  if (sum.files_with_findings < sum.files) text += std::to_string(sum.files_with_findings) + " of ";
  return text + count_of(sum.files, "file") + "." + nothing;
}

// What a file came out as; a file with errors has no summary of its own.
std::string file_line(const FileResult& result) {
  const Tally sum = tally({result});
  std::string text = printable(result.file) + ": ";
  if (!result.summary.empty()) {
    text += printable(result.summary);
    if (!result.findings.empty()) text += " (" + counts_text(sum) + ")";
  } else {
    text += result.findings.empty() ? "valid" : counts_text(sum);
  }
  return text + "\n";
}

}  // namespace

std::string finding_text(const model::Finding& finding, const Style& style) {
  const model::CodeInfo& rule = model::info(finding.code);
  const model::Severity severity = model::severity(finding.code);
  const std::string kind = std::string(word_for(severity)) + "[" + std::string(rule.id) + "]";

  std::string text = style.bold(place_text(finding)) + ": ";
  text += severity == model::Severity::Error ? style.red(kind) : style.yellow(kind);
  text += ": " + style.bold(printable(finding.message)) + "\n";
  text += excerpt_text(finding, style);
  // Without a line to stand under, notes stand alone.
  if (finding.place.line.empty() && !finding.place.note.empty()) {
    text += "  " + printable(finding.place.note) + "\n";
  }
  for (const model::Excerpt& place : finding.related) {
    if (!place.line.empty() || place.note.empty() || place.span.at.line == 0) continue;
    text += "  line " + std::to_string(place.span.at.line) + ": " + printable(place.note) + "\n";
  }
  for (const std::string& help : finding.help) text += "  " + style.cyan("help:") + " " + printable(help) + "\n";
  return text;
}

std::string findings_as_text(const std::vector<FileResult>& results, const FindingOptions& options) {
  std::string text;
  for (const FileResult& result : results) {
    for (const model::Finding& finding : result.findings) {
      if (!text.empty()) text += "\n";
      text += finding_text(finding, options.style);
    }
  }
  if (options.detail == Detail::Quiet) return text;
  if (!text.empty()) text += "\n";
  if (options.detail == Detail::Verbose) {
    for (const FileResult& result : results) text += file_line(result);
  }
  return text + closing_line(tally(results));
}

}  // namespace quorate::report
