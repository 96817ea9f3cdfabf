// What validation found, in the formats that people, scripts and CI systems read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/exit_code.h"
#include "reconciler/model/finding.h"
#include "reconciler/report/style.h"

namespace quorate::report {

struct FileResult {
  std::string file;
  std::vector<model::Finding> findings;  // in the order in which they are shown
  std::string summary;                   // one line for Verbose: "prod: 3 members, etcd 3.5.21, runtime process"
};

struct Tally {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t files = 0;
  std::size_t files_with_findings = 0;
};

Tally tally(const std::vector<FileResult>& results);

// What the process ends with; "exit_code" in JSON is the same value.
model::ExitCode exit_code(const std::vector<FileResult>& results);

enum class Detail {
  Quiet,    // findings only
  Normal,   // and a closing line
  Verbose,  // and a line for each file
};

// `style` and `detail` are for format text; the others are complete and bare.
struct FindingOptions {
  Style style;
  Detail detail = Detail::Normal;
  std::string tool_version;
};

const std::vector<std::string_view>& finding_formats();

// Nothing when there is no such format.
std::optional<std::string> render_findings(std::string_view format, const std::vector<FileResult>& results,
                                           const FindingOptions& options);

// One finding as it stands in format text, without a blank line around it.
std::string finding_text(const model::Finding& finding, const Style& style);

}  // namespace quorate::report
