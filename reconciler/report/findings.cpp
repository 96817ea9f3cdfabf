// Which formats there are, and what is the same in all of them.
#include "reconciler/report/findings.h"

#include "reconciler/report/finding_formats.h"

namespace quorate::report {
namespace {

using Renderer = std::string (*)(const std::vector<FileResult>&, const FindingOptions&);

struct Format {
  std::string_view name;
  Renderer render;
};

constexpr Format kFormats[] = {
    {"text", findings_as_text},   {"json", findings_as_json},   {"github", findings_as_github},
    {"sarif", findings_as_sarif}, {"junit", findings_as_junit},
};

std::string as_sentence(std::string text) {
  if (text.empty()) return text;
  if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  const char last = text.back();
  return last == '.' || last == '?' || last == '!' ? text : text + ".";
}

}  // namespace

Tally tally(const std::vector<FileResult>& results) {
  Tally sum;
  sum.files = results.size();
  for (const FileResult& result : results) {
    if (!result.findings.empty()) ++sum.files_with_findings;
    for (const model::Finding& finding : result.findings) {
      ++(model::severity(finding.code) == model::Severity::Error ? sum.errors : sum.warnings);
    }
  }
  return sum;
}

model::ExitCode exit_code(const std::vector<FileResult>& results) {
  return tally(results).errors == 0 ? model::ExitCode::Ok : model::ExitCode::Invalid;
}

const std::vector<std::string_view>& finding_formats() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Format& format : kFormats) all.push_back(format.name);
    return all;
  }();
  return names;
}

std::optional<std::string> render_findings(std::string_view format, const std::vector<FileResult>& results,
                                           const FindingOptions& options) {
  for (const Format& known : kFormats) {
    if (known.name == format) return known.render(results, options);
  }
  return std::nullopt;
}

std::string_view word_for(model::Severity severity) {
  return severity == model::Severity::Error ? "error" : "warning";
}

std::string in_sentences(const model::Finding& finding) {
  // The message keeps its first letter: it may be a name that is written small.
  std::string text = finding.message;
  if (!finding.place.note.empty()) text += ". " + as_sentence(finding.place.note);
  for (const std::string& help : finding.help) text += "\nhelp: " + help;
  return text;
}

int end_column(const model::Span& span) {
  return span.at.column + span.length;
}

}  // namespace quorate::report
