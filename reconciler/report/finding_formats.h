// The formats behind render_findings, one source each, and what they share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reconciler/report/findings.h"

namespace quorate::report {

std::string findings_as_text(const std::vector<FileResult>& results, const FindingOptions& options);
std::string findings_as_json(const std::vector<FileResult>& results, const FindingOptions& options);
std::string findings_as_github(const std::vector<FileResult>& results, const FindingOptions& options);
std::string findings_as_sarif(const std::vector<FileResult>& results, const FindingOptions& options);
std::string findings_as_junit(const std::vector<FileResult>& results, const FindingOptions& options);

std::string_view word_for(model::Severity severity);  // "error", "warning"

// Message, what was expected, and help as sentences, for formats that show no source line.
std::string in_sentences(const model::Finding& finding);

int end_column(const model::Span& span);  // the column after the last one

}  // namespace quorate::report
