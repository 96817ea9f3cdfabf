// One result in several formats: the one that is asked for to stdout, those of --report to their files.
#pragma once

#include <functional>
#include <string>

#include "reconciler/cli/arguments.h"
#include "reconciler/report/plan_report.h"

namespace quorate::cli {

using RenderResult = std::function<std::string(const std::string& format, const report::PlanOptions& options)>;

// Ends with `code`, or with Failed where a report could not be written.
model::ExitCode print_results(const Arguments& arguments, const RenderResult& render, model::ExitCode code);

bool prints_text(const Arguments& arguments);

}  // namespace quorate::cli
